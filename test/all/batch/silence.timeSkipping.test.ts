/** Batches of which nothing is heard, where hours pass in seconds. */
import { type Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { type MediaJob } from '../../../src/client/jobs/job';
import { BATCH_PART_WORKFLOW } from '../../../src/contract';
import { batchItemKey, batchPartWorkflowId } from '../../../src/contract/ids';
import {
  batchOf,
  cutouts,
  firstOf,
  resultsOf,
  startBatch,
  startPartly,
  untilStatus,
} from '../../support/builders/batch';
import { notificationsOf } from '../../support/builders/campaign';
import { OWN_START } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';

const HOUR_MS = 3_600_000;

const temporal = useTimeSkipping();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 1 } });

test('P2: a partition that was terminated in silence is noticed by the check of every hour', async () => {
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
      expect(Math.floor(hours)).toBe(1);
      const lost = (await resultsOf(batch)).slice(2);
      expect(lost.every(({ status: was, taskId }) => was === 'running' && taskId !== null)).toBe(true);
    },
    { checkScheduledTime: false },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 4, duplicates: 0 });
});

test('P2: a partition that ended before its first word, and one that nobody hands over, are noticed by that check, too', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 6), 2);
  const told = async (): Promise<string[]> => {
    const sent = await notificationsOf(sandbox.url);
    return sent.map(({ request }) => request.title).sort();
  };
  const work = async (): Promise<void> => {
    const { taskQueue } = config;
    // One of them is at the service already.
    const bad = cutouts(sandbox.url, 2, { tool: '' }).map((item, n) =>
      n === 1 ? { ...item, taskId: 't-given' } : item,
    );
    await temporal.client.workflow.start(BATCH_PART_WORKFLOW, {
      memo: OWN_START,
      ...{ taskQueue, workflowId: batchPartWorkflowId(spec.key, 2) },
      args: [{ batch: spec.key, n: 2, first: 3, items: bad }],
    });
    const batch = await startPartly(segueClient(temporal, config), {
      ...spec,
      partitions: firstOf(spec.partitions, 2),
    });
    await untilStatus(batch, 'the first partition', ({ partitions }) => partitions.over === 1);
    const { testService } = temporal.client.connection as Connection;
    await testService?.unlockTimeSkippingWithSleep({ duration: msToTs('61m') });
    await eventually('that the operator knows both', async () => (await told()).length === 2);
    expect(await told()).toEqual([
      'A batch waits for the rest of its manifest',
      'Part of a batch was stopped',
    ]);
    expect(await batch.status()).toMatchObject({
      ...{ stage: 'running', partitions: { total: 3, handedOver: 2, over: 2 } },
      stopped: { undone: 2, reason: expect.stringMatching(/^partition 2 failed: .*tool: must be a text/) },
    });
    await startBatch(temporal, config, spec);
    expect(await batch.result()).toMatchObject({
      status: 'attention',
      counts: { succeeded: 4, cancelled: 2 },
    });
    expect(await batch.report()).toMatchObject({ status: 'failed' });
    const results = await resultsOf(batch);
    expect(results.map(({ status }) => status)).toEqual([
      ...['succeeded', 'succeeded', 'waiting', 'running', 'succeeded', 'succeeded'],
    ]);
    expect(results.slice(2, 4).map(({ taskId }) => taskId)).toEqual([null, 't-given']);
  };
  const operator = { userId: 'on-call', workspaceId: '1' };
  await withWorker(temporal, config, sandbox.url, work, { checkScheduledTime: false, operator });
  expect(await told()).toHaveLength(2);
});

test('P2: a batch that was terminated leaves no partition that waits for its slots for ever', async () => {
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
      expect(left?.error).toContain('the service does not know its task');

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
