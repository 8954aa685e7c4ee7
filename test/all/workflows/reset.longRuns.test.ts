/**
 * Runs that are reset, or answered late, and then continue as new: nothing tells the new run of it but what it carries.
 */
import { randomUUID } from 'node:crypto';
import { type DevServer } from '@segue/devserver';
import { startDevServer } from '../../support/servers/devServer';
import { type JobState } from '../../../src/client/jobs/job';
import { pollNowUpdate } from '../../../src/contract';
import { eventually } from '../../support/eventually';
import { tasksOf } from '../../support/builders/jobs';
import { answeredWhileContinuing } from '../../support/builders/lateWhileContinuing';
import { patientPosts } from '../../support/servers/patientPosts';
import { resetRun } from '../../support/servers/reset';
import { seedTranscription } from '../../support/service/records';
import { addFault, readLedger, startSandbox } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import {
  connectTo,
  segueClient,
  testConfig,
  type TestTemporal,
  withWorker,
} from '../../support/servers/temporal';

/** Events. */
const LONG = 40;

let server: DevServer;
let temporal: TestTemporal;

beforeAll(async () => {
  server = await startDevServer(shared().temporalBinary, {
    uiPort: false,
    dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': LONG },
  });
  temporal = await connectTo(server.address);
});

afterAll(async () => {
  await temporal.close();
  await server.stop();
});

/** Takes a run back to its nth workflow task, and gives the run that goes on from there. */
async function resetTo(n: number, { workflowId, runId }: { workflowId: string; runId: string }) {
  const { events = [] } = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  return resetRun(temporal, { workflowId, runId }, { workflowTaskFinishEventId: tasks[n - 1]?.eventId });
}

const notify = { userId: '1', workspaceId: '1' };

type Segue = ReturnType<typeof segueClient>;

test.concurrent.each([
  [
    'transcript',
    async ({ transcripts }: Segue, sandboxUrl: string) =>
      transcripts.start({
        transcriptionId: await seedTranscription(sandboxUrl, { pace: 'webhook' }),
        notify,
      }),
    1,
  ],
  [
    'media job',
    ({ media }: Segue, sandboxUrl: string) =>
      media.start({
        key: `reset-${randomUUID()}`,
        tool: 'remove-background',
        request: { image_url: `${sandboxUrl}/samples/mug.png` },
        notify,
      }),
    // After the mark of its submission, and after its outcome.
    3,
  ],
])('P4: a %s that was reset and continued as new tells nobody a second time', async (_kind, start, task) => {
  const sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
  const config = testConfig({ poll: { min: '200ms', max: '200ms', deadline: '20s', giveUp: '7d' } });
  const operator = { userId: 'op', workspaceId: '1' };
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const job = await start(segueClient(temporal, config), sandbox.url);
      const run = temporal.client.workflow.getHandle(job.workflowId);
      const isOverdue = async (): Promise<boolean> =>
        ((await job.state()) as JobState | undefined)?.stage === 'overdue';
      await eventually('the deadline', isOverdue);
      await eventually(
        'both alarms',
        async () => (await readLedger(sandbox.url)).summary.notifications === 2,
      );

      // The job's first run is reset: the reset run continues as new in 2 s, long before the deadline comes again.
      const reset = await resetTo(task, job);
      await eventually('a run that continues it', async () => (await run.describe()).runId !== reset);
      expect(await isOverdue()).toBe(false);
      await eventually('the deadline once more', isOverdue);
      await job.resolve({ action: 'abandon', by: 'a test', reason: 'seen' });
      expect(await job.wait()).toMatchObject({ status: 'abandoned' });
    },
    { operator },
  );
  // The end was never told, but the run cannot know that.
  expect((await readLedger(sandbox.url)).summary).toMatchObject({
    notifications: 2,
    duplicateNotifications: 0,
  });
  await sandbox.stop();
});

test('a question that a reset asks again does not keep the run from continuing as new', async () => {
  const sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
  const config = testConfig({
    poll: { min: '1h', max: '1h', deadline: '1h', giveUp: '7d' },
    submit: { timeout: '1s', authGrace: '1h' },
  });
  const resetAndResubmit = async (): Promise<void> => {
    const job = await segueClient(temporal, config).media.start({
      key: `reset-${randomUUID()}`,
      tool: 'remove-background',
      request: { image_url: `${sandbox.url}/samples/mug.png` },
    });
    const run = temporal.client.workflow.getHandle(job.workflowId);
    await eventually('a poll to wait for', async () => (await job.state())?.stage === 'polling');
    await run.executeUpdate(pollNowUpdate, { args: [{}], updateId: 'now' });

    // To before its submission: it is held, and the question comes where nobody polls.
    const reset = await resetTo(1, job);
    await eventually('the hold', async () => (await job.state())?.stage === 'held');
    const { events } = await temporal.client.workflow.getHandle(job.workflowId, reset).fetchHistory();
    expect(events?.some((event) => event.workflowExecutionUpdateAdmittedEventAttributes)).toBe(true);

    // A person submits it once more, and the service has no room: the run tries until its history is long.
    await addFault(sandbox.url, {
      operation: 'remove-background',
      match: { every: 1 },
      ...{ fault: 'status', status: 429, when: 'before' },
    });
    const decision = { action: 'resubmit', by: 'a test', reason: 'not there' } as const;
    await eventually('that it can be decided', () => job.resolve(decision));
    await eventually('a run that continues it', async () => (await run.describe()).runId !== reset);
    await run.terminate();
  };
  await withWorker(temporal, config, sandbox.url, resetAndResubmit, { worker: patientPosts() });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  await sandbox.stop();
});

test('P1: a late answer that comes while a run continues as new is followed, and nothing more is sent', async () => {
  const sandbox = await startSandbox({ pace: { kind: 'instant' } });
  const job = await answeredWhileContinuing(temporal, sandbox.url, LONG);
  const { runId } = await temporal.client.workflow.getHandle(job.workflowId).describe();
  expect(runId).not.toBe(job.runId);
  const tasks = await tasksOf(sandbox.url, job.key);
  expect(await job.report()).toMatchObject({ status: 'succeeded', taskId: tasks[0] });
  const { entries, summary } = await readLedger(sandbox.url);
  // A POST after the late answer would be accepted and counted.
  expect(summary).toMatchObject({ submissions: 1, duplicates: 0 });
  expect(entries.map(({ fault }) => fault)).toContain('status before');
  await sandbox.stop();
});
