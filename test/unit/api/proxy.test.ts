import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '../../support/eventually';
import { ASK, testApi } from '../../support/service/api';

let proxy: Server;
let asked: string[];
let answerConnect: (socket: Socket) => void;

beforeEach(async () => {
  asked = [];
  answerConnect = (socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      asked.push(chunk.toString().split('\r\n')[0] ?? '');
      answerConnect(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});

afterEach(() => {
  proxy.close();
});

async function submitThrough(none?: string, connectTimeoutMs?: number) {
  const https = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const api = testApi('https://service.invalid', { proxy: { https, none }, connectTimeoutMs });
  const outcome = await api.submit('remove-background', { image_url: 'https://example.com/a.png' }, ASK);
  await api.close();
  return outcome;
}

test('the service is reached through HTTPS_PROXY; a proxy that refuses proves that nothing was sent', async () => {
  expect(await submitThrough()).toMatchObject({ outcome: 'notSent' });
  expect(asked).toEqual(['CONNECT service.invalid:443 HTTP/1.1']);
});

test('hosts in NO_PROXY are reached directly', async () => {
  expect(await submitThrough('service.invalid')).toMatchObject({ outcome: 'notSent' });
  expect(asked).toEqual([]);
});

test('a proxy that hangs up is asked once for each request', async () => {
  answerConnect = (socket) => socket.end();
  expect(await submitThrough()).toMatchObject({
    outcome: 'notSent',
    reason: expect.stringContaining('the proxy gave no connection'),
  });
  expect(asked).toHaveLength(1);
  // Whoever asked on and on would be seen before the next request.
  expect(await submitThrough()).toMatchObject({ outcome: 'notSent' });
  expect(asked).toHaveLength(2);
});

test('a proxy that says nothing is given up after the time for a connection, also by whoever closes', async () => {
  const open: Socket[] = [];
  answerConnect = (socket) => open.push(socket);
  expect(await submitThrough(undefined, 300)).toMatchObject({ outcome: 'notSent' });
  await eventually('the end of the connection', () =>
    open.every(({ destroyed, closed }) => destroyed || closed),
  );
  expect(asked).toHaveLength(1);
});
