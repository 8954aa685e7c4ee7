/**
 * Long waits: storms of poll errors, tasks that are lost or late, and people who do not want to wait. They run side by
 * side, each with a service and a worker of its own.
 */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type MediaJob } from '../../src/client/jobs/job';
import { type MediaSpec } from '../../src/client/jobs/mediaSpec';
import { sendOrder } from '../../src/client/ordering';
import { type StarterConfig } from '../../src/config';
import { pollNowUpdate } from '../../src/contract';
import { NoAnswerError } from '../../src/errors';
import { mediaWorkflowId } from '../../src/ids';
import { type FaultName } from '../../src/sandbox/faults';
import { type RuleRequest } from '../../src/sandbox/faults/rules';
import { eventually } from '../support/eventually';
import { resetRun } from '../support/reset';
import { addFault, answering, ask, type LedgerReading, readLedger, withSandbox } from '../support/sandbox';
import { shared } from '../support/shared';
import {
  segueClient,
  type SkippingTemporal,
  testConfig,
  useTemporal,
  withTimeSkipping,
  withWorker,
} from '../support/temporal';

/** Time in which answers that never come are waited for; no more than that is asserted of it. */
const STORM_TIMEOUT_MS = shared().full ? 400_000 : 120_000;

function job(sandboxUrl: string, more: Partial<MediaSpec> = {}): MediaSpec & { key: string } {
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  return { key: `wait-${randomUUID()}`, tool: 'remove-background', request, ...more };
}

interface Skipped {
  temporal: SkippingTemporal;
  sandboxUrl: string;
  handle: WorkflowHandle;
  key: string;
}

/** A job that runs where hours pass in seconds, on a server of its own: all that is on one server has one clock. */
function whileRunning(
  fault: RuleRequest,
  poll: MediaSpec['poll'],
  work: (skipped: Skipped) => Promise<void>,
): Promise<LedgerReading['summary']> {
  return withTimeSkipping((temporal) =>
    withSandbox({ pace: { kind: 'instant' } }, async (sandboxUrl) => {
      await addFault(sandboxUrl, fault);
      const config = testConfig({ submit: { timeout: '60s', authGrace: '1h' } });
      const { key, ...spec } = job(sandboxUrl);
      const run = async (): Promise<void> => {
        const handle = await temporal.client.workflow.start('media', {
          workflowId: mediaWorkflowId(key),
          taskQueue: config.taskQueue,
          args: [{ key, ...spec, poll }],
        });
        await work({ temporal, sandboxUrl, handle, key });
      };
      await withWorker(temporal, config, sandboxUrl, run, { checkScheduledTime: false });
      return (await readLedger(sandboxUrl)).summary;
    }),
  );
}

/**
 * Lets the minutes pass in which a 404 is tolerated, and no more: whoever awaits the result lets all time pass, also
 * while the run is held, and that ends with the run's own time.
 */
async function untilMissing({ temporal, key }: Skipped) {
  const job = await segueClient(temporal, testConfig()).media.get(key);
  await eventually('the first pause', async () => (await job.state())?.nextPollAt);
  await temporal.skip(400_000);
  const state = await eventually('the hold', async () => {
    const now = await job.state();
    return now?.stage === 'held' ? now : undefined;
  });
  return { job, state };
}

/** An hour at a minute each, two more at 5 min. Every poll takes real time, however long the hours are. */
const EVERY_MINUTE = { min: '60s', max: '60s', deadline: '1h', giveUp: '7d' } as const;
/** A poll that hangs takes its whole 10 s, so they are fewer. */
const SELDOM = {
  ...EVERY_MINUTE,
  ...(shared().full ? { min: '10m', max: '10m' } : { min: '1h', max: '1h' }),
};

interface Storm {
  fault: { fault: FaultName; status?: number };
  poll: NonNullable<MediaSpec['poll']>;
  /** How many polls three hours have. */
  polls: number;
  meets: string;
}
const storms: [string, Storm][] = [
  ['500s', { fault: { fault: 'status', status: 500 }, poll: EVERY_MINUTE, polls: 84, meets: '500' }],
  ['401s', { fault: { fault: 'status', status: 401 }, poll: EVERY_MINUTE, polls: 84, meets: '401' }],
  [
    'answers that never come',
    { fault: { fault: 'hang' }, poll: SELDOM, polls: shared().full ? 18 : 3, meets: 'within 10000 ms' },
  ],
];
test.concurrent.each(storms)(
  'P2: three hours of %s do not end a job',
  async (_case, { fault, poll, polls, meets }) => {
    const rule = { operation: 'get-task', match: { every: 1 }, when: 'before', ...fault } as const;
    const counted = await whileRunning(rule, poll, async ({ temporal, sandboxUrl, handle, key }) => {
      const result = handle.result();
      const stormy = await segueClient(temporal, testConfig()).media.get(key);
      const afterHours = async () => {
        const state = await stormy.state();
        return state && state.polls >= polls ? state : undefined;
      };
      expect(await eventually('three hours of polls', afterHours, STORM_TIMEOUT_MS)).toMatchObject({
        lastError: expect.stringContaining(meets),
      });
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      expect(await result).toMatchObject({ status: 'succeeded' });
    });
    expect(counted).toMatchObject({ submissions: 1, duplicates: 0 });
  },
  STORM_TIMEOUT_MS,
);

test.concurrent(
  'P2: a task that the service does not know is waited for, then a person decides',
  async () => {
    const counted = await whileRunning(answering(404, 'get-task'), undefined, async (skipped) => {
      const { sandboxUrl, handle } = skipped;
      const { job, state } = await untilMissing(skipped);
      expect(state).toMatchObject({
        hold: {
          why: 'missing',
          reason: expect.stringContaining('404'),
          actions: ['adopt', 'resubmit', 'abandon'],
        },
      });
      // Tolerated for five minutes of polls first.
      expect(state.polls).toBeGreaterThan(15);
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      await job.resolve({ action: 'adopt', taskId: state.taskId ?? '', by: 'Olga', reason: 'it is back' });
      expect(await handle.result()).toMatchObject({ status: 'succeeded', taskId: state.taskId });
    });
    expect(counted).toMatchObject({ submissions: 1, duplicates: 0 });
  },
);

test.concurrent.each(['adopt', 'resubmit'] as const)(
  'P2: after a decision to %s, the time of the lost task no longer counts',
  async (action) => {
    // Less than has passed when it is held.
    const poll = { min: '15s', max: '15s', deadline: '311s', giveUp: '311s' } as const;
    await whileRunning(answering(404, 'get-task'), poll, async (skipped) => {
      const { sandboxUrl, handle } = skipped;
      const { job, state } = await untilMissing(skipped);
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      const taskId = action === 'adopt' ? (state.taskId ?? '') : undefined;
      await job.resolve({ action, taskId, by: 'Olga', reason: 'looked it up' });
      expect(await handle.result()).toMatchObject({ status: 'succeeded' });
      expect(await job.state()).toMatchObject({ hold: null });
    });
  },
);

const temporal = useTemporal();

const INSTANT = { pace: { kind: 'instant' } } as const;
/** Over so late that it is overdue before. */
const LATE = { pace: { kind: 'polls', polls: 40 } } as const;
const soonOverdue = () =>
  testConfig({ poll: { min: '50ms', max: '100ms', deadline: '500ms', giveUp: '7d' } });
const hourly = () => testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });

function start(config: StarterConfig, sandboxUrl: string): Promise<MediaJob> {
  const notify = { userId: 'u', workspaceId: '1' };
  return segueClient(temporal, config).media.start(job(sandboxUrl, { notify }));
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
      expect(hold?.reason).toMatch(/is not over after 500ms; the last question met: .*401/);
      const handle = temporal.client.workflow.getHandle(late.workflowId);
      expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
        currentDetails: expect.stringMatching(/Needs a person[^]*The last question met an error.*401/),
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
      const started = await segueClient(temporal, config).media.start(job(sandboxUrl));
      await eventually('the timer', async () => (await started.state())?.nextPollAt ?? undefined);
      expect(await started.pollNow()).toMatchObject({ polls: 1 });
      expect(await started.wait()).toMatchObject({ status: 'succeeded' });
    });
    const { entries } = await readLedger(sandboxUrl);
    expect(entries.filter(({ operation }) => operation === 'get-task')).toHaveLength(1);
  }),
);

test.concurrent('P2: polling at once does not wait for an answer that hangs, and asks again', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    await addFault(sandboxUrl, {
      ...{ operation: 'get-task', match: { nth: 1 } },
      ...{ fault: 'hang', when: 'before' },
    });
    const config = testConfig();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const started = await segueClient(temporal, config).media.start(job(sandboxUrl));
      await eventually('the question', async () => {
        const { json } = await ask(sandboxUrl, 'GET /_sandbox/faults');
        return (json.faults as { hits: number }[])[0]?.hits === 1;
      });
      expect(await started.pollNow()).toMatchObject({ polls: 1, lastError: null });
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
      const started = await segueClient(temporal, config).media.start(job(sandboxUrl));
      const stop = new AbortController();
      const report = await started.wait({
        signal: stop.signal,
        onChange: ({ taskId }) => {
          if (taskId !== null) stop.abort();
        },
      });
      expect(report).toMatchObject({ status: 'running', stage: 'polling', taskId: expect.any(String) });
      await started.cancel();
    });
  }),
);

test.concurrent('P1: whoever waits for a run that is reset hears of the one that goes on', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    const config = hourly();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const started = await segueClient(temporal, config).media.start(job(sandboxUrl));
      await eventually('the polls', async () => (await started.state())?.stage === 'polling');
      const waiting = started.wait();
      await resetRun(temporal, started);
      expect(await waiting).toMatchObject({ status: 'held' });
      await started.cancel();
    });
  }),
);

test.concurrent('an order is not waited for when the worker has gone', async () => {
  const { workflowId } = await segueClient(temporal, testConfig()).media.start(job('http://127.0.0.1:9'));
  const order = sendOrder(temporal.client, workflowId, pollNowUpdate, {}, 500);
  await expect(order).rejects.toThrow(NoAnswerError);
  await expect(order).rejects.toThrow('It was told');
  await temporal.client.workflow.getHandle(workflowId).terminate();
});
