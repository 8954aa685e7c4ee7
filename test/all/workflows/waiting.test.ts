/**
 * Tasks that are late, and people who do not want to wait. They run side by side, each with a service and a worker of its
 * own.
 */
import { type MediaJob } from '../../../src/client/jobs/job';
import { type StarterConfig } from '../../../src/config';
import { pollNowUpdate } from '../../../src/contract';
import { NoAnswer } from '../../../src/errors';
import { eventually } from '../../support/eventually';
import { resetRun } from '../../support/servers/reset';
import { addFault, answering, ask, faultHits, readLedger, withSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

import { waitingJob } from '../../support/builders/waitingJob';
import { sendUpdate } from '../../../src/client/run';

const temporal = useTemporal();

const INSTANT = { pace: { kind: 'instant' } } as const;
/** Not over at the first poll, which finds it overdue. */
const LATE = { pace: { kind: 'polls', polls: 3 } } as const;
const soonOverdue = () => testConfig({ poll: { min: '50ms', max: '100ms', deadline: '0ms', giveUp: '7d' } });
const hourly = () => testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });

function start(config: StarterConfig, sandboxUrl: string): Promise<MediaJob> {
  const notify = { userId: 'u', workspaceId: '1' };
  return segueClient(temporal, config).media.start(waitingJob(sandboxUrl, { notify }));
}

async function untilOverdue(late: MediaJob) {
  return eventually('the deadline', async () => {
    const state = await late.state();
    return state?.stage === 'overdue' ? state : undefined;
  });
}

test.concurrent('P2: an overdue job says so once, and ends well when the service does', () =>
  withSandbox(LATE, async (sandboxUrl) => {
    const config = soonOverdue();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const late = await start(config, sandboxUrl);
      const state = await untilOverdue(late);
      expect(state.hold).toMatchObject({ why: 'overdue', actions: ['abandon'] });
      // Slower now: only who asks hears sooner.
      while ((await late.pollNow()).stage === 'overdue');
      expect(await late.wait()).toMatchObject({ status: 'succeeded' });
    });
    const { json } = await ask(sandboxUrl, 'GET /_sandbox/notifications');
    expect(json.notifications).toMatchObject([
      {
        request: { category: 'agentNeedsInput', _extra: { event_type: expect.stringContaining('overdue') } },
      },
      { request: { category: 'agentTaskCompleted' } },
    ]);
  }),
);

test.concurrent('a job whose polls meet errors says so when it is overdue', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    await addFault(sandboxUrl, answering(401, 'get-task'));
    const config = soonOverdue();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const late = await start(config, sandboxUrl);
      const { hold } = await untilOverdue(late);
      // Who reads it in a list or in the alarm is not sent to look for a task that takes long.
      expect(hold?.reason).toMatch(/is not over after 0ms; the last poll failed: .*401/);
      const handle = temporal.client.workflow.getHandle(late.workflowId);
      expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
        currentDetails: expect.stringMatching(
          /Needs a person[^]*The last poll failed and is repeated: .*401/,
        ),
      });
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      await late.pollNow();
      expect(await late.wait()).toMatchObject({ status: 'succeeded' });
    });
  }),
);

test.concurrent('P2: an overdue job can be abandoned, and nothing else', () =>
  withSandbox(LATE, async (sandboxUrl) => {
    const config = soonOverdue();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const late = await start(config, sandboxUrl);
      const { taskId } = await untilOverdue(late);
      const somebody = { by: 'Olga', reason: 'not needed' };
      await expect(late.resolve({ ...somebody, action: 'resubmit' })).rejects.toThrow('must be abandon');
      await late.resolve({ ...somebody, action: 'abandon' });
      expect(await late.wait()).toMatchObject({ status: 'abandoned', taskId });
    });
  }),
);

test.concurrent('polling at once does not wait for the timer', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    const config = hourly();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const started = await segueClient(temporal, config).media.start(waitingJob(sandboxUrl));
      await eventually('the timer', async () => (await started.state())?.nextPollAt ?? undefined);
      expect(await started.pollNow()).toMatchObject({ polls: 1 });
      expect(await started.wait()).toMatchObject({ status: 'succeeded' });
    });
    const { entries } = await readLedger(sandboxUrl);
    expect(entries.filter(({ operation }) => operation === 'get-task')).toHaveLength(1);
  }),
);

test.concurrent(
  'P2: a poll that hangs is not waited for after its limit, and polling at once asks again',
  () =>
    withSandbox(INSTANT, async (sandboxUrl) => {
      await addFault(sandboxUrl, {
        ...{ operation: 'get-task', match: { nth: 1 } },
        ...{ fault: 'hang', when: 'before' },
      });
      const config = testConfig();
      await withWorker(temporal, config, sandboxUrl, async () => {
        const started = await segueClient(temporal, config).media.start(waitingJob(sandboxUrl));
        await eventually('the question', async () => (await faultHits(sandboxUrl))[0] === 1);
        const lastError = expect.stringContaining('no complete answer') as unknown;
        expect(await started.pollNow()).toMatchObject({ polls: 1, lastError });
        expect(await started.wait()).toMatchObject({ status: 'succeeded' });
        await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      });
      expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
    }),
);

test.concurrent('whoever stops waiting is told what was known', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    const config = hourly();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const started = await segueClient(temporal, config).media.start(waitingJob(sandboxUrl));
      const stop = new AbortController();
      const states = started.progress({ signal: stop.signal });
      for await (const { taskId } of states) if (taskId !== null) break;
      stop.abort();
      expect(await started.wait({ signal: stop.signal })).toMatchObject({
        status: 'running',
        stage: 'polling',
        taskId: expect.any(String),
      });
      await started.cancel();
    });
  }),
);

test.concurrent('P1: whoever waits for a run that is reset hears of the one that goes on', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    const config = hourly();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const started = await segueClient(temporal, config).media.start(waitingJob(sandboxUrl));
      await eventually('the polls', async () => (await started.state())?.stage === 'polling');
      const waiting = started.wait();
      await resetRun(temporal, started);
      expect(await waiting).toMatchObject({ status: 'held' });
      await started.cancel();
    });
  }),
);

test.concurrent('an order is not waited for when the worker has gone', async () => {
  const config = testConfig();
  const { workflowId } = await segueClient(temporal, config).media.start(waitingJob('http://127.0.0.1:9'));
  const order = sendUpdate(temporal.client, workflowId, pollNowUpdate, {}, 500);
  await expect(order).rejects.toThrow(NoAnswer);
  await expect(order).rejects.toThrow(`No worker polls the task queue "${config.taskQueue}"`);
  await expect(order).rejects.toThrow(`The server keeps the order for ${workflowId}`);
  await temporal.client.workflow.getHandle(workflowId).terminate();
});
