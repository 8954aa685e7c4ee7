/** P2: a task id that a worker learns after the server gave its activity up. */
import { randomUUID } from 'node:crypto';
import { type Socket } from 'node:net';
import path from 'node:path';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, type LogEntry, Worker } from '@temporalio/worker';
import { freePort } from '@segue/devserver';
import { startDevServer } from '../../support/servers/devServer';
import { createActivities } from '../../../src/activities';
import { retryTemporalCall } from '../../../src/activities/atMostOnce/server';
import { signalLateAnswer } from '../../../src/activities/atMostOnce/lateAnswer';
import { stateQuery } from '../../../src/contract';
import { testApi } from '../../support/service/api';
import { eventually } from '../../support/eventually';
import { recordingMeter } from '../../support/servers/meter';
import { answer, startRawServer } from '../../support/service/rawServer';
import { shared } from '../../support/jest/shared';
import { connectTo, type TestTemporal, useTemporal } from '../../support/servers/temporal';
import { type LateInput } from './lateAnswer.workflow';
import { activityEnvironment } from '../../support/servers/log';

const ACCEPTED = answer('202 Accepted', '{"task_id":"t-late"}', ['connection: close']);

const temporal = useTemporal();
let workflowBundle: { code: string };

beforeAll(async () => {
  workflowBundle = await bundleWorkflowCode({
    workflowsPath: path.join(__dirname, 'lateAnswer.workflow.ts'),
    logger: new DefaultLogger('ERROR'),
  });
});

/** Runs `work` with a started run whose POST is on the wire, and gives the run's end. */
async function submitting(
  own: TestTemporal,
  input: Omit<LateInput, 'key'>,
  work: (started: { workflowId: string; runId: string; post: Socket }) => Promise<unknown>,
): Promise<unknown> {
  const posts: Socket[] = [];
  const server = await startRawServer((socket) => posts.push(socket));
  const api = testApi(server.url);
  const taskQueue = `test-${randomUUID()}`;
  const worker = await Worker.create({
    connection: own.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: createActivities(api).submits,
    maxHeartbeatThrottleInterval: 100,
    shutdownGraceTime: '1m',
  });
  const result = await worker.runUntil(async () => {
    const workflowId = `late-${randomUUID()}`;
    const args = [{ key: 'k', ...input }];
    const handle = await own.client.workflow.start('lateAnswer', { workflowId, taskQueue, args });
    const post = await eventually('the POST', () => posts[0]);
    return work({ workflowId, runId: handle.firstExecutionRunId, post });
  });
  expect(posts).toHaveLength(1);
  await api.close();
  await server.stop();
  return result;
}

/** Ends the activity on the server, as a timeout does; its worker still waits for the answer. */
async function giveUp(workflowId: string): Promise<void> {
  const { raw } = await temporal.client.workflow.getHandle(workflowId).describe();
  const activityId = raw.pendingActivities?.[0]?.activityId ?? 'no pending activity';
  await temporal.client.activity.fail({ workflowId, activityId }, new Error('given up'));
}

test('an answer in time is the result of the activity', async () => {
  const result = await submitting(temporal, { then: 'wait' }, ({ workflowId, post }) => {
    post.end(ACCEPTED);
    return temporal.client.workflow.getHandle(workflowId).result();
  });
  expect(result).toEqual({ taskId: 't-late' });
});

test.each(['wait', 'continue'] as const)('a late answer reaches the run by signal: %s', async (then) => {
  let firstRun = '';
  const result = await submitting(temporal, { then }, async ({ workflowId, runId, post }) => {
    firstRun = runId;
    const handle = temporal.client.workflow.getHandle(workflowId);
    await giveUp(workflowId);
    await eventually('the hold', async () => (await handle.query(stateQuery)).stage === 'held');
    post.end(ACCEPTED);
    return handle.result();
  });
  expect(result).toEqual({ hold: `${firstRun}/3`, taskId: 't-late' });
});

test('a run that is over cannot be told: the worker goes on', async () => {
  const result = await submitting(temporal, { then: 'end' }, async ({ workflowId, post }) => {
    await giveUp(workflowId);
    const ended: unknown = await temporal.client.workflow.getHandle(workflowId).result();
    post.end(ACCEPTED);
    return ended;
  });
  expect(result).toBeNull();
});

test('what could not be told is logged with key and task id, and counted', async () => {
  const logged: LogEntry[] = [];
  const metricMeter = recordingMeter();
  const environment = activityEnvironment(
    { workflowExecution: { workflowId: `none-${randomUUID()}`, runId: 'r' } },
    {
      client: temporal.client,
      logger: new DefaultLogger('ERROR', (entry) => logged.push(entry)),
      metricMeter,
    },
  );
  await environment.run(signalLateAnswer, 'spring', 2, 't-late');
  expect(logged).toMatchObject([
    {
      message: expect.stringContaining('adopt the task with `segue resolve`'),
      meta: { key: 'spring', hold: 'r/2', taskId: 't-late' },
    },
  ]);
  expect(metricMeter.recorded).toEqual([expect.stringMatching(/^segue_late_answers\{.*told="false"\} 1$/)]);
});

test('Temporal is asked until it answers', async () => {
  let asked = 0;
  const ask = (): Promise<number> =>
    ++asked < 2 ? Promise.reject(new Error('away')) : Promise.resolve(asked);
  const environment = activityEnvironment();
  expect(await environment.run(() => retryTemporalCall(temporal.client, 60_000, ask))).toBe(2);
});

test.each([
  ['was called back', new ActivityCancelledError('cancelled')],
  ['is gone', new ActivityNotFoundError('no such activity')],
])('an error that the attempt %s is an answer: Temporal is not asked again', async (_what, told) => {
  let asked = 0;
  const ask = (): Promise<never> => {
    asked += 1;
    return Promise.reject(told);
  };
  const environment = activityEnvironment();
  await expect(environment.run(() => retryTemporalCall(temporal.client, 1_500, ask))).rejects.toBe(told);
  expect(asked).toBe(1);
});

test('a Temporal server that is away while the answer comes hears of it when it is back', async () => {
  const port = await freePort();
  const db = path.join(shared().scratch, `late-${randomUUID()}.db`);
  const start = () => startDevServer(shared().temporalBinary, { uiPort: false, port, db });
  let server = await start();
  const own = await connectTo(server.address);
  const result = await submitting(own, { then: 'wait' }, async ({ workflowId, post }) => {
    await server.stop();
    post.end(ACCEPTED);
    server = await start();
    return own.client.workflow.getHandle(workflowId).result();
  });
  // By result or by signal: whichever the server was ready for.
  expect(result).toMatchObject({ taskId: 't-late' });
  await own.close();
  await server.stop();
});
