import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Between the ports of well-known servers and those that systems choose for outgoing connections. */
const [LOWEST_PORT, HIGHEST_PORT] = [10_000, 32_767];
const MOST_TRIES = 100;

/**
 * A port of the loopback interface that is free now. Systems do not give it to outgoing connections, so it stays free until
 * a server listens there, and while that server restarts.
 */
export async function freePort(): Promise<number> {
  for (let n = 0; n < MOST_TRIES; n++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`found no free port from ${LOWEST_PORT} to ${HIGHEST_PORT}`);
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isFree) await once(server.close(), 'close');
  return isFree;
}
