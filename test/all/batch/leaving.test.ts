/** Items and partitions that a batch loses sight of. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { type MediaJob } from '../../../src/client/jobs/job';
import {
  type BatchItem,
  endHandOverSignal,
  LARGEST_PARTITION_BYTES,
  lateTasksSignal,
  partitionNewsSignal,
  slotGrantSignal,
} from '../../../src/contract';
import { batchItemKey, batchPartWorkflowId, batchWorkflowId } from '../../../src/contract/ids';
import {
  batchOf,
  cutouts,
  firstOf,
  oneByOne,
  resultsOf,
  startBatch,
  startPartly,
  untilStatus,
} from '../../support/builders/batch';
import { notificationsOf } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { tasksOf } from '../../support/builders/jobs';
import { resetRun } from '../../support/servers/reset';
import { addFault, answering, ask, readLedger, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { type BatchPartition } from '../../../src/runs/batch/handOver';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 1 } });

test('P2: a task id that comes late to a partition is adopted by the run that the item is now', async () => {
  // The next is only polled after a while, so that the partition is still there.
  const config = testConfig({ poll: { min: '3s', max: '3s', deadline: '1h', giveUp: '7d' } });
  const spec = batchOf(cutouts(sandbox.url, 2), 2);
  const key = batchItemKey(spec.key, 1);
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${key}.submit.1` } },
    ...{ fault: 'reset', when: 'after' },
  });
  await withWorker(temporal, config, sandbox.url, async () => {
    const client = segueClient(temporal, config);
    const batch = await client.batch.start(spec);
    await untilStatus(batch, 'the held item', ({ counts }) => counts.held === 1);
    const [taskId = ''] = await tasksOf(sandbox.url, key);
    const partition = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1));
    // Malformed signals change nothing, and block neither the partition nor the batch.
    const malformed = [null, { item: 0, taskId: ' a' }, { item: { toString: 1 }, taskId }];
    await partition.signal(lateTasksSignal, { tasks: malformed as never });
    await partition.signal(slotGrantSignal, { order: { toString: 1 } } as never);
    const counts = { waiting: 9, running: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0 };
    await temporal.client.workflow
      .getHandle(batch.workflowId)
      .signal(partitionNewsSignal, { n: { toString: 1 }, counts } as never);
    await partition.signal(lateTasksSignal, { tasks: [{ item: 0, taskId }] });
    // The batch counts the item as held shortly before the item's own run exists.
    const job = (await eventually('the run of the item', () => client.job(`media/${key}`))) as MediaJob;
    const adopted = temporal.client.workflow.getHandle(job.workflowId);
    expect(await adopted.result()).toMatchObject({ status: 'succeeded', taskId });
    expect((await job.state())?.decisions).toEqual([]);
    const ended = temporal.client.workflow.getHandle(batch.workflowId);
    expect(await ended.result()).toMatchObject({ status: 'attention' });
    expect(await partition.result()).toMatchObject({ items: [{ status: 'held', taskId }, {}] });
    expect((await resultsOf(batch))[0]).toMatchObject({ status: 'succeeded', taskId });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});

/** Ends the chunk while its worker is alive, as when the worker is cut off from the server. */
async function giveUpChunk(workflowId: string): Promise<void> {
  const { raw } = await temporal.client.workflow.getHandle(workflowId).describe();
  const activityId =
    raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'submitChunk')?.activityId ?? '';
  await temporal.client.activity.fail({ workflowId, activityId }, new Error('given up'));
}

test('P2: a task id that comes when its partition is closed is adopted by the run that the item is now', async () => {
  const config = testConfig({ submit: { timeout: '10m', authGrace: '1h' } });
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  const key = batchItemKey(spec.key, 1);
  // The service accepts the POST and answers when the fault is removed.
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { every: 1 } },
    ...{ fault: 'delay', ms: 3_600_000, when: 'after' },
  });
  await withWorker(temporal, config, sandbox.url, async () => {
    const client = segueClient(temporal, config);
    const batch = await client.batch.start(spec);
    const partition = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1));
    const taskId = await eventually('its task', async () => (await tasksOf(sandbox.url, key))[0]);
    await giveUpChunk(partition.workflowId);
    expect(await batch.result()).toMatchObject({ status: 'attention', counts: { held: 1 } });
    expect(await partition.result()).toMatchObject({ items: [{ status: 'held', taskId: null }] });

    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    const adopted = temporal.client.workflow.getHandle(`media/${key}`);
    expect(await adopted.result()).toMatchObject({ status: 'succeeded', taskId });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
});

test('P1 P2: a partition that was reset sends nothing again: what it may have sent is held', async () => {
  const config = testConfig({ poll: { min: '1h', max: '1h', deadline: '2h', giveUp: '7d' } });
  const spec = batchOf(cutouts(sandbox.url, 5), 5, { concurrency: 3 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'items at the service', ({ counts }) => counts.running === 3);
    await eventually('their tasks', async () => {
      const results = await resultsOf(batch);
      return results.filter(({ taskId }) => taskId !== null).length === 3;
    });
    await resetRun(temporal, { workflowId: batchPartWorkflowId(spec.key, 1) });
    // The batch grants the slots again, also for items never tried: the partition sends none.
    expect(await batch.result()).toMatchObject({ status: 'attention', counts: { held: 5 } });
    const results = await resultsOf(batch);
    expect(results.map(({ workflowId }) => workflowId)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `media/${batchItemKey(spec.key, n)}`),
    );
    for (const { workflowId = '' } of results)
      await temporal.client.workflow.getHandle(workflowId).terminate('not needed');
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 3, duplicates: 0 });
});

test.each([
  { partition: 'that was reset', isOpen: true, isGivenUp: false },
  { partition: 'that was reset and is closed', isOpen: false, isGivenUp: false },
  { partition: 'that was reset after its item left', isOpen: true, isGivenUp: true },
])('P2: a task id that comes late to a partition $partition is adopted', async ({ isOpen, isGivenUp }) => {
  const config = testConfig({
    poll: { min: '1h', max: '1h', deadline: '2h', giveUp: '7d' },
    submit: { timeout: '10m', authGrace: '1h' },
  });
  const [item, other] = cutouts(sandbox.url, 2) as [BatchItem, BatchItem];
  // The other is polled for hours, so the partition stays open.
  const spec = batchOf(isOpen ? [item, { ...other, taskId: 'a-slow-task' }] : [item], 2);
  const key = batchItemKey(spec.key, 1);
  const submitted = (n: number) => ({ match: { requestId: `${key}.submit.${n}` } });
  await addFault(sandbox.url, { ...answering(429, 'remove-background'), ...submitted(1) });
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', ...submitted(2) },
    ...{ fault: 'delay', ms: 3_600_000, when: 'after' },
  });
  await withWorker(temporal, config, sandbox.url, async () => {
    const client = segueClient(temporal, config);
    const batch = await client.batch.start(spec);
    const taskId = await eventually('its task', async () => (await tasksOf(sandbox.url, key))[0]);
    const workflowId = batchPartWorkflowId(spec.key, 1);
    const untilHeld = async (): Promise<MediaJob> => {
      const job = (await eventually('the run of the item', () => client.job(`media/${key}`))) as MediaJob;
      await eventually('the hold', async () => (await job.state())?.stage === 'held');
      return job;
    };
    if (isGivenUp) {
      await giveUpChunk(workflowId);
      await untilHeld();
    }
    await resetRun(temporal, { workflowId });
    const partition = temporal.client.workflow.getHandle(workflowId);
    await eventually('that the item leaves', async () => {
      const { events } = await partition.fetchHistory();
      return events?.some((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
    });
    const job = await untilHeld();
    if (!isOpen) await partition.result();

    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await eventually('the task', async () => (await job.state())?.stage === 'polling');
    expect(await job.state()).toMatchObject({ taskId, decisions: [] });
    expect((await resultsOf(batch))[0]).toMatchObject({ taskId });
    for (const id of [...(isOpen ? [workflowId, batch.workflowId] : []), job.workflowId])
      await temporal.client.workflow.getHandle(id).terminate('not needed');
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
});

test('P2: what a terminated partition had at the service counts as held, and its tasks stand in the results', async () => {
  const config = testConfig({ poll: { min: '1h', max: '1h', deadline: '2h', giveUp: '7d' } });
  const spec = batchOf(cutouts(sandbox.url, 6), 3, { concurrency: 4 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'items at the service', ({ counts }) => counts.running === 4);
    const results = await resultsOf(batch);
    const n = results.slice(0, 3).every(({ taskId }) => taskId !== null) ? 2 : 1;
    await temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, n)).terminate();
    await batch.cancel({ by: 'Olga' });
    expect(await batch.result()).toMatchObject({ counts: { held: 1, cancelled: 5, waiting: 0, running: 0 } });
    expect((await resultsOf(batch)).filter(({ taskId }) => taskId !== null)).toHaveLength(4);
  });
});

test('P2: items whose partition was stopped alone are told as not done, to all who ask', async () => {
  const config = testConfig();
  const told = async (userId: string): Promise<string[]> =>
    (await notificationsOf(sandbox.url)).flatMap(({ request }) =>
      request.userId === userId ? [request.title] : [],
    );
  const notify = { userId: 'u-1', workspaceId: '1' };
  const spec = batchOf(cutouts(sandbox.url, 6), 2, { notify });
  const work = async (): Promise<void> => {
    const batch = await startPartly(segueClient(temporal, config), { ...spec, partitions: oneByOne([]) });
    await batch.pause({ by: 'Olga' });
    await startBatch(temporal, config, spec);
    await untilStatus(batch, 'all partitions', ({ partitions }) => partitions.handedOver === 3);
    const [second, third] = [2, 3].map((n) =>
      temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, n)),
    );
    await second?.terminate('by mistake');
    await third?.cancel();
    await third?.result();
    await batch.resume({ by: 'Olga' });
    expect(await batch.result()).toMatchObject({
      ...{ status: 'attention', counts: { succeeded: 2, cancelled: 4, held: 0 } },
      stopped: { unfollowed: 0, undone: 4, reason: 'partition 2 was terminated: by mistake (and 1 more)' },
    });
    expect(await batch.report()).toMatchObject({
      status: 'failed',
      error: '4 items not done: partition 2 was terminated: by mistake (and 1 more)',
    });
    const results = await resultsOf(batch);
    expect(results.slice(2).map(({ status }) => status)).toEqual([
      ...['waiting', 'waiting', 'cancelled', 'cancelled'],
    ]);
  };
  const operator = { userId: 'on-call', workspaceId: '1' };
  await withWorker(temporal, config, sandbox.url, work, { operator });
  expect(await told('on-call')).toEqual(['Part of a batch was stopped']);
  expect(await told('u-1')).toEqual(['Your batch is over, with problems']);
});

test('a partition that its run would refuse is not handed over, and all that is wrong with it is told', async () => {
  const config = testConfig();
  const [item] = cutouts(sandbox.url, 1);
  const bad = batchOf([{ ...item, tool: '' } as BatchItem], 1);
  await expect(startBatch(temporal, config, bad)).rejects.toThrow(
    'partition 1: items.0.tool: must be a text',
  );
  const tooMany = batchOf(cutouts(sandbox.url, 501), 501);
  await expect(startBatch(temporal, config, tooMany)).rejects.toThrow(
    'items: has 501 entries, more than 500',
  );
  // Half a megabyte and a little.
  const link = `https://example.com/${'x'.repeat(LARGEST_PARTITION_BYTES / 8)}`;
  const notify = { userId: 'u-1', workspaceId: '1', link };
  const tooLarge = batchOf(cutouts(sandbox.url, 8, { notify }), 8);
  await expect(startBatch(temporal, config, tooLarge)).rejects.toThrow(
    /partition 1: its items take 52\d{4} bytes, and one run takes 524288 at most/,
  );
  const wrong = batchOf(cutouts(sandbox.url, 3), 2);
  const misplaced: BatchPartition[] = [];
  for await (const one of wrong.partitions) misplaced.unshift({ ...one, firstItem: one.firstItem + 1 });
  await expect(startBatch(temporal, config, { ...wrong, partitions: oneByOne(misplaced) })).rejects.toThrow(
    'partition 2: its firstItem is 3, and the manifest says 2',
  );
  for (const { key } of [bad, tooMany, tooLarge, wrong]) {
    const part = temporal.client.workflow.getHandle(batchPartWorkflowId(key, 1));
    await expect(part.describe()).rejects.toThrow(WorkflowNotFoundError);
    await temporal.client.workflow.getHandle(batchWorkflowId(key)).terminate();
  }
});

test('P1: a partition that comes when the rest of the manifest was given up submits nothing', async () => {
  const config = testConfig();
  const notify = { userId: 'u-1', workspaceId: '1', on: ['needsInput' as const] };
  const spec = batchOf(cutouts(sandbox.url, 4), 2, { notify });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startPartly(segueClient(temporal, config), { ...spec, partitions: oneByOne([]) });
    // The first partition waits until the second has come and gone.
    await batch.pause({ by: 'Olga' });
    await startPartly(segueClient(temporal, config), { ...spec, partitions: firstOf(spec.partitions) });
    await untilStatus(batch, 'the first partition', ({ partitions }) => partitions.handedOver === 1);
    const given = temporal.client.workflow.getHandle(batch.workflowId);
    await given.signal(endHandOverSignal, { reason: 'the manifest is gone' });
    await untilStatus(batch, 'the end of the hand-over', ({ incomplete }) => incomplete !== null);
    await startBatch(temporal, config, spec);
    const late = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 2));
    expect(await late.result()).toMatchObject({ counts: { cancelled: 2 } });
    await batch.resume({ by: 'Olga' });
    expect(await batch.result()).toMatchObject({
      ...{ status: 'attention', incomplete: 'the manifest is gone' },
      ...{ counts: { cancelled: 2, waiting: 0, running: 0 }, notified: { status: 'sent' } },
    });
    expect(await batch.report()).toMatchObject({
      status: 'failed',
      error: '2 items not handed over: the manifest is gone',
    });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});
