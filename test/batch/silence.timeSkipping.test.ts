/** Batches of which nothing is heard, where hours pass in seconds. */
import { type Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { type MediaJob } from '../../src/client/jobs/job';
import { batchItemKey, batchPartWorkflowId } from '../../src/ids';
import { batchOf, cutouts, resultsOf, startBatch, untilStatus } from '../support/batch';
import { eventually } from '../support/eventually';
import { readLedger, useSandboxEach } from '../support/sandbox';
import { segueClient, testConfig, useTimeSkipping, withWorker } from '../support/temporal';

const HOUR_MS = 3_600_000;

const temporal = useTimeSkipping();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 1 } });

test('P2: a partition that was terminated in silence is noticed by the look of every hour', async () => {
  const config = testConfig({ poll: { min: '10m', max: '10m', deadline: '5h', giveUp: '7d' } });
  const spec = batchOf(cutouts(sandbox.url, 4), 2);
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const batch = await startBatch(temporal, config, spec);
      await untilStatus(batch, 'items at the service', ({ counts }) => counts.running === 4);
      await temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 2)).terminate('by mistake');
      const { status, counts, startedAt, finishedAt } = await batch.result();
      expect([status, counts]).toMatchObject(['attention', { succeeded: 2, held: 2 }]);
      const hours = (Date.parse(finishedAt) - Date.parse(startedAt)) / HOUR_MS;
      // Of the first hour there is news, of the second there is none.
      expect(Math.floor(hours)).toBe(2);
      const lost = (await resultsOf(batch)).slice(2);
      expect(lost.every(({ status: was, taskId }) => was === 'running' && taskId !== null)).toBe(true);
    },
    { checkScheduledTime: false },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 4, duplicates: 0 });
});

test('P2: a batch that was terminated leaves no partition that waits for its places for ever', async () => {
  const config = testConfig({ poll: { min: '10m', max: '10m', deadline: '5h', giveUp: '7d' } });
  const spec = batchOf(cutouts(sandbox.url, 4), 2, { concurrency: 1 });
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const batch = await startBatch(temporal, config, spec);
      await untilStatus(batch, 'all partitions', ({ partitions, counts }) => {
        return partitions.handedOver === 2 && counts.running === 1;
      });
      const isFirst = (await resultsOf(batch)).slice(0, 2).some(({ status }) => status === 'running');
      await temporal.client.workflow.getHandle(batch.workflowId).terminate('by mistake');
      const waiting = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, isFirst ? 2 : 1));
      expect(await waiting.result()).toMatchObject({ counts: { cancelled: 2, waiting: 0 } });
    },
    { checkScheduledTime: false },
  );
});

test('P2: a task that the service does not know leaves its batch after 5 minutes, and is held after 5 more', async () => {
  const config = testConfig({ poll: { min: '1m', max: '1m', deadline: '5h', giveUp: '7d' } });
  const [good, unknown] = cutouts(sandbox.url, 2);
  if (!good || !unknown) throw new RangeError('two are needed');
  const spec = batchOf([good, { ...unknown, taskId: 't-nowhere' }], 2);
  const key = batchItemKey(spec.key, 2);
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const client = segueClient(temporal, config);
      const batch = await client.batch.start(spec);
      expect(await batch.result()).toMatchObject({ status: 'attention', counts: { succeeded: 1, held: 1 } });
      const [, left] = await resultsOf(batch);
      expect(left).toMatchObject({ status: 'held', taskId: 't-nowhere', workflowId: `media/${key}` });
      expect(left?.error).toBe('the service does not know its task');

      const job = (await client.job(`media/${key}`)) as MediaJob;
      await eventually('the first pause', async () => (await job.state())?.nextPollAt ?? undefined);
      const { testService } = temporal.client.connection as Connection;
      await testService?.unlockTimeSkippingWithSleep({ duration: msToTs('10m') });
      const hold = await eventually('the hold', async () => (await job.state())?.hold ?? undefined);
      expect(hold).toMatchObject({ why: 'missing' });
      await job.resolve({ action: 'abandon', by: 'a test', reason: 'it is nowhere' });
      expect(await job.wait()).toMatchObject({ status: 'abandoned', taskId: 't-nowhere' });
    },
    { checkScheduledTime: false },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
});
