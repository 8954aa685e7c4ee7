/** Batches whose service takes no submissions for a while: what waits for that, and who hears of it. */
import { batchItemKey } from '../../../src/ids';
import { type RuleRequest } from '../../../src/sandbox/faults/rules';
import { startSandbox } from '../../../src/sandbox/server';
import { batchOf, cutouts, resultsOf, startBatch, untilStatus } from '../../support/builders/batch';
import { newTask, OPERATOR, toldToOperator } from '../../support/builders/batchTrouble';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, withSandbox } from '../../support/service/sandbox';
import { testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();

/** They run side by side: most of it is waiting until what was denied, or not taken, is tried again. */
const withService = (work: (sandboxUrl: string) => Promise<void>): Promise<void> =>
  withSandbox({ pace: { kind: 'polls', polls: 2 } }, work);
const LONGEST_MS = 180_000;

interface Trouble {
  trouble: string;
  fault: Pick<RuleRequest, 'fault' | 'when' | 'status'>;
  timeout: string;
  /** Whether the service has what nobody knows of. */
  isTaken: boolean;
}

test.concurrent.each<Trouble>([
  {
    ...{ trouble: '503', timeout: '5s', isTaken: false },
    fault: { fault: 'status', status: 503, when: 'before' },
  },
  {
    ...{ trouble: 'no answer in time', timeout: '2s', isTaken: true },
    fault: { fault: 'hang', when: 'after' },
  },
])(
  'P1 P2: $trouble for everybody holds what was on the wire, tells the operator once, and the rest goes on afterwards',
  ({ fault, timeout, isTaken }) =>
    withService(async (sandboxUrl) => {
      const config = testConfig({ submit: { timeout, authGrace: '1h' } });
      const limits = { maxSubmits: 10 };
      const spec = batchOf(cutouts(sandboxUrl, 40), 20);
      for (const operation of ['remove-background', 'get-workspace'])
        await addFault(sandboxUrl, { operation, match: { every: 1 }, ...fault });
      await withWorker(
        temporal,
        config,
        sandboxUrl,
        async () => {
          const batch = await startBatch(temporal, config, spec);
          const { trouble } = await untilStatus(batch, 'the trouble', (status) => status.trouble !== null);
          expect(trouble).toMatch(/holds submits back since/);
          await eventually(
            'that the operator knows',
            async () => (await toldToOperator(sandboxUrl)).length === 2,
          );
          await ask(sandboxUrl, 'DELETE /_sandbox/faults');
          const { status, counts } = await batch.result();
          expect(status).toBe('attention');
          // The batch's half of what may be on the wire, and three.
          expect(counts.held).toBeLessThanOrEqual(limits.maxSubmits / 2 + 3);
          expect(counts).toMatchObject({ succeeded: 40 - counts.held, failed: 0, waiting: 0, running: 0 });
          expect((await readLedger(sandboxUrl)).summary).toMatchObject({
            submissions: counts.succeeded + (isTaken ? counts.held : 0),
            duplicates: 0,
          });
          for (const { workflowId } of await resultsOf(batch))
            if (workflowId) await temporal.client.workflow.getHandle(workflowId).terminate();
        },
        { limits, operator: OPERATOR },
      );
      expect((await toldToOperator(sandboxUrl)).sort()).toEqual([
        'A batch does not get on',
        'Items of a batch need your decision',
      ]);
    }),
  LONGEST_MS,
);

test.concurrent(
  'P2: a denied credential pauses the batch, fails and holds nothing, and it goes on with one that works',
  () =>
    withService(async (sandboxUrl) => {
      const config = testConfig({ submit: { timeout: '5s', authGrace: '0s' } });
      const spec = batchOf(cutouts(sandboxUrl, 12), 6);
      for (const operation of ['remove-background', 'get-workspace'])
        await addFault(sandboxUrl, answering(401, operation));
      await withWorker(
        temporal,
        config,
        sandboxUrl,
        async () => {
          const batch = await startBatch(temporal, config, spec);
          await untilStatus(batch, 'the trouble', ({ trouble }) => trouble !== null);
          await eventually(
            'that the operator knows',
            async () => (await toldToOperator(sandboxUrl)).length > 0,
          );
          await ask(sandboxUrl, 'DELETE /_sandbox/faults');
          expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 12 } });
        },
        { operator: OPERATOR },
      );
      expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 12, duplicates: 0 });
      expect(await toldToOperator(sandboxUrl)).toEqual(['A batch does not get on']);
    }),
  LONGEST_MS,
);

test.concurrent(
  'P2: items that are denied, time and again, keep nobody behind them from being submitted',
  () =>
    withService(async (sandboxUrl) => {
      const config = testConfig();
      const spec = batchOf(cutouts(sandboxUrl, 6), 6, { concurrency: 2 });
      for (const submission of ['1.submit.1', '2.submit.1', ...[2, 3, 4, 5].map((n) => `1.submit.${n}`)])
        await addFault(sandboxUrl, {
          ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i${submission}` } },
          ...{ fault: 'status', status: 403, when: 'before' },
        });
      await withWorker(temporal, config, sandboxUrl, async () => {
        const batch = await startBatch(temporal, config, spec);
        await untilStatus(batch, 'the others', ({ counts }) => counts.succeeded >= 4);
        await ask(sandboxUrl, 'DELETE /_sandbox/faults');
        expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 6 } });
      });
      expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 6, duplicates: 0 });
    }),
  LONGEST_MS,
);

test.concurrent(
  'P2: a batch whose partition has nothing left to submit is not in trouble any more',
  async () => {
    const config = testConfig();
    const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    const items = cutouts(slow.url, 2);
    for (const item of items.slice(0, 1)) item.taskId = await newTask(slow.url, item.request);
    const spec = batchOf(items, 2);
    // It is denied, and then nobody knows what became of it.
    for (const [n, fault] of [
      { fault: 'status' as const, status: 401 },
      { fault: 'reset' as const },
    ].entries())
      await addFault(slow.url, {
        ...{ operation: 'remove-background', when: 'before', ...fault },
        match: { requestId: `${batchItemKey(spec.key, 2)}.submit.${n + 1}` },
      });
    await withWorker(temporal, config, slow.url, async () => {
      const batch = await startBatch(temporal, config, spec);
      const { trouble } = await untilStatus(batch, 'the trouble', (status) => status.trouble !== null);
      expect(trouble).toContain('401');
      const left = await untilStatus(batch, 'the held one', ({ counts }) => counts.held === 1);
      expect(left).toMatchObject({ counts: { running: 1, waiting: 0 }, trouble: null });
      await batch.cancel({ by: 'sam' });
      await batch.result();
      await temporal.client.workflow.getHandle(`media/${batchItemKey(spec.key, 2)}`).terminate();
    });
    await slow.stop();
  },
  LONGEST_MS,
);
