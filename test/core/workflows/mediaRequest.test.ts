/** Starts that are not Segue's own: other languages, the `temporal` command and the UI, with their default policies. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { jobNewsSignal } from '../../../src/contract';
import { newKey, untilEnded } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { resetRun } from '../../support/servers/reset';
import { useCommandLine } from '../../support/servers/commandLine';
import { segueClient } from '../../support/servers/temporal';
import { addFault, answering, readLedger } from '../../support/service/sandbox';

const line = useCommandLine({ pace: { kind: 'instant' } });
const { temporal, sandbox, config } = line;

function spec(more: object = {}) {
  const request = { image_url: `${sandbox.url}/samples/shoe.png` };
  return { key: newKey(), tool: 'remove-background', request, poll: config.poll, ...more };
}

async function postsOf(key: string): Promise<number> {
  const { entries } = await readLedger(sandbox.url);
  return entries.filter(({ kind, requestId }) => kind === 'submit' && requestId?.startsWith(`${key}.`))
    .length;
}

/** With the defaults of every SDK: a closed id may be used again. */
function start(workflow: string, workflowId: string, input: object) {
  const { taskQueue } = config;
  return temporal.client.workflow.start(workflow, { workflowId, taskQueue, args: [input] });
}

function request(input: object, workflowId = `request-${randomUUID()}`): Promise<unknown> {
  return start('mediaRequest', workflowId, input).then((handle) => handle.result());
}

async function temporalCommand(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(shared().temporalBinary, [
    ...args,
    ...['--address', temporal.address, '--output', 'json'],
  ]);
  return stdout;
}

test('P1: a plain start of a job submits nothing, whether its key is new or closed, and names what to start', async () => {
  const closed = spec();
  await segueClient(temporal, config).media.run(closed);
  const fresh = spec();
  for (const input of [closed, fresh]) {
    const handle = await start('media', `media/${input.key}`, input);
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: 'UnsafeStart', message: expect.stringContaining('start the workflow mediaRequest') },
    });
  }
  expect(await postsOf(closed.key)).toBe(1);
  expect(await postsOf(fresh.key)).toBe(0);
});

test('P1: after a refused plain start the client still finds the earlier job and does not repeat it', async () => {
  const [closed, fresh] = [spec(), spec()];
  const { media } = segueClient(temporal, config);
  const first = await media.run(closed);
  for (const input of [closed, fresh])
    await expect((await start('media', `media/${input.key}`, input)).result()).rejects.toThrow();
  // The list lags behind by a moment.
  await eventually(
    'the job',
    async () => (await (await media.get(closed.key)).report()).status === 'succeeded',
  );
  expect(await media.run(closed)).toMatchObject({ status: 'succeeded', taskId: first.taskId });
  expect(await request(closed)).toMatchObject({ taskId: first.taskId });
  for (const { key } of [closed, fresh])
    await expect(media.retry(key)).rejects.toMatchObject({ name: 'NotRepeated' });
  expect(await postsOf(closed.key)).toBe(1);
  expect(await postsOf(fresh.key)).toBe(0);
});

test('P1: a job that was requested with null for absent members is the same job without them', async () => {
  const input = spec();
  const { media } = segueClient(temporal, config);
  const first = await request({ ...input, write: null, notify: null, taskId: null });
  expect(await media.run(input)).toMatchObject({ taskId: (first as { taskId: string }).taskId });
  await expect(media.retry(input)).rejects.toMatchObject({ name: 'NotRepeated' });
  expect(await postsOf(input.key)).toBe(1);
});

test('P1: retry of a reset and cancelled job is refused', async () => {
  const input = spec();
  await addFault(sandbox.url, {
    ...answering(401, 'remove-background'),
    match: { requestId: `${input.key}.submit.1` },
  });
  const { media } = segueClient(temporal, config);
  const denied = await media.start(input);
  await eventually('the denial', async () => (await denied.state())?.stage === 'waiting');
  const handle = temporal.client.workflow.getHandle(denied.workflowId);
  const { events } = await handle.fetchHistory();
  const completed = events?.findLast((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
  await resetRun(temporal, { workflowId: denied.workflowId }, { workflowTaskFinishEventId: completed });
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow();
  await expect(media.retry(input.key)).rejects.toThrow('the service may have accepted it');
  expect(await postsOf(input.key)).toBe(1);
});

test('P1: the `temporal` command: a plain start fails, and requests give one job its one end', async () => {
  const input = spec();
  const asJson = ['--input', JSON.stringify(input), '--task-queue', config.taskQueue];
  const execute = (type: string, id: string) =>
    temporalCommand('workflow', 'execute', '--type', type, '--workflow-id', id, ...asJson);
  const first = await execute('mediaRequest', `first-${input.key}`);
  const second = await execute('mediaRequest', `second-${input.key}`);
  // The id of a closed request once more.
  const third = await execute('mediaRequest', `first-${input.key}`);
  const results = [first, second, third].map((output) => (JSON.parse(output) as { result: object }).result);
  expect(results[0]).toMatchObject({ key: input.key, status: 'succeeded' });
  expect(results.slice(1)).toEqual([results[0], results[0]]);
  await expect(execute('media', `media/${input.key}`)).rejects.toMatchObject({
    stdout: expect.stringContaining('UnsafeStart'),
  });
  expect(await postsOf(input.key)).toBe(1);
});

test('P1: requests at the same moment, and one after the client, attach to one job', async () => {
  const input = spec();
  const [one, another] = await Promise.all([request(input), request(input)]);
  expect(another).toEqual(one);
  expect(await segueClient(temporal, config).media.run(input)).toMatchObject({
    existing: true,
    status: 'succeeded',
  });
  expect(await postsOf(input.key)).toBe(1);
});

test('P2: a request of a held job waits for the decision, and a request of a failed one fails in the same words', async () => {
  const input = spec();
  await addFault(sandbox.url, {
    ...answering(503, 'remove-background'),
    match: { requestId: `${input.key}.submit.1` },
  });
  const waiting = request(input);
  const job = await eventually('the hold', async () => {
    const found = await segueClient(temporal, config).media.get(input.key);
    return (await found.state())?.stage === 'held' && found;
  });
  await job.resolve({ action: 'abandon', by: 'Olga', reason: 'not needed' });
  const abandoned = { cause: { type: 'Abandoned', message: expect.stringContaining('not needed') } };
  await expect(waiting).rejects.toMatchObject(abandoned);
  await expect(request(input)).rejects.toMatchObject(abandoned);
  expect(await postsOf(input.key)).toBe(1);
});

test('P2: a request whose job was deleted ends, and says so', async () => {
  const input = spec();
  await addFault(sandbox.url, {
    ...answering(503, 'remove-background'),
    match: { requestId: `${input.key}.submit.1` },
  });
  const waiting = await start('mediaRequest', `request-${input.key}`, input);
  const job = await eventually('the hold', async () => {
    const found = await segueClient(temporal, config).media.get(input.key);
    return (await found.state())?.stage === 'held' && found;
  });
  const { workflowId } = job;
  await temporal.client.workflowService.deleteWorkflowExecution({
    ...{ namespace: 'default', workflowExecution: { workflowId } },
  });
  await eventually('its deletion', () =>
    job.report().then(
      () => false,
      () => true,
    ),
  );
  await waiting.signal(jobNewsSignal, { workflowId, stage: 'abandoned', taskId: null });
  await untilEnded(waiting);
  await expect(waiting.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('no longer has') },
  });
});

test('an invalid mediaRequest fails with all problems and leaves its key free; another request under a used key is refused', async () => {
  const key = newKey();
  const bad: [object, RegExp][] = [
    [{ key, tool: 5, request: 5, scope: null }, /tool: must be a text.*request: must be an object/],
    [
      spec({ key, poll: { min: 7 }, submit: { timeout: 60 } }),
      /poll\.min: must be a number with a unit.*submit\.timeout: must be/,
    ],
    [spec({ key, tool: 'no-such-tool' }), /no-such-tool/],
    [spec({ key: 'a/b' }), /key: /],
    [{}, /tool: is required/],
    [[], /must be an object/],
  ];
  for (const [input, problems] of bad)
    await expect(request(input)).rejects.toMatchObject({
      cause: { type: 'BadInput', message: expect.stringMatching(problems) },
    });
  const good = spec({ key });
  expect(await request(good)).toMatchObject({ key, status: 'succeeded' });
  const other = { ...good, request: { image_url: `${sandbox.url}/samples/mug.png` } };
  await expect(request(other)).rejects.toMatchObject({
    cause: { type: 'BadInput', message: expect.stringContaining('asks for something else') },
  });
  expect(await postsOf(key)).toBe(1);
});
