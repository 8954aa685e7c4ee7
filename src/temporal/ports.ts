import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';

/** Well-known servers listen on ports below this one. */
const LOWEST_PORT = 10_000;
/** A range that is small, or nearly full, may have none that is free. */
const MOST_TRIES = 100;
/** Linux gives outgoing connections the ports of this range. */
const EPHEMERAL_PORTS = '/proc/sys/net/ipv4/ip_local_port_range';
/** The first of them where that file is missing: other systems begin later. */
const FIRST_EPHEMERAL_PORT = '32768';

/**
 * A port of the loopback interface that nobody listens on now. Where there is one, no outgoing connection is given it, so
 * that it stays free until a server listens there, and while that is started again.
 */
export async function freePort(): Promise<number> {
  const firstEphemeral = parseInt(await readFile(EPHEMERAL_PORTS, 'utf8').catch(() => FIRST_EPHEMERAL_PORT));
  for (let n = 0; n < MOST_TRIES && firstEphemeral > LOWEST_PORT; n++) {
    const port = randomInt(LOWEST_PORT, firstEphemeral);
    if (await isPortFree(port)) return port;
  }
  return await listenBriefly(0);
}

export async function isPortFree(port: number): Promise<boolean> {
  return await listenBriefly(port).then(
    () => true,
    () => false,
  );
}

/** Gives the port that it listened on: one that the system chooses, for 0. */
async function listenBriefly(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: listened } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return listened;
}
