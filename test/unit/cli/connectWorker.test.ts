/** What a worker's connection asks of a Temporal server. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo } from 'node:net';
import { connectWorker } from '../../../src/cli/servers/worker';

/** The first request of a connection, to a server that answers none. */
async function firstRequest(): Promise<IncomingHttpHeaders> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'stream') as Promise<[ServerHttp2Stream, IncomingHttpHeaders]>;
  server.on('stream', (stream) => {
    stream.respond({ ':status': 404 }, { endStream: true });
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connecting = connectWorker({ address, namespace: 'default', connection: { address } });
  const [, headers] = await asked;
  await expect(connecting).rejects.toThrow('cannot be reached');
  server.close();
  return headers;
}

test('a server without TLS is asked to compress nothing, and nothing is compressed for it', async () => {
  const headers = await firstRequest();
  expect(headers[':path']).toContain('/temporal.api.');
  expect(headers['grpc-encoding'] ?? 'identity').toBe('identity');
  expect(String(headers['grpc-accept-encoding'] ?? 'identity')).not.toContain('gzip');
});
