import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** Well-known servers listen on ports below this one. */
const LOWEST_PORT = 10_000;
/** Linux gives outgoing connections the ports of this range. */
const EPHEMERAL_PORTS = '/proc/sys/net/ipv4/ip_local_port_range';
/** The first of them where that file is missing: other systems begin later. */
const FIRST_EPHEMERAL_PORT = '32768';

/**
 * A port of the loopback interface that nobody listens on now. No outgoing connection is given it, so that it stays free
 * until a server listens there, and while that is started again.
 */
export async function freePort(): Promise<number> {
  const firstEphemeral = parseInt(await readFile(EPHEMERAL_PORTS, 'utf8').catch(() => FIRST_EPHEMERAL_PORT));
  const end = firstEphemeral > LOWEST_PORT ? firstEphemeral : 65_536;
  for (;;) {
    const port = randomInt(LOWEST_PORT, end);
    if (await isPortFree(port)) return port;
  }
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(port, '127.0.0.1');
  if (!(await listening)) return false;
  server.close();
  await once(server, 'close');
  return true;
}
