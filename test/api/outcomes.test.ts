/**
 * What is known of a POST, against real sockets. Each row tells what the server really did with the request
 * (`seen`: it read the whole request), which the outcome must never contradict.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { inspect } from 'node:util';
import { outcomeOfAnswer } from '../../src/api/outcomes';
import { freePort } from '../../src/temporal/ports';
import { ASK, SECRET, testApi } from '../support/api';
import { eventually } from '../support/eventually';
import { answer, startRawServer } from '../support/rawServer';

const REQUEST = { image_url: 'https://example.com/a.png' };
const ACCEPTED = answer('202 Accepted', '{"task_id":"t-1"}');

async function submit(
  url: string,
  options: Partial<Parameters<ReturnType<typeof testApi>['submit']>[2]> = {},
) {
  const api = testApi(url);
  try {
    return await api.submit('remove-background', REQUEST, {
      ...ASK,
      requestId: 'k.submit.1',
      timeoutMs: 700,
      ...options,
    });
  } finally {
    await api.close();
  }
}

/** A server that treats each connection as told, from its first moment. */
async function startSocketServer(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe('P1: nothing was sent, proven', () => {
  test.each<[string, () => Promise<string>]>([
    ['a port that refuses', async () => `http://127.0.0.1:${await freePort()}`],
    ['a name that does not resolve', () => Promise.resolve('http://no-such-host.invalid')],
  ])('%s', async (_case, url) => {
    expect(await submit(await url())).toMatchObject({ outcome: 'notSent' });
  });

  test('a TLS handshake that fails', async () => {
    const { url, server } = await startSocketServer((socket) => socket.end('this is not TLS'));
    expect(await submit(url.replace('http:', 'https:'))).toMatchObject({ outcome: 'notSent' });
    server.close();
  });

  test('a certificate that nobody signed', async () => {
    const { key, cert } = selfSigned();
    let requests = 0;
    const server = createTlsServer({ key, cert }, (socket) => socket.on('data', () => requests++)).listen(
      0,
      '127.0.0.1',
    );
    server.on('tlsClientError', () => undefined);
    await once(server, 'listening');
    const outcome = await submit(`https://localhost:${(server.address() as AddressInfo).port}`);
    expect(outcome).toMatchObject({ outcome: 'notSent' });
    expect(requests).toBe(0);
    server.close();
  });

  test('a time for sending that has passed', async () => {
    const server = await startRawServer((socket) => socket.end(ACCEPTED));
    expect(await submit(server.url, { sendBefore: Date.now() - 1 })).toMatchObject({ outcome: 'notSent' });
    expect(server.received.join('')).toBe('');
    await server.stop();
  });

  test('a process that was stopped past its deadline and continued', async () => {
    const server = await startRawServer((socket) => socket.end(ACCEPTED));
    const script = path.join(__dirname, '../support/lateSubmit.js');
    const child = spawn(process.execPath, [script, server.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const sendBefore = await eventually('its deadline', () =>
      output.includes('\n') ? Number(output) : undefined,
    );
    await eventually('the stop', async () =>
      (await readFile(`/proc/${child.pid}/stat`, 'utf8')).includes(') T '),
    );
    await eventually('the deadline to pass', () => Date.now() > sendBefore);
    child.kill('SIGCONT');
    await once(child, 'close');
    expect(JSON.parse(output.split('\n')[1] ?? '')).toMatchObject({ outcome: 'notSent' });
    expect(server.received.join('')).toBe('');
    await server.stop();
  });
});

describe('P1: nobody can tell, so it is unknown', () => {
  test.each<[string, (socket: Socket) => void, { seen: boolean }]>([
    ['reset after the body', (socket) => socket.resetAndDestroy(), { seen: true }],
    ['end after the body', (socket) => socket.end(), { seen: true }],
    ['end in the middle of the headers', (socket) => socket.end('HTTP/1.1 202 Acc'), { seen: true }],
    [
      'a body that is cut off',
      (socket) => socket.end(ACCEPTED.replace('content-length: 17', 'content-length: 170')),
      { seen: true },
    ],
    ['no headers in time', () => undefined, { seen: true }],
    [
      'no body in time',
      (socket) => socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 17\r\n\r\n{"task'),
      { seen: true },
    ],
    [
      'a hint, then a reset',
      (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n', () => socket.resetAndDestroy()),
      { seen: true },
    ],
    ['what is not HTTP', (socket) => socket.end('hello'), { seen: true }],
    ['202 without a task id', (socket) => socket.end(answer('202 Accepted', '{}')), { seen: true }],
    ['200 without a task id', (socket) => socket.end(answer('200 OK', '{"id":"t-1"}')), { seen: true }],
    [
      'a task id that is a number',
      (socket) => socket.end(answer('202 Accepted', '{"task_id":1}')),
      { seen: true },
    ],
    [
      'a task id that is null',
      (socket) => socket.end(answer('202 Accepted', '{"task_id":null}')),
      { seen: true },
    ],
    [
      'a task id that is a list',
      (socket) => socket.end(answer('202 Accepted', '{"task_id":["t"]}')),
      { seen: true },
    ],
    [
      'a task id that is empty',
      (socket) => socket.end(answer('202 Accepted', '{"task_id":""}')),
      { seen: true },
    ],
    [
      'a page instead of JSON',
      (socket) => socket.end(answer('202 Accepted', '<html></html>')),
      { seen: true },
    ],
    ['204', (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'), { seen: true }],
    [
      'a redirect, which is not followed',
      (socket) => socket.end(answer('307 Temporary Redirect', '', ['location: /elsewhere'])),
      { seen: true },
    ],
    [
      'an answer of over 8 MiB',
      (socket) => socket.end(answer('202 Accepted', ' '.repeat(9 << 20))),
      { seen: true },
    ],
  ])('%s', async (_case, react, { seen }) => {
    const server = await startRawServer(react);
    const outcome = await submit(server.url);
    expect(outcome).toMatchObject({ outcome: 'unknown' });
    expect(inspect(outcome)).not.toContain(SECRET);
    // After an abort undici may open a connection once more; what counts is that nothing is written on it.
    const requests = server.received.filter((request) => request !== '');
    expect(requests.map((request) => request.startsWith('POST'))).toEqual([seen]);
    await server.stop();
  });

  test('a reset as soon as the connection stands: what was not sent was not received', async () => {
    let received = '';
    const { url, server } = await startSocketServer((socket) => {
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.resetAndDestroy();
    });
    const { outcome } = await submit(url);
    expect(['unknown', 'notSent']).toContain(outcome);
    if (outcome === 'notSent') expect(received).toBe('');
    server.close();
  });

  test('a submit never meets the keep-alive race: it has a connection of its own each time', async () => {
    // The server closes every connection as soon as it has answered: a client that reused one would run into it.
    const server = await startRawServer((socket) =>
      socket.end(ACCEPTED.replace('\r\n', '\r\nconnection: keep-alive\r\n')),
    );
    const api = testApi(server.url);
    for (let n = 1; n <= 20; n++) {
      const outcome = await api.submit('remove-background', REQUEST, { ...ASK, requestId: `k.submit.${n}` });
      expect(outcome).toEqual({ outcome: 'accepted', taskId: 't-1' });
    }
    expect(server.received).toHaveLength(20);
    await api.close();
    await server.stop();
  });

  test('nor does it get one that was opened for another: what nobody uses is closed at once', async () => {
    const seen: { request: string; isClosed: boolean }[] = [];
    const { url, server } = await startSocketServer((socket) => {
      const one = { request: '', isClosed: false };
      seen.push(one);
      socket.on('data', (chunk) => (one.request += chunk.toString()));
      socket.on('close', () => (one.isClosed = true));
    });
    const api = testApi(url);
    const submitted = (timeoutMs: number) =>
      api.submit('remove-background', REQUEST, { requestId: 'r', timeoutMs });
    // It keeps the client from thinking that nobody wants anything of this service.
    const other = submitted(3_000);
    await eventually('the other POST', () => seen[0]?.request);
    expect(await submitted(100)).toMatchObject({ outcome: 'unknown' });
    await eventually(
      'that nothing but the other is left',
      () => seen.slice(1).every((one) => one.isClosed),
      2_500,
    );
    expect(
      seen
        .slice(2)
        .map(({ request }) => request)
        .join(''),
    ).toBe('');
    expect(await other).toMatchObject({ outcome: 'unknown' });
    await api.close();
    server.close();
  });

  test('whoever calls cannot cut a POST off: closing the client waits for it', async () => {
    const sockets: Socket[] = [];
    const server = await startRawServer((socket) => sockets.push(socket));
    const api = testApi(server.url);
    const submitted = api.submit('remove-background', REQUEST, ASK);
    await eventually('the request', () => sockets.length === 1);
    const closed = api.close();
    sockets[0]?.end(ACCEPTED);
    expect(await submitted).toEqual({ outcome: 'accepted', taskId: 't-1' });
    await closed;
    await server.stop();
  });
});

test('a hint that comes before the answer is none', async () => {
  const server = await startRawServer((socket) => socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${ACCEPTED}`));
  expect(await submit(server.url)).toEqual({ outcome: 'accepted', taskId: 't-1' });
  await server.stop();
});

describe('P1: every status', () => {
  const refused = [400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 425, 429, 431, 451];

  test.each(Array.from({ length: 300 }, (_unused, index) => 300 + index))('%d', (status) => {
    const { outcome } = outcomeOfAnswer({ status, body: '{"task_id":"t-1"}', words: 'words' });
    expect(outcome).toBe(refused.includes(status) ? 'refused' : 'unknown');
  });

  test.each([200, 201, 202, 299])('%d with a task id is accepted', (status) => {
    expect(outcomeOfAnswer({ status, body: '{"task_id":"t-1"}', words: 'words' })).toEqual({
      outcome: 'accepted',
      taskId: 't-1',
    });
  });

  test.each([408, 409, 418, 429, 499, 500, 503, 504])(
    '%d on the wire is what the table says',
    async (status) => {
      const server = await startRawServer((socket) =>
        socket.end(answer(`${status} Whatever`, '{"detail":"words"}')),
      );
      const outcome = await submit(server.url);
      expect(outcome).toMatchObject({ outcome: refused.includes(status) ? 'refused' : 'unknown' });
      expect(outcome).toMatchObject({ reason: expect.stringContaining('words') });
      expect(server.received).toHaveLength(1);
      await server.stop();
    },
  );
});

function selfSigned(): { key: string; cert: string } {
  const pem = execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      '-',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const cert = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'));
  return { key: pem.slice(0, pem.indexOf('-----BEGIN CERTIFICATE')), cert };
}
