/** Ports for servers that are started, and started again. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { freePort, isPortFree } from '../../../src/temporal/ports';

test('a free port is none that an outgoing connection may be given', async () => {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '32768 65535');
  const [first = 0, last = 0] = range.split(/\s+/).map(Number);
  for (let n = 0; n < 20; n++) {
    const port = await freePort();
    // Where they begin this low, nearly all ports are given to connections.
    expect(port < first || port > last || first <= 10_000).toBe(true);
  }
});

test('a port is free until somebody listens there', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await isPortFree(port)).toBe(false);
  server.close();
});
