import { inspect } from 'node:util';
import { type Api, createApi } from '../../src/api/client';
import { Credential } from '../../src/api/credential';
import { PUBLISHED_LAYOUT } from '../../src/config';
import { freePort } from '../../src/temporal/ports';
import { answer, type RawServer, startRawServer } from '../support/rawServer';

const SECRET = 'a-very-secret-value';
const REQUEST = { image_url: 'https://example.com/a.png' };

let server: RawServer | undefined;
let api: Api | undefined;

afterEach(async () => {
  await server?.stop();
  await api?.close();
  server = api = undefined;
});

async function submitTo(url: string, request: Record<string, unknown> = REQUEST, sendBefore?: number) {
  api = createApi({
    layout: PUBLISHED_LAYOUT,
    baseUrl: url,
    credential: Credential.apiKey(SECRET),
    userAgent: 'segue/test',
  });
  return api.submit('remove-background', request, { requestId: 'k.submit.1', timeoutMs: 1_000, sendBefore });
}

describe('a submit and what is known of it', () => {
  test('sends the request once, with credential, scope and request id', async () => {
    server = await startRawServer((socket) => socket.end(answer('202 Accepted', '{"task_id":"t-1"}')));
    api = createApi({
      layout: PUBLISHED_LAYOUT,
      baseUrl: `${server.url}/base`,
      credential: Credential.bearer(SECRET),
      userAgent: 'segue/test',
      organization: '1',
      space: '2',
    });
    const options = { requestId: 'k.submit.1', timeoutMs: 1_000, scope: { organization: '42' } };
    const outcome = await api.submit('remove-background', REQUEST, options);
    expect(outcome).toEqual({ outcome: 'accepted', taskId: 't-1' });
    expect(server.received).toHaveLength(1);
    const [head, body] = (server.received[0] ?? '').toLowerCase().split('\r\n\r\n');
    expect(head).toContain('post /base/api/v1/tools/remove-background http/1.1');
    expect(head).toContain(`authorization: bearer ${SECRET}`);
    expect(head).toContain('organization: 42');
    expect(head).toContain('space: 2');
    expect(head).toContain('x-request-id: k.submit.1');
    expect(head).toContain('user-agent: segue/test');
    expect(JSON.parse(body ?? '')).toEqual(REQUEST);
  });

  test.each([
    ['a task id', '202 Accepted', '{"task_id":"t-1","more":1}', { outcome: 'accepted', taskId: 't-1' }],
    ['200 with a task id', '200 OK', '{"task_id":"t-1"}', { outcome: 'accepted', taskId: 't-1' }],
    ['no task id', '202 Accepted', '{}', { outcome: 'unknown' }],
    ['an empty task id', '202 Accepted', '{"task_id":""}', { outcome: 'unknown' }],
    ['a task id of another type', '202 Accepted', '{"task_id":7}', { outcome: 'unknown' }],
    ['no JSON', '202 Accepted', '<html>', { outcome: 'unknown' }],
    ['a redirect', '302 Found', '', { outcome: 'unknown' }],
    ['a bad request', '400 Bad Request', '{"detail":"no such image"}', { outcome: 'refused', status: 400 }],
    ['a conflict', '409 Conflict', '', { outcome: 'unknown' }],
    ['a server error', '500 Internal Server Error', '', { outcome: 'unknown' }],
    ['a gateway that gave up', '504 Gateway Timeout', '', { outcome: 'unknown' }],
  ])('P1: %s', async (_case, status, body, expected) => {
    server = await startRawServer((socket) => socket.end(answer(status, body)));
    expect(await submitTo(server.url)).toMatchObject(expected);
    expect(server.received).toHaveLength(1);
  });

  test("a refusal carries the service's words and when to come back", async () => {
    server = await startRawServer((socket) =>
      socket.end(answer('429 Too Many Requests', '{"detail":"slow down"}', ['retry-after: 7'])),
    );
    expect(await submitTo(server.url)).toEqual({
      outcome: 'refused',
      status: 429,
      reason: 'status 429: slow down',
      retryAfterMs: 7_000,
    });
  });

  test('P1: a refused connection proves that nothing was sent', async () => {
    expect(await submitTo(`http://127.0.0.1:${await freePort()}`)).toMatchObject({ outcome: 'notSent' });
  });

  test('P1: a connection that breaks after the request proves nothing', async () => {
    server = await startRawServer((socket) => socket.resetAndDestroy());
    expect(await submitTo(server.url)).toMatchObject({ outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });

  test('P1: an answer that is cut off proves nothing', async () => {
    server = await startRawServer((socket) =>
      socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\n{"task_id":"t-1"}'),
    );
    expect(await submitTo(server.url)).toMatchObject({ outcome: 'unknown' });
  });

  test('P1: an answer that does not come proves nothing', async () => {
    server = await startRawServer(() => undefined);
    expect(await submitTo(server.url)).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringContaining('1000 ms'),
    });
  });

  test('P1: a request whose time has passed is not written', async () => {
    server = await startRawServer((socket) => socket.end(answer('202 Accepted', '{"task_id":"t-1"}')));
    expect(await submitTo(server.url, REQUEST, Date.now() - 1)).toMatchObject({ outcome: 'notSent' });
    expect(server.received.join('')).toBe('');
  });

  test('a wrong request is refused before anything is sent, with all its problems', async () => {
    server = await startRawServer((socket) => socket.end(answer('202 Accepted', '{"task_id":"t-1"}')));
    const outcome = await submitTo(server.url, {
      image_url: 'no',
      background_color: 'red',
      output_format: 'gif',
      x: 1,
    });
    expect(outcome).toMatchObject({ outcome: 'refused' });
    expect(outcome).not.toHaveProperty('status');
    for (const field of ['image_url', 'background_color', 'output_format', '"x"']) {
      expect(inspect(outcome)).toContain(field);
    }
    expect(server.received).toHaveLength(0);
  });

  test('an answer of over 8 MiB is cut off', async () => {
    server = await startRawServer((socket) =>
      socket.end(answer('202 Accepted', ' '.repeat(9 * 1024 * 1024))),
    );
    expect(await submitTo(server.url)).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringContaining('8 MiB'),
    });
  });

  test('P7: the credential is in no outcome and no error', async () => {
    server = await startRawServer((socket) => socket.resetAndDestroy());
    expect(inspect(await submitTo(server.url), { depth: null })).not.toContain(SECRET);
    const error: unknown = await api
      ?.getTask({ id: 't' }, { requestId: 'r', timeoutMs: 500 })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ operation: 'get task', requestId: 'r', sent: true });
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(SECRET);
  });
});
