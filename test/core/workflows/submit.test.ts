/** P1 where Temporal or a person would repeat a submission, and P2 where one would lose it. */
import { createHash, randomUUID } from 'node:crypto';
import { type Socket } from 'node:net';
import { startDevServer } from '../../support/servers/devServer';
import { acceptedSignal } from '../../../src/contract';
import { KeyReused } from '../../../src/errors';
import { mediaWorkflowId } from '../../../src/contract/ids';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { eventually } from '../../support/eventually';
import { answer, type RawServer, startRawServer } from '../../support/service/rawServer';
import { OWN_START, tasksOf, untilEnded } from '../../support/builders/jobs';
import { resetRun } from '../../support/servers/reset';
import { addFault, readLedger, startSandbox } from '../../support/service/sandbox';
import { SegueProcess } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { connectTo, segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();

const ACCEPTED = answer('202 Accepted', '{"task_id":"t-1"}', ['connection: close']);
const DONE = answer('200 OK', '{"status":"SUCCESS","info":{"ok":true}}', ['connection: close']);

function job() {
  return {
    key: `job-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: 'https://example.com/a.png' },
  };
}

/** A service whose POSTs wait for the test to answer them; polls tell of success. */
async function startSlowService(): Promise<{ server: RawServer; posts: Socket[] }> {
  const posts: Socket[] = [];
  const server = await startRawServer((socket, request) => {
    if (request.startsWith('POST')) posts.push(socket);
    else socket.end(DONE);
  });
  return { server, posts };
}

test('P1: a workflow reset to before the submit holds the run instead', async () => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 1_000 } });
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const spec = { ...job(), request: { image_url: `${sandbox.url}/samples/shoe.png` } };
    const started = await segueClient(temporal, config).media.start(spec);
    await eventually('the submission', async () => (await started.state())?.stage === 'polling');
    const { workflowId, runId } = started;
    await resetRun(temporal, { workflowId, runId }, { workflowTaskFinishEventId: 3 as never });
    const state = await eventually('the outcome', async () => {
      const now = await started.state();
      return now?.attempts.some(({ outcome }) => outcome !== 'pending') ? now : undefined;
    });
    expect(state).toMatchObject({
      stage: 'held',
      attempts: [{ outcome: 'unknown', reason: expect.stringContaining('was reset') }],
    });
    await temporal.client.workflow.getHandle(started.workflowId).terminate();
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  await sandbox.stop();
});

describe('P1 P2: a submission that is on its way', () => {
  test('SIGTERM of the worker waits for it, and another worker goes on', async () => {
    const { server, posts } = await startSlowService();
    const config = testConfig({ submit: { timeout: '30s', authGrace: '1h' } });
    const settings = {
      TEMPORAL_ADDRESS: temporal.address,
      SEGUE_TASK_QUEUE: config.taskQueue,
      SEGUE_API_URL: server.url,
      SEGUE_API_KEY: SANDBOX_KEY,
    };
    const worker = new SegueProcess(['worker'], settings);
    await worker.line(/ready/);
    const started = await segueClient(temporal, config).media.start(job());
    await eventually('the POST', () => posts.length === 1);
    const ended = worker.end('SIGTERM');
    await eventually('the drain', () => worker.stderr.join().includes('draining'));
    posts[0]?.end(ACCEPTED);
    expect(await ended).toMatchObject({ code: 0 });
    await withWorker(temporal, config, server.url, async () => {
      expect(await started.wait()).toMatchObject({ status: 'succeeded', taskId: 't-1' });
    });
    expect(posts).toHaveLength(1);
    await server.stop();
  });

  test.each([
    ['accepted', 'cancelled', 't-1', (socket: Socket) => socket.end(ACCEPTED)],
    ['unknown', 'held', null, (socket: Socket) => socket.resetAndDestroy()],
  ])('cancelled, then %s: the run is %s', async (_outcome, status, taskId, react) => {
    const { server, posts } = await startSlowService();
    const config = testConfig();
    await withWorker(temporal, config, server.url, async () => {
      const started = await segueClient(temporal, config).media.start(job());
      const handle = temporal.client.workflow.getHandle(started.workflowId);
      await eventually('the POST', () => posts.length === 1);
      await handle.cancel();
      await eventually('the cancellation', async () => {
        const { events } = await handle.fetchHistory();
        return events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes);
      });
      posts.forEach(react);
      expect(await started.wait()).toMatchObject({ status, taskId });
      if (status === 'held') await handle.terminate();
    });
    expect(posts).toHaveLength(1);
    await server.stop();
  });
});

describe('P2: results, inputs and histories that are too large', () => {
  test('an info over 256 KiB is kept as size, digest and how to fetch it', async () => {
    const info = { pixels: 'x'.repeat(3_000_000) };
    const server = await startRawServer((socket, request) => {
      const isPost = request.startsWith('POST');
      socket.end(isPost ? ACCEPTED : answer('200 OK', JSON.stringify({ status: 'SUCCESS', info })));
    });
    const config = testConfig();
    await withWorker(temporal, config, server.url, async () => {
      const report = await segueClient(temporal, config).media.run(job());
      expect(report).toMatchObject({ status: 'succeeded', taskId: 't-1' });
      expect(report.info).toEqual({
        segue: 'too large to keep',
        bytes: Buffer.byteLength(JSON.stringify(info)),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        fetch: 'segue get task t-1 --json',
      });
    });
    await server.stop();
  });

  test.each([
    ['before', (info: object) => ({ status: 'SUCCESS', info })],
    ['after', (info: object) => ({ info, status: 'SUCCESS' })],
  ])('an answer over 8 MiB, with its status %s the info, is kept as its digest', async (_order, taskOf) => {
    const info = { pixels: 'x'.repeat(9 << 20) };
    const server = await startRawServer((socket, request) => {
      const isPost = request.startsWith('POST');
      socket.end(isPost ? ACCEPTED : answer('200 OK', JSON.stringify(taskOf(info)), ['connection: close']));
    });
    const config = testConfig();
    await withWorker(temporal, config, server.url, async () => {
      const report = await segueClient(temporal, config).media.run(job());
      expect(report).toMatchObject({ status: 'succeeded', taskId: 't-1' });
      expect(report.info).toEqual({
        segue: 'too large to keep',
        bytes: Buffer.byteLength(JSON.stringify(info)),
        sha256: createHash('sha256').update(JSON.stringify(info)).digest('hex'),
        fetch: 'segue get task t-1 --json',
      });
    });
    await server.stop();
  });

  test('the history keeps the info of the last poll alone', async () => {
    let polls = 0;
    const server = await startRawServer((socket, request) => {
      const status = ++polls > 3 ? 'SUCCESS' : 'STARTED';
      const isPost = request.startsWith('POST');
      const task = JSON.stringify({ status, info: { progress: polls } });
      socket.end(isPost ? ACCEPTED : answer('200 OK', task, ['connection: close']));
    });
    const config = testConfig();
    await withWorker(temporal, config, server.url, async () => {
      const { workflowId, info } = await segueClient(temporal, config).media.run(job());
      expect(info).toEqual({ progress: 4 });
      const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
      const answers = (events ?? []).flatMap(({ activityTaskCompletedEventAttributes: completed }) =>
        completed
          ? [JSON.parse(Buffer.from(completed.result?.payloads?.[0]?.data ?? '').toString()) as object]
          : [],
      );
      expect(answers.filter((told) => 'status' in told)).toEqual([
        { status: 'STARTED' },
        { status: 'STARTED' },
        { status: 'SUCCESS', info: { progress: 4 } },
      ]);
    });
    await server.stop();
  });

  test('bad input ends the run at once, and says what is wrong', async () => {
    const whole = { key: 'K', tool: 't', request: {} };
    const cases: [unknown, string][] = [
      [undefined, 'must be an object'],
      [null, 'must be an object'],
      [{ key: 'K', tool: 't' }, 'request: is required'],
      [
        { ...whole, poll: { min: '0s' } },
        'poll.min: must be a number with a unit, like 50ms, 15s, 10m, 1h or 7d, from 50ms',
      ],
      [{ ...whole, poll: { max: '99999d' } }, 'poll.max: must be'],
      [{ ...whole, scope: { organization: 42 } }, 'scope.organization: must be a text'],
      [{ ...whole, submit: { timeout: 60 } }, 'submit.timeout: must be'],
      [{ ...whole, held: { attempts: [{ n: 1, at: 'yesterday' }] } }, 'held.attempts.0.at: must be a date'],
      [
        { ...whole, held: { attempts: [{ n: 1, at: '2026-01-01', taskId: 5 }] } },
        'held.attempts.0.taskId: must be',
      ],
      [
        { ...whole, held: { attempts: [{ n: 1, at: '2026-01-01', reason: {} }] } },
        'held.attempts.0.reason: must be',
      ],
      [{ ...whole, held: { attempts: [{ n: 1, at: '+275760-09-13' }] } }, 'held.attempts.0.at: must be'],
    ];
    const config = testConfig();
    await withWorker(temporal, config, 'http://127.0.0.1:1', async () => {
      for (const [input, problem] of cases) {
        const running = temporal.client.workflow.execute('media', {
          memo: OWN_START,
          workflowId: `media/${randomUUID()}`,
          taskQueue: config.taskQueue,
          args: input === undefined ? [] : [input],
        });
        await expect(running).rejects.toMatchObject({
          cause: { type: 'BadInput', message: expect.stringContaining(problem) },
        });
      }
    });
  });

  test('P1 P2: a long run continues as new: one POST, no poll forgotten', async () => {
    const server = await startDevServer(shared().temporalBinary, {
      uiPort: false,
      dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 60 },
    });
    const own = await connectTo(server.address);
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 40 } });
    const config = testConfig();
    await withWorker(own, config, sandbox.url, async () => {
      const spec = { ...job(), request: { image_url: `${sandbox.url}/samples/shoe.png` } };
      const started = await segueClient(own, config).media.start(spec);
      expect(await started.wait()).toMatchObject({ status: 'succeeded' });
      const result: unknown = await own.client.workflow.getHandle(started.workflowId).result();
      const { runId } = await own.client.workflow.getHandle(started.workflowId).describe();
      expect(result).toMatchObject({ polls: 40, submittedAt: expect.any(String) });
      expect(runId).not.toBe(started.runId);
      expect(await segueClient(own, config).media.run(spec)).toMatchObject({
        status: 'succeeded',
        existing: true,
      });
    });
    const { summary, entries } = await readLedger(sandbox.url);
    expect(summary).toMatchObject({ submissions: 1, duplicates: 0 });
    expect(entries.filter(({ kind }) => kind === 'read')).toHaveLength(40);
    await own.close();
    await sandbox.stop();
    await server.stop();
  });
});

test('P2: a decision that is taken while a long run waits to continue as new is not lost', async () => {
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 10 };
  const server = await startDevServer(shared().temporalBinary, { uiPort: false, dynamicConfig });
  const own = await connectTo(server.address);
  const sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
  const once = { match: { nth: 1 } };
  await addFault(sandbox.url, { operation: 'remove-background', ...once, fault: 'reset', when: 'after' });
  // An adoption waits as long as the service asks for, up to 45 s, and the run waits for it before it continues as new.
  const tooMany = { fault: 'status', status: 429, ms: 30_000, when: 'before' } as const;
  await addFault(sandbox.url, { operation: 'get-task', ...once, ...tooMany });
  const config = testConfig({ poll: { min: '50ms', max: '50ms', deadline: '0s', giveUp: '7d' } });
  await withWorker(own, config, sandbox.url, async () => {
    const spec = { ...job(), request: { image_url: `${sandbox.url}/samples/shoe.png` } };
    const long = await segueClient(own, config).media.start(spec);
    const [taskId = ''] = await eventually('the hold', async () =>
      (await long.state())?.stage === 'held' ? tasksOf(sandbox.url, spec.key) : undefined,
    );
    const somebody = { by: 'Olga', reason: 'a test' };
    const adopting = long.resolve({ ...somebody, action: 'adopt', taskId });
    const run = own.client.workflow.getHandle(long.workflowId, long.runId);
    const asking = await eventually('the pause', async () => {
      const { raw } = await run.describe();
      return raw.pendingActivities?.find(
        ({ activityType, attempt }) => activityType?.name === 'getTask' && attempt === 2,
      );
    });
    await run.signal(acceptedSignal, { hold: `${long.runId}/1`, taskId });
    await eventually('the deadline', async () => (await long.state())?.stage === 'overdue');
    await eventually('that it waits to continue as new', async () => {
      await long.pollNow().catch(() => undefined);
      return (await long.state())?.nextPollAt === null;
    });
    expect(await long.resolve({ ...somebody, action: 'abandon' })).toMatchObject({ applied: true });
    const { workflowId, runId } = long;
    await own.client.workflowService.resetActivity({
      ...{ namespace: 'default', execution: { workflowId, runId }, id: asking.activityId },
    });
    expect(await adopting).toMatchObject({ applied: false });
    const { status } = await untilEnded(run);
    expect(status.name).toBe('FAILED');
    expect(await long.report()).toMatchObject({ status: 'abandoned' });
  });
  await own.close();
  await sandbox.stop();
  await server.stop();
});

test('a run that another language started is compared by its input', async () => {
  const config = testConfig();
  const spec = job();
  const { media } = segueClient(temporal, config);
  const workflowId = mediaWorkflowId(spec.key);
  const args = [{ ...spec, scope: {}, poll: { min: '1s', max: '1s' } }];
  await temporal.client.workflow.start('media', {
    memo: OWN_START,
    workflowId,
    taskQueue: config.taskQueue,
    args,
  });
  expect(await media.start(spec)).toMatchObject({ existing: true });
  const other = { ...spec, request: { image_url: 'https://example.com/b.png' } };
  await expect(media.start(other)).rejects.toThrow(KeyReused);
  await temporal.client.workflow.getHandle(workflowId).terminate();
});
