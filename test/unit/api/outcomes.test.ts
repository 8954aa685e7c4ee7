/**
 * What is known of a POST, against real sockets. Each row tells what the server really did with the request
 * (`seen`: it read the whole request), which the outcome must never contradict.
 */
import { type Socket } from 'node:net';
import { inspect } from 'node:util';
import { outcomeOfAnswer } from '../../../src/api/outcomes';
import { SECRET } from '../../support/service/api';
import { answer, startRawServer, startSocketServer } from '../../support/service/rawServer';
import { ACCEPTED, submit } from '../../support/service/submits';

describe('P1: nobody can tell, so it is unknown', () => {
  test.concurrent.each<[string, (socket: Socket) => void, { seen: boolean }]>([
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
    // 'no headers in time' and 'no body in time' last this long; all others end at once.
    const outcome = await submit(server.url, { timeoutMs: 5_000 });
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
});

test('a hint that comes before the answer is none', async () => {
  const server = await startRawServer((socket) => socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${ACCEPTED}`));
  expect(await submit(server.url)).toEqual({ outcome: 'accepted', taskId: 't-1' });
  await server.stop();
});

describe('P1: every status', () => {
  const refused = [400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 425, 429, 431, 451];

  test.each(Array.from({ length: 300 }, (_unused, index) => 300 + index))('%d', (status) => {
    const { outcome } = outcomeOfAnswer(
      { status, body: '{"task_id":"t-1"}', serviceMessage: 'message' },
      String,
    );
    expect(outcome).toBe(refused.includes(status) ? 'refused' : 'unknown');
  });

  test.each([200, 201, 202, 299])('%d with a task id is accepted', (status) => {
    expect(outcomeOfAnswer({ status, body: '{"task_id":"t-1"}', serviceMessage: 'message' }, String)).toEqual(
      {
        outcome: 'accepted',
        taskId: 't-1',
      },
    );
  });

  test.each([408, 409, 418, 429, 499, 500, 503, 504])(
    '%d on the wire is what the table says',
    async (status) => {
      const server = await startRawServer((socket) =>
        socket.end(answer(`${status} Whatever`, '{"detail":"busy"}')),
      );
      const outcome = await submit(server.url);
      expect(outcome).toMatchObject({ outcome: refused.includes(status) ? 'refused' : 'unknown' });
      expect(outcome).toMatchObject({ reason: expect.stringContaining('busy') });
      expect(server.received).toHaveLength(1);
      await server.stop();
    },
  );
});
