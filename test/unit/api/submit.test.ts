/** What a submit and a notification send, what they refuse to send, and what they never tell. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { type Api } from '../../../src/api/client';
import { Credential } from '../../../src/api/credential';
import { ASK, SECRET, testApi } from '../../support/service/api';
import { answer, type RawServer, startRawServer } from '../../support/service/rawServer';
import { ACCEPTED, REQUEST } from '../../support/service/submits';

let server: RawServer;
let reply: string;
let api: Api;

beforeEach(async () => {
  reply = ACCEPTED;
  server = await startRawServer((socket) => socket.end(reply));
  api = testApi(server.url);
});

afterEach(async () => {
  await api.close();
  await server.stop();
});

describe('a submit', () => {
  test('goes out once, with credential, scope and request id, on a connection that closes', async () => {
    const own = testApi(`${server.url}/base`, {
      credential: Credential.bearer(SECRET),
      organization: '1',
      space: '2',
    });
    const options = { ...ASK, requestId: 'k.submit.1', scope: { organization: '42' } };
    expect(await own.submit('remove-background', REQUEST, options)).toEqual({
      outcome: 'accepted',
      taskId: 't-1',
    });
    expect(server.received).toHaveLength(1);
    const [head = '', body = ''] = (server.received[0] ?? '').split('\r\n\r\n');
    expect(head.split('\r\n')[0]).toBe('POST /base/api/v1/tools/remove-background HTTP/1.1');
    for (const line of [
      `authorization: bearer ${SECRET}`,
      'organization: 42',
      'space: 2',
      'x-request-id: k.submit.1',
      'user-agent: segue/test',
      'content-type: application/json',
      'connection: close',
    ]) {
      expect(head.toLowerCase()).toContain(line);
    }
    expect(JSON.parse(body)).toEqual(REQUEST);
    await own.close();
  });

  test('outpainting sends what it is given and leaves the defaults to the service', async () => {
    const request = { ...REQUEST, mask_url: 'https://example.com/m.png', prompt: ' a beach ' };
    await api.submit('image-outpainting', request, ASK);
    const full = { ...request, negative_prompt: 'people', guidance_scale: 3.5, count: 2 };
    await api.submit('image-outpainting', full, ASK);
    const sent = server.received.map((text) => text.split('\r\n\r\n'));
    expect(sent.map(([head]) => head?.split('\r\n')[0])).toEqual(
      Array(2).fill('POST /api/v1/tools/image-outpainting HTTP/1.1'),
    );
    expect(sent.map(([, body]) => JSON.parse(body ?? '') as unknown)).toEqual([request, full]);
  });

  test('has a connection of its own each time, even where the service would keep one open', async () => {
    const sockets: Socket[] = [];
    const keeping = await startRawServer((socket) => {
      sockets.push(socket);
      socket.write(ACCEPTED);
    });
    const own = testApi(keeping.url);
    for (const n of [1, 2, 3])
      await own.submit('remove-background', REQUEST, { ...ASK, requestId: `k.submit.${n}` });
    expect(sockets).toHaveLength(3);
    // Reads share one.
    await own.getTask({ id: 't' }, ASK).catch(() => undefined);
    await own.close();
    await keeping.stop();
  });

  test.each<[string, string, Record<string, unknown>, string[]]>([
    [
      'everything wrong',
      'remove-background',
      { image_url: 'no', background_color: 'red', output_format: 'gif', magic_crop: 1, x: 1 },
      ['image_url', 'magic_crop', 'background_color', 'output_format', 'x'],
    ],
    ['nothing at all', 'image-outpainting', {}, ['image_url', 'mask_url', 'prompt']],
    [
      'blanks',
      'image-outpainting',
      {
        image_url: ' https://e.com/a',
        mask_url: 'http:e',
        prompt: ' ',
        negative_prompt: '',
        count: 0,
        guidance_scale: 'x',
      },
      ['image_url', 'mask_url', 'prompt', 'negative_prompt', 'guidance_scale', 'count'],
    ],
    ['a tool that is none', 'constructor', {}, ['tool']],
    [
      'too much',
      'remove-background',
      { image_url: `data:image/png;base64,${'A'.repeat(2 << 20)}` },
      ['request'],
    ],
  ])('with %s is refused before anything is sent', async (_case, tool, request, fields) => {
    const outcome = await api.submit(tool, request, ASK);
    expect(outcome).toMatchObject({ outcome: 'refused' });
    expect(outcome).not.toHaveProperty('status');
    const problems =
      'reason' in outcome ? outcome.reason.replace('not sent, the request is wrong: ', '').split('; ') : [];
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(fields);
    expect(server.received).toHaveLength(0);
  });

  test.each([
    ['a header cannot carry', { organization: 'Zürich\n' }],
    ['nobody knows', { organisation: '5' }],
  ])('with a scope that %s is refused, and so are reads and notifications', async (_case, scope) => {
    const options = { ...ASK, scope: scope as never };
    expect(await api.submit('remove-background', REQUEST, options)).toMatchObject({ outcome: 'refused' });
    expect(await api.notify({} as never, options)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('scope.'),
    });
    await expect(api.getWorkspace({}, options)).rejects.toThrow('scope.');
    expect(server.received).toHaveLength(0);
  });

  test("a refusal carries the service's words and when to come back", async () => {
    reply = answer('429 Too Many Requests', '{"detail":"slow down"}', ['retry-after: 7']);
    expect(await api.submit('remove-background', REQUEST, ASK)).toEqual({
      outcome: 'refused',
      status: 429,
      reason: 'status 429: slow down',
      retryAfterMs: 7_000,
    });
  });

  test.each([' ', ' t ', '..', '\ud800'])(
    'a task id that could not be polled (%j) is none',
    async (taskId) => {
      reply = answer('202 Accepted', JSON.stringify({ task_id: taskId }));
      expect(await api.submit('remove-background', REQUEST, ASK)).toMatchObject({ outcome: 'unknown' });
    },
  );

  test('no reason is too long to record', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_unused, index) => [`field${index}`, 1]));
    const outcome = await api.submit('remove-background', many, ASK);
    expect(JSON.stringify(outcome).length).toBeLessThan(3_000);
  });

  test('a page of megabytes is told in few words, without stopping everything else', async () => {
    reply = answer('502 Bad Gateway', '<'.repeat(4 << 20));
    const outcome = await api.submit('remove-background', REQUEST, ASK);
    expect(outcome).toMatchObject({ outcome: 'unknown' });
    reply = answer('502 Bad Gateway', '<style'.repeat(500_000));
    expect(await api.submit('remove-background', REQUEST, ASK)).toMatchObject({ outcome: 'unknown' });
  });

  test('a connection that does not stand in time proves that nothing was sent', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const own = testApi(url, { connectTimeoutMs: 200 });
    const outcome = await own.submit('remove-background', REQUEST, { ...ASK, timeoutMs: 30_000 });
    expect(outcome).toMatchObject({ outcome: 'notSent', reason: expect.stringMatching(/connect timeout/i) });
    await own.close();
    silent.close();
  });

  test.each([null, undefined, 7, []])('a notification that is %j is refused, not thrown', async (nothing) => {
    expect(await api.notify(nothing as never, ASK)).toMatchObject({ outcome: 'refused' });
  });
});

describe('P7: the credential is in no outcome and no error', () => {
  const secret = 'S3cr/et"value\\+1';

  function shown(value: unknown): string {
    const stack = value instanceof Error ? value.stack : '';
    return [
      inspect(value, { depth: null, showHidden: true }),
      JSON.stringify(value),
      String(value),
      stack,
    ].join('\n');
  }

  test.each([
    ['JSON', JSON.stringify({ detail: `bad key Api-Key ${secret}` })],
    ['JSON with escaped slashes', JSON.stringify({ detail: [`bad key ${secret}`] }).replaceAll('/', '\\/')],
    ['JSON below another name', JSON.stringify({ sent: { authorization: secret } })],
    ['text', `you sent ${secret}`],
    ['text with escaped slashes', `you sent ${JSON.stringify(secret).replaceAll('/', '\\/')}`],
  ])('when the service repeats it in %s', async (_case, body) => {
    reply = answer('401 Unauthorized', body);
    const own = testApi(server.url, { credential: Credential.apiKey(secret) });
    const outcome = await own.submit('remove-background', REQUEST, ASK);
    const error: unknown = await own.getTask({ id: 't' }, ASK).catch((e: unknown) => e);
    for (const text of [shown(outcome), shown(error)]) {
      expect(text).toContain('[credential]');
      expect(text).not.toContain(secret);
      expect(text).not.toContain('S3cr/et');
      expect(text).not.toContain('S3cr\\/et');
    }
    await own.close();
  });

  test.each([
    ['words', JSON.stringify({ detail: `${'x'.repeat(490)} ${secret}` })],
    ['a page', `<html>${'<br>'.repeat(4_093)} ${secret} </html>`],
  ])('when %s that repeat it are cut off in the middle of it', async (_case, body) => {
    reply = answer('401 Unauthorized', body);
    const own = testApi(server.url, { credential: Credential.apiKey(secret) });
    const outcome = await own.submit('remove-background', REQUEST, ASK);
    expect(outcome).toMatchObject({ reason: expect.stringContaining('[cred') });
    expect(shown(outcome)).not.toContain(secret.slice(0, 4));
    await own.close();
  });

  test('when the service sends the request back as it came', async () => {
    const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(
      0,
      '127.0.0.1',
    );
    await once(echo, 'listening');
    const own = testApi(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`);
    const error: unknown = await own.getTask({ id: 't' }, ASK).catch((e: unknown) => e);
    expect(error).toMatchObject({ operation: 'get task', requestId: 'r-1', sent: true });
    expect(shown(error)).not.toContain(SECRET);
    expect(shown(await own.submit('remove-background', REQUEST, ASK))).not.toContain(SECRET);
    await own.close();
    echo.close();
  });

  test('when the service gives it as a task id, which then is unknown', async () => {
    reply = answer('202 Accepted', JSON.stringify({ task_id: `t-${SECRET}` }));
    const own = testApi(server.url);
    const outcome = await own.submit('remove-background', REQUEST, ASK);
    expect(outcome).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('task_id') });
    expect(shown(outcome)).not.toContain(SECRET);
    await own.close();
  });
});
