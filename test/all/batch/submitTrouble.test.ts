/**
 * Batches whose service accepts no submits for a while: what waits for that, and who is notified.
 * Most of the time is spent waiting for the next attempt, so the tests run side by side, each with its own service and worker.
 */
import { type SegueClient } from '../../../src/client';
import { type BatchItem } from '../../../src/contract';
import { batchItemKey } from '../../../src/contract/ids';
import { type RuleRequest } from '../../../sandbox/src/faults/rules';
import { type SandboxOptions } from '../../../sandbox/src/server';
import { batchOf, cutouts, resultsOf, untilStatus } from '../../support/builders/batch';
import { befall, newTask, OPERATOR, toldToOperator } from '../../support/builders/batchTrouble';
import { eventually } from '../../support/eventually';
import { jobOf } from '../../support/service/onWire';
import {
  addFault,
  addPassingFault,
  answering,
  ask,
  type LedgerReading,
  readLedger,
  withSandbox,
} from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();

interface Setup {
  submit: { timeout: string; authGrace: string };
  limits?: { maxSubmits: number };
  pace?: SandboxOptions['pace'];
}

/** A service and a worker that uses it. Gives what the service counted and what the operator was told. */
function withService(
  { submit, limits, pace = { kind: 'polls', polls: 2 } }: Setup,
  work: (sandboxUrl: string, batches: SegueClient['batch']) => Promise<void>,
): Promise<LedgerReading & { told: string[] }> {
  const config = testConfig({ submit });
  return withSandbox({ pace }, async (sandboxUrl) => {
    const { batch } = segueClient(temporal, config);
    const run = () => work(sandboxUrl, batch);
    await withWorker(temporal, config, sandboxUrl, run, { limits, operator: OPERATOR });
    return { ...(await readLedger(sandboxUrl)), told: (await toldToOperator(sandboxUrl)).sort() };
  });
}

/** Only a fault makes a submit time out in these tests: a busy machine answers within half a minute. */
const PATIENT = { timeout: '30s', authGrace: '1h' };

async function failEvery(
  sandboxUrl: string,
  fault: Pick<RuleRequest, 'fault' | 'when' | 'status'>,
): Promise<void> {
  for (const operation of ['remove-background', 'get-workspace'])
    await addFault(sandboxUrl, { operation, match: { every: 1 }, ...fault });
}

async function untilOperatorKnows(sandboxUrl: string, count: number): Promise<void> {
  await eventually(
    'that the operator knows',
    async () => (await toldToOperator(sandboxUrl)).length === count,
  );
}

interface Trouble {
  trouble: string;
  fault: Pick<RuleRequest, 'fault' | 'when' | 'status'>;
  timeout: string;
  /** Whether the service accepted the POSTs whose outcome is unknown. */
  isAccepted: boolean;
}

test.concurrent.each<Trouble>([
  {
    ...{ trouble: '503', timeout: '30s', isAccepted: false },
    fault: { fault: 'status', status: 503, when: 'before' },
  },
  {
    ...{ trouble: 'no answer in time', timeout: '15s', isAccepted: true },
    fault: { fault: 'hang', when: 'after' },
  },
])(
  'P1 P2: while every submit meets $trouble, only POSTs in flight are held, and the others succeed afterwards',
  async ({ fault, timeout, isAccepted }) => {
    const limits = { maxSubmits: 10 };
    let held = 0;
    const setup = { submit: { timeout, authGrace: '1h' }, limits };
    const { entries, summary, told } = await withService(setup, async (sandboxUrl, batches) => {
      await failEvery(sandboxUrl, fault);
      const batch = await batches.start(batchOf(cutouts(sandboxUrl, 40), 20));
      const { trouble } = await untilStatus(batch, 'the trouble', (status) => status.trouble !== null);
      expect(trouble).toMatch(/holds submits back since/);
      await untilOperatorKnows(sandboxUrl, 2);
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      const { status, counts } = await batch.result();
      expect(status).toBe('attention');
      ({ held } = counts);
      expect(counts).toMatchObject({ succeeded: 40 - held, failed: 0, waiting: 0, running: 0 });
      for (const { workflowId } of await resultsOf(batch))
        if (workflowId) await temporal.client.workflow.getHandle(workflowId).terminate();
    });
    const posts = entries.filter(({ kind }) => kind === 'submit');
    // Batches get half of the submit slots; then the breaker lets one at a time through, a few in this time.
    expect(held).toBe(posts.filter(({ fault: met }) => met !== null).length);
    expect(held).toBeLessThanOrEqual(limits.maxSubmits / 2 + 3);
    // Every item was sent, the held ones too, and none twice.
    expect(posts).toHaveLength(40);
    expect(new Set(posts.map(jobOf)).size).toBe(40);
    expect(summary).toMatchObject({ submissions: 40 - held + (isAccepted ? held : 0), duplicates: 0 });
    expect(told).toEqual(['Batch stalled: the service is in trouble', 'Items of a batch need your decision']);
  },
);

test.concurrent(
  'P2: a denied credential pauses the batch, fails and holds nothing, and the batch goes on when it works again',
  async () => {
    const submit = { ...PATIENT, authGrace: '0s' };
    const { summary, told } = await withService({ submit }, async (sandboxUrl, batches) => {
      await failEvery(sandboxUrl, { fault: 'status', status: 401, when: 'before' });
      const batch = await batches.start(batchOf(cutouts(sandboxUrl, 12), 6));
      await untilStatus(batch, 'the trouble', ({ trouble }) => trouble !== null);
      await untilOperatorKnows(sandboxUrl, 1);
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 12 } });
    });
    expect(summary).toMatchObject({ submissions: 12, duplicates: 0 });
    expect(told).toEqual(['Batch stalled: the service is in trouble']);
  },
);

test.concurrent('P2: items that are denied again and again do not stop the items behind them', async () => {
  const { summary } = await withService({ submit: PATIENT }, async (sandboxUrl, batches) => {
    const spec = batchOf(cutouts(sandboxUrl, 6), 6, { concurrency: 2 });
    for (const submit of ['1.submit.1', '2.submit.1', ...[2, 3, 4, 5].map((n) => `1.submit.${n}`)])
      await befall(sandboxUrl, `${spec.key}~i${submit}`, { status: 403 });
    const batch = await batches.start(spec);
    await untilStatus(batch, 'the others', ({ counts }) => counts.succeeded >= 4);
    await ask(sandboxUrl, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 6 } });
  });
  expect(summary).toMatchObject({ submissions: 6, duplicates: 0 });
});

test.concurrent('P2: a batch whose partition has nothing left to submit is not in trouble any more', () =>
  withService({ submit: PATIENT, pace: { kind: 'time', ms: 3_600_000 } }, async (sandboxUrl, batches) => {
    const [known, denied] = cutouts(sandboxUrl, 2) as [BatchItem, BatchItem];
    const taskId = await newTask(sandboxUrl, known.request);
    // The second item is denied until its trouble was seen; then the outcome of its submit is unknown.
    const denial = await addPassingFault(sandboxUrl, answering(401, 'remove-background'));
    await addFault(sandboxUrl, {
      ...{ operation: 'remove-background', match: { every: 1 } },
      ...{ fault: 'reset', when: 'before' },
    });
    const spec = batchOf([{ ...known, taskId }, denied], 2);
    const batch = await batches.start(spec);
    const { trouble } = await untilStatus(batch, 'the trouble', (status) => status.trouble !== null);
    expect(trouble).toContain('401');
    await denial.takeAway();
    const left = await untilStatus(batch, 'the held one', ({ counts }) => counts.held === 1);
    expect(left).toMatchObject({ counts: { running: 1, waiting: 0 }, trouble: null });
    await batch.cancel({ by: 'sam' });
    await batch.result();
    await temporal.client.workflow.getHandle(`media/${batchItemKey(spec.key, 2)}`).terminate();
  }),
);
