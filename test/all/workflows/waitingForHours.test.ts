/**
 * Hours of waiting: storms of poll errors, and tasks that are lost. They run side by side, each with a clock, a service and
 * a worker of its own.
 */
import { type WorkflowHandle } from '@temporalio/client';
import { type MediaSpec } from '../../../src/runs/media';
import { mediaWorkflowId } from '../../../src/contract/ids';
import { type FaultName } from '../../../sandbox/src/faults';
import { type RuleRequest } from '../../../sandbox/src/faults/rules';
import { eventually } from '../../support/eventually';
import {
  addFault,
  answering,
  ask,
  type LedgerReading,
  readLedger,
  withSandbox,
} from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import {
  segueClient,
  type SkippingTemporal,
  testConfig,
  withTimeSkipping,
  withWorker,
} from '../../support/servers/temporal';

import { waitingJob } from '../../support/builders/waitingJob';
import { OWN_START } from '../../support/builders/jobs';

/** Time in which answers that never come are waited for; no more than that is asserted of it. */
const STORM_TIMEOUT_MS = shared().full ? 400_000 : 120_000;

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
      const { key, ...spec } = waitingJob(sandboxUrl);
      const run = async (): Promise<void> => {
        const handle = await temporal.client.workflow.start('media', {
          memo: OWN_START,
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

/** Every poll takes real time, however long the hours are. From the deadline on, the pauses are at least 5 min. */
const PAUSE = shared().full ? '60s' : '5m';
const OFTEN = { min: PAUSE, max: PAUSE, deadline: '1h', giveUp: '7d' } as const;
/** In three hours: those in the hour before the deadline, and in the two hours after it. */
const OFTEN_POLLS = shared().full ? 60 + 24 : 12 + 24;
/** A poll that hangs takes its whole 10 s, so they are fewer. */
const SELDOM = {
  ...OFTEN,
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
  ['500s', { fault: { fault: 'status', status: 500 }, poll: OFTEN, polls: OFTEN_POLLS, meets: '500' }],
  ['401s', { fault: { fault: 'status', status: 401 }, poll: OFTEN, polls: OFTEN_POLLS, meets: '401' }],
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

test.concurrent.each(['adopt', 'resubmit'] as const)(
  'P2: a task that the service does not know is waited for, and after a decision to %s its time no longer counts',
  async (action) => {
    // More than passes until it is held (315 s, and what polls take), less than the 400 s after which it is decided.
    const poll = { min: '15s', max: '15s', deadline: '380s', giveUp: '380s' } as const;
    const counted = await whileRunning(answering(404, 'get-task'), poll, async (skipped) => {
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
      const taskId = action === 'adopt' ? (state.taskId ?? '') : undefined;
      await job.resolve({ action, taskId, by: 'Olga', reason: 'looked it up' });
      expect(await handle.result()).toMatchObject({
        status: 'succeeded',
        taskId: taskId ?? expect.any(String),
      });
      expect(await job.state()).toMatchObject({ hold: null });
    });
    const submissions = action === 'adopt' ? 1 : 2;
    expect(counted).toMatchObject({ submissions, duplicates: submissions - 1 });
  },
);
