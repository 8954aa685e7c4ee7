/** Ports for servers that are started, and started again. */
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { freePort, isPortFree } from '../../../src/temporal/ports';

test('a free port is none that an outgoing connection may be given', async () => {
  const range = await fs
    .readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .catch(() => '32768 65535');
  const [first = 0, last = 0] = range.split(/\s+/).map(Number);
  for (let n = 0; n < 20; n++) {
    const port = await freePort();
    // Where they begin this low, nearly all ports are given to connections.
    expect(port < first || port > last || first <= 10_000).toBe(true);
  }
});

test.each(['10001\t65535\n', '1024\t65535\n', '\n'])(
  'a free port is found where connections may be given nearly all: %j',
  async (range) => {
    // Taken either way: by this server, or by another that keeps it from listening.
    const server = createServer().listen(10_000, '127.0.0.1');
    await Promise.race([once(server, 'listening'), once(server, 'error')]);
    const reading = jest.spyOn(fs, 'readFile').mockResolvedValue(range);
    try {
      expect(await isPortFree(await freePort())).toBe(true);
    } finally {
      reading.mockRestore();
      server.close();
    }
  },
  5_000,
);

test('a port is free until somebody listens there', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await isPortFree(port)).toBe(false);
  server.close();
});
