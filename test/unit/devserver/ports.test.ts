/** Ports for servers that are started, and started again. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort, isPortFree } from '@segue/devserver';

test('a free port is none that an outgoing connection is given', async () => {
  for (let n = 0; n < 20; n++) {
    const port = await freePort();
    expect(port).toBeGreaterThanOrEqual(10_000);
    expect(port).toBeLessThan(32_768);
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
