import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { ASK, testApi } from '../support/api';

let proxy: Server;
let asked: string[];

beforeEach(async () => {
  asked = [];
  proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      asked.push(chunk.toString().split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});

afterEach(() => {
  proxy.close();
});

async function submitThrough(none?: string) {
  const https = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const api = testApi('https://service.invalid', { proxy: { https, none } });
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
