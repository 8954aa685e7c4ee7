/** Chunks by themselves: how many are on the wire, what is told with each sign of life, what a poll of many tells. */
import { type Socket } from 'node:net';
import { type MockActivityEnvironment } from '@temporalio/testing';
import { ActivityNotFoundError, type Client, WorkflowNotFoundError } from '@temporalio/client';
import { createActivities } from '../../../src/activities';
import { sendOnce, type SendPermit } from '../../../src/activities/atMostOnce/sendOnce';
import { type ChunkOrder, sendingSignal, type SubmitOutcome, type TasksNews } from '../../../src/contract';
import { testApi } from '../../support/service/api';
import { answer, startRawServer } from '../../support/service/rawServer';
import { activityEnvironment } from '../../support/servers/log';

/** Tasks that a poll asks after at once, and all that it is given. */
const [AT_ONCE, TASKS] = [20, 70];

const close = ['connection: close'];
const task = (id: string): string => answer('202 Accepted', `{"task_id":"${id}"}`, close);

function chunkOf(count: number, runId: string): ChunkOrder {
  const submissions = Array.from({ length: count }, (_unused, item) => ({
    ...{ key: `b~i${item + 1}`, attempt: 1, item, tool: 'remove-background' },
    request: { image_url: 'https://example.com/a.png' },
  }));
  return { batch: 'b', chunk: 1, submissions, runId };
}

function environmentOf(info = {}, client?: Client): { environment: MockActivityEnvironment; runId: string } {
  const environment = activityEnvironment({ startToCloseTimeoutMs: 30_000, ...info }, { client });
  return { environment, runId: environment.context.info.workflowExecution?.runId ?? '' };
}

const ended = (outcomes: SubmitOutcome[]): string[] => outcomes.map(({ outcome }) => outcome);
const partSent = (end: string): string[] => [
  ...Array<string>(3).fill(end),
  ...Array<string>(5).fill('notSent'),
];

test('P1: a chunk larger than the share sends as many as it may; the others are not sent', async () => {
  const posts: Socket[] = [];
  const server = await startRawServer((socket) => {
    // None is answered before all that it may send are there.
    if (posts.push(socket) === 3) for (const post of posts) post.end(task('t-1'));
  });
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false, mostInChunk: 3 });
  const { environment, runId } = environmentOf();
  const outcomes: SubmitOutcome[] = await environment.run(chunks.submitChunk, chunkOf(8, runId));
  expect(ended(outcomes)).toEqual(partSent('accepted'));
  expect(posts).toHaveLength(3);
  await api.close();
  await server.stop();
});

/** A server that takes heartbeats as it is told to, and knows of a batch no more than its stage. */
function serverThat(
  hears: (notes: object) => Promise<void>,
  stage?: string,
  signal: (name: string, news: unknown) => Promise<void> = () => Promise.resolve(),
): Client {
  const apart = (_limit: unknown, ask: () => unknown): unknown => ask();
  const describe = (): Promise<unknown> =>
    stage === undefined
      ? Promise.reject(new WorkflowNotFoundError('no such batch', 'batch/b', undefined))
      : Promise.resolve({ status: { name: 'RUNNING' }, typedSearchAttributes: { get: () => stage } });
  const client = {
    ...{ withAbortSignal: apart, withDeadline: apart },
    activity: { heartbeat: (_token: Uint8Array, notes: object) => hears({ ...notes }) },
    workflow: { getHandle: () => ({ describe, signal }) },
  };
  return client as unknown as Client;
}

// What is accepted is handed over by a call of its own; of what is refused, the activity returns what it knows.
const REFUSED = answer('400 Bad Request', '{}', close);

test('P2: the server knows what has no place before anything is sent', async () => {
  const server = await startRawServer((socket) => socket.end(REFUSED));
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false, mostInChunk: 3 });
  const told: object[] = [];
  const client = serverThat(async (notes) => {
    told.push({ ...notes, sent: server.received.length });
    await Promise.resolve();
  });
  const { environment, runId } = environmentOf({}, client);
  expect(ended(await environment.run(chunks.submitChunk, chunkOf(8, runId)))).toEqual(partSent('refused'));
  const unsent = expect.objectContaining({ outcome: 'notSent' });
  expect(told).toEqual([{ 3: unsent, 4: unsent, 5: unsent, 6: unsent, 7: unsent, sent: 0 }]);
  await api.close();
  await server.stop();
});

test.each([
  ['is told of a chunk before any of it is sent', () => Promise.resolve(), 'refused', 3],
  [
    'cannot be told of a chunk before it',
    () => Promise.reject(new WorkflowNotFoundError('it is over', 'b', undefined)),
    'notSent',
    0,
  ],
])('P1: where its run %s, so many are sent', async (_name, take, end, posts) => {
  const server = await startRawServer((socket) => socket.end(REFUSED));
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false });
  const told: unknown[] = [];
  const client = serverThat(
    () => Promise.resolve(),
    undefined,
    async (signal, news) => {
      told.push([signal, news, server.received.length]);
      await take();
    },
  );
  const { environment, runId } = environmentOf({}, client);
  const outcomes: SubmitOutcome[] = await environment.run(chunks.submitChunk, chunkOf(3, runId));
  expect(told).toContainEqual([sendingSignal.name, { n: 1 }, 0]);
  expect(ended(outcomes)).toEqual(Array<string>(3).fill(end));
  expect(server.received).toHaveLength(posts);
  await api.close();
  await server.stop();
});

test('P1: a chunk signals its run first, then asks by heartbeat whether the server still waits for it, then sends', async () => {
  const server = await startRawServer((socket) => socket.end(REFUSED));
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false });
  const calls: string[] = [];
  const note = (call: string) => () => {
    calls.push(`${call}, ${server.received.length} sent`);
    return Promise.resolve();
  };
  const { environment, runId } = environmentOf({}, serverThat(note('heartbeat'), undefined, note('signal')));
  await environment.run(chunks.submitChunk, chunkOf(1, runId));
  expect(calls).toEqual(['signal, 0 sent', 'heartbeat, 0 sent']);
  await api.close();
  await server.stop();
});

test('P2: a second attempt sends nothing, and tells what the first one had told', async () => {
  const server = await startRawServer((socket) => socket.end(REFUSED));
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false, mostInChunk: 3 });
  const heartbeatDetails = { 1: { outcome: 'refused', status: 400, reason: 'as told' } };
  const { environment, runId } = environmentOf({ attempt: 2, heartbeatDetails });
  const outcomes: SubmitOutcome[] = await environment.run(chunks.submitChunk, chunkOf(3, runId));
  expect(ended(outcomes)).toEqual(['unknown', 'refused', 'unknown']);
  expect(server.received).toHaveLength(0);
  await api.close();
  await server.stop();
});

test.each([
  ['is a second attempt', 'unknown', { attempt: 2 }, undefined],
  [
    'is waited for no more',
    'notSent',
    {},
    serverThat(() => Promise.reject(new ActivityNotFoundError('given up'))),
  ],
  ['is of a batch that is paused', 'notSent', {}, serverThat(() => Promise.resolve(), 'paused')],
])('P1: a chunk that %s sends nothing, and the next one does', async (_name, end, info, client) => {
  const server = await startRawServer((socket) => socket.end(REFUSED));
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false, mostInChunk: 3 });
  const refused = environmentOf(info, client);
  const outcomes: SubmitOutcome[] = await refused.environment.run(
    chunks.submitChunk,
    chunkOf(8, refused.runId),
  );
  expect(ended(outcomes)).toEqual(Array<string>(8).fill(end));
  expect(server.received).toHaveLength(0);
  const { environment, runId } = environmentOf();
  expect(ended(await environment.run(chunks.submitChunk, chunkOf(8, runId)))).toEqual(partSent('refused'));
  await api.close();
  await server.stop();
});

test('P2: what is known goes out with a heartbeat, by the item, while others are still on the wire', async () => {
  const posts = new Map<number, Socket>();
  const server = await startRawServer((socket, request) => {
    const [, item = ''] = /x-request-id: b~i(\d)\./i.exec(request) ?? [];
    posts.set(Number(item), socket);
    if (posts.size === 3) posts.get(1)?.end(task('t-1'));
  });
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false });
  const { environment, runId } = environmentOf();
  const told: object[] = [];
  environment.on('heartbeat', (notes: object) => {
    told.push({ ...notes });
    // Each is answered when the server knows of the one before.
    const next = Object.keys(notes).length + 1;
    if (next > 1) posts.get(next)?.end(task(`t-${next}`));
  });
  await environment.run(chunks.submitChunk, chunkOf(3, runId));
  const accepted = (taskId: string): object => ({ outcome: 'accepted', taskId });
  expect(told).toContainEqual({ 0: accepted('t-1') });
  expect(told).toContainEqual({ 0: accepted('t-1'), 1: accepted('t-2') });
  await api.close();
  await server.stop();
});

test('P2: what is known is told by a heartbeat of its own, and by every regular one after it', async () => {
  // No regular one comes by itself.
  let beatRegularly: () => void = () => undefined;
  jest.spyOn(globalThis, 'setInterval').mockImplementation((beat) => {
    beatRegularly = beat;
    return setTimeout(() => undefined);
  });
  const posts: Socket[] = [];
  const server = await startRawServer((socket) => {
    posts.push(socket);
    if (posts.length === 2) posts[0]?.end(task('t-1'));
  });
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false });
  const { environment, runId } = environmentOf();
  const told: object[] = [];
  environment.on('heartbeat', (notes: object | undefined) => {
    told.push(Object.values(notes ?? {}));
    if (told.length === 1) beatRegularly();
    else posts[1]?.end(task('t-2'));
  });
  await environment.run(chunks.submitChunk, chunkOf(2, runId));
  const known = [{ outcome: 'accepted', taskId: 't-1' }];
  expect(told).toEqual([known, known]);
  jest.restoreAllMocks();
  await api.close();
  await server.stop();
});

test('P1: the time for sending counts from before the server was asked, however long it took to answer', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
  const { environment, runId } = environmentOf(
    {},
    serverThat(async () => {
      clock.mockReturnValue(1_005_000);
      await Promise.resolve();
    }),
  );
  const send = async ({ mark, ...permit }: SendPermit) => {
    await mark(1);
    return permit;
  };
  const permit: unknown = await environment.run(() => sendOnce(runId, { checkScheduledTime: false }, send));
  jest.restoreAllMocks();
  // Of the 30 s that the activity has, 10 are for recording the outcome.
  expect(permit).toEqual({ timeoutMs: 20_000, sendBefore: 1_020_000 });
});

test.each([
  ['a second attempt', { attempt: 2 }, undefined],
  ['a run that was reset', {}, 'another run'],
])('P1: %s sends none of them', async (_name, info, otherRun) => {
  const server = await startRawServer((socket) => socket.end(task('t-1')));
  const api = testApi(server.url);
  const { chunks } = createActivities(api, { checkScheduledTime: false });
  const { environment, runId } = environmentOf(info);
  const outcomes: SubmitOutcome[] = await environment.run(chunks.submitChunk, chunkOf(3, otherRun ?? runId));
  expect(ended(outcomes)).toEqual(['unknown', 'unknown', 'unknown']);
  expect(server.received).toHaveLength(0);
  await api.close();
  await server.stop();
});

test('a poll asks after a bounded number of tasks at once, and after each of them once', async () => {
  const asked: string[] = [];
  const open: Socket[] = [];
  const atOnce: number[] = [];
  const answerAll = (): void => {
    atOnce.push(open.length);
    for (const socket of open.splice(0))
      socket.end(answer('200 OK', '{"status":"STARTED","info":null}', close));
  };
  const server = await startRawServer((socket, request) => {
    open.push(socket);
    asked.push(/^GET \/api\/v1\/tasks\/(\w+)/.exec(request)?.[1] ?? '');
    // None is answered before all that it may ask at once are there; were they more, they would come meanwhile.
    if (open.length === AT_ONCE || asked.length === TASKS) setTimeout(answerAll, 50);
  });
  const api = testApi(server.url);
  const { polls } = createActivities(api);
  const { environment } = environmentOf();
  const tasks = Array.from({ length: TASKS }, (_unused, item) => ({
    ...{ item, taskId: `t${item}`, requestId: `r.${item}` },
  }));
  const news: TasksNews = await environment.run(polls.pollTasks, { tasks });
  expect(atOnce).toEqual([20, 20, 20, 10]);
  expect(new Set(asked).size).toBe(TASKS);
  expect(asked).toHaveLength(TASKS);
  expect(news.known).toHaveLength(TASKS);
  await api.close();
  await server.stop();
});

test('P2: a poll tells whom it did not come to, since others gave no answer', async () => {
  const server = await startRawServer((socket, request) => {
    if (request.includes('/tasks/well'))
      socket.end(answer('200 OK', '{"status":"STARTED","info":null}', close));
  });
  const api = testApi(server.url);
  const { polls } = createActivities(api);
  // It asks for three seconds, and keeps the rest of its time for the answer.
  const { environment } = environmentOf({ startToCloseTimeoutMs: 8_000 });
  const silent = Array.from({ length: 20 }, (_unused, n) => `silent${n}`);
  const tasks = ['well1', ...silent, 'well2'].map((taskId, item) => ({
    item,
    taskId,
    requestId: `r.${item}`,
  }));
  const news: TasksNews = await environment.run(polls.pollTasks, { tasks });
  expect(news).toMatchObject({ over: [], missing: [], known: [0], notPolled: [21] });
  await api.close();
  await server.stop();
});

test('P2: a poll of many tells of each what there is, and fails for none', async () => {
  const large = JSON.stringify({ status: 'SUCCESS', info: { text: 'x'.repeat(3_000) } });
  const huge = JSON.stringify({ info: { text: 'x'.repeat(9 << 20) }, status: 'SUCCESS' });
  const answers: Record<string, string> = {
    done: answer('200 OK', '{"status":"SUCCESS","info":{"url":"u"}}', close),
    failed: answer('200 OK', '{"status":"FAILURE","info":{"errors":["no"]}}', close),
    running: answer('200 OK', '{"status":"STARTED","info":null}', close),
    gone: answer('404 Not Found', '{}', close),
    ill: answer('503 Service Unavailable', 'overloaded', close),
    large: answer('200 OK', large, close),
    huge: answer('200 OK', huge, close),
  };
  const server = await startRawServer((socket, request) => {
    const [, id = ''] = /^GET \/api\/v1\/tasks\/(\w+)/.exec(request) ?? [];
    socket.end(answers[id] ?? '');
  });
  const api = testApi(server.url);
  const { polls } = createActivities(api);
  const { environment } = environmentOf();
  const tasks = Object.keys(answers).map((taskId, item) => ({ item, taskId, requestId: `r.${item}` }));
  const news: TasksNews = await environment.run(polls.pollTasks, { tasks });
  expect(news).toMatchObject({ missing: [3], known: [2], trouble: expect.stringContaining('503') });
  expect([...news.over].sort((a, b) => a.item - b.item)).toMatchObject([
    { item: 0, status: 'SUCCESS', info: { url: 'u' } },
    { item: 1, status: 'FAILURE', info: { errors: ['no'] } },
    {
      item: 5,
      status: 'SUCCESS',
      info: { segue: 'too large to keep', fetch: 'segue get task large --json' },
    },
    {
      item: 6,
      status: 'SUCCESS',
      info: { segue: 'too large to keep', bytes: (9 << 20) + 11, fetch: 'segue get task huge --json' },
    },
  ]);
  await api.close();
  await server.stop();
});
