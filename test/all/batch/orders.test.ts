/** What people order of a running batch. */
import { isDeepStrictEqual } from 'node:util';
import { defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time';
import { type PartitionResult, type SlotGrant, slotGrantSignal } from '../../../src/contract';
import { DecisionRefused, InvalidInput } from '../../../src/errors';
import { batchPartWorkflowId } from '../../../src/contract/ids';
import { searchAttributes } from '../../../src/contract/searchAttributes';
import {
  batchOf,
  cutouts,
  mostAtOnce,
  oneByOne,
  resultsOf,
  startBatch,
  startPartly,
  untilStatus,
} from '../../support/builders/batch';
import { resetRun } from '../../support/servers/reset';
import { seedProject, readProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });
const by = 'Olga';

async function submissions(): Promise<number> {
  return (await readLedger(sandbox.url)).summary.submissions;
}

test('a pause submits nothing more until it is resumed; what is at the service goes on', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 30), 10, { concurrency: 2 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'a few items', ({ counts }) => counts.succeeded >= 2);
    expect(await batch.pause({ by, reason: 'lunch' })).toMatchObject({ stage: 'paused', paused: { by } });
    await expect(batch.pause({ by })).rejects.toThrow('it is paused already, by Olga');
    const { counts } = await untilStatus(batch, 'nothing at the service', (status) => {
      return status.counts.running === 0;
    });
    const before = await submissions();
    expect(counts.succeeded).toBe(before);
    expect(before).toBeLessThan(30);
    expect(await batch.resume({ by })).toMatchObject({ stage: 'running', paused: null });
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 30 } });
    await expect(batch.resume({ by })).rejects.toThrow(DecisionRefused);
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 30, duplicates: 0 });
});

test('P1: a partition that does not hear of a pause sends nothing, and asks less and less often whether it may', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startPartly(segueClient(temporal, config), { ...spec, partitions: oneByOne([]) });
    await batch.pause({ by });
    await startBatch(temporal, config, spec);
    await untilStatus(batch, 'the partition', ({ partitions }) => partitions.handedOver === 1);
    const partition = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1));
    const later = Date.now() + 3_600_000;
    await partition.signal(slotGrantSignal, { order: later, slots: 1, paused: false, cancelled: false });
    const rests = await eventually('two rests', async () => {
      const { events } = await partition.fetchHistory();
      const timers = (events ?? []).flatMap(({ timerStartedEventAttributes }) => {
        const timer = timerStartedEventAttributes?.startToFireTimeout;
        return timer ? [tsToMs(timer)] : [];
      });
      const short = timers.filter((ms) => ms <= 60_000);
      return short.length >= 2 && short.slice(0, 2);
    });
    expect(rests).toEqual([1_000, 2_000]);
    expect(await submissions()).toBe(0);
    await batch.resume({ by });
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 1 } });
  });
  expect(await submissions()).toBe(1);
});

/** Chunks of a partition that the server knows of, and that are not over. */
async function chunksOf(partition: string): Promise<number> {
  const { raw } = await temporal.client.workflow.getHandle(partition).describe();
  return (raw.pendingActivities ?? []).filter(({ activityType }) => activityType?.name === 'submitChunk')
    .length;
}

test.each(['paused', 'cancelled'] as const)(
  'P1: few chunks wait for their turn, and when the batch is %s none of them is sent any more',
  async (how) => {
    const config = testConfig({ submit: { timeout: '1m', authGrace: '1h' } });
    // Two chunks at a time, each with 12 POSTs.
    const limits = { maxSubmits: 48 };
    const spec = batchOf(cutouts(sandbox.url, 225), 225, { concurrency: 225 });
    const partition = `batch-part/${spec.key}~1`;
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { every: 1 } },
      ...{ fault: 'delay', ms: 60_000, when: 'after' },
    });
    let chunks = 0;
    const work = async (): Promise<void> => {
      const batch = await startBatch(temporal, config, spec);
      await eventually('a chunk on the wire', async () => (await submissions()) === 24);
      chunks = await chunksOf(partition);
      await (how === 'paused' ? batch.pause({ by }) : batch.cancel({ by }));
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      if (how === 'paused') {
        await eventually('no chunk', async () => (await chunksOf(partition)) === 0);
        const { counts, trouble } = await untilStatus(batch, 'what was on the wire', (status) => {
          return status.counts.succeeded === 24;
        });
        expect({ ...counts, trouble }).toMatchObject({ waiting: 201, trouble: null });
        expect(await submissions()).toBe(24);
        await batch.resume({ by });
      }
      const counts = how === 'paused' ? { succeeded: 225 } : { cancelled: 225 };
      expect(await batch.result()).toMatchObject({ counts });
    };
    await withWorker(temporal, config, sandbox.url, work, { limits });
    // Of five.
    expect(chunks).toBe(4);
    const { summary } = await readLedger(sandbox.url);
    expect(summary).toMatchObject({ submissions: how === 'paused' ? 225 : 24, duplicates: 0 });
  },
);

test('P2: a terminated batch submits nothing that waits for its turn', async () => {
  const limits = { maxSubmits: 48 };
  const config = testConfig({ submit: { timeout: '1m', authGrace: '1h' } });
  const spec = batchOf(cutouts(sandbox.url, 75), 75);
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { every: 1 } },
    ...{ fault: 'delay', ms: 60_000, when: 'after' },
  });
  const submissions = async (): Promise<number> => (await readLedger(sandbox.url)).summary.submissions;
  const work = async (): Promise<void> => {
    const batch = await startBatch(temporal, config, spec);
    await eventually('a chunk on the wire', async () => (await submissions()) === 24);
    await temporal.client.workflow.getHandle(batch.workflowId).terminate();
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    const partition = temporal.client.workflow.getHandle(`batch-part/${spec.key}~1`);
    await partition.result();
    expect(await submissions()).toBe(24);
  };
  await withWorker(temporal, config, sandbox.url, work, { limits });
});

test('a batch that was reset is still heeded by its partitions', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 4), 4, { concurrency: 1 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'an item', ({ counts }) => counts.succeeded > 0);
    await batch.pause({ by });
    await untilStatus(batch, 'nothing at the service', ({ counts }) => counts.running === 0);
    await resetRun(temporal, { workflowId: batch.workflowId });
    const again = await segueClient(temporal, config).batch.get(spec.key);
    await untilStatus(again, 'the pause', ({ stage }) => stage === 'paused');
    await again.resume({ by });
    expect(await again.result()).toMatchObject({ status: 'completed', counts: { succeeded: 4 } });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 4, duplicates: 0 });
});

test('the number at the service can be changed while it runs', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 40), 20, { concurrency: 1 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'an item', ({ counts }) => counts.succeeded > 0);
    expect(await mostAtOnce(sandbox.url, 2)).toBe(1);
    expect(() => batch.concurrency({ by, concurrency: 0 })).toThrow(InvalidInput);
    await batch.concurrency({ by, concurrency: 5 });
    await untilStatus(batch, 'more items', ({ counts }) => counts.succeeded > 15);
    await batch.concurrency({ by, concurrency: 2 });
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 40 } });
  });
  expect(await mostAtOnce(sandbox.url, 2)).toBe(5);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 40, duplicates: 0 });
});

/** What a partition was last told. */
async function lastWindow(batch: string, n: number): Promise<unknown> {
  const { events } = await temporal.client.workflow.getHandle(batchPartWorkflowId(batch, n)).fetchHistory();
  const last = events
    ?.map((event) => event.workflowExecutionSignaledEventAttributes)
    .findLast((signal) => signal?.signalName === slotGrantSignal.name);
  const [slotGrant] = last?.input?.payloads ?? [];
  if (!slotGrant) return undefined;
  const { slots, isLarge } = defaultPayloadConverter.fromPayload<SlotGrant>(slotGrant);
  return { slots, isLarge };
}

test('a number that allows large chunks no more is told to all, also to those who keep their slots', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 300), 150, { concurrency: 300 });
  // Nothing is submitted, so that nothing else is told.
  for (const operation of ['remove-background', 'get-workspace'])
    await addFault(sandbox.url, answering(401, operation));
  const untilTold = (wanted: object[]): Promise<unknown> =>
    eventually(`the windows ${JSON.stringify(wanted)}`, async () => {
      const windows = await Promise.all(wanted.map((_one, index) => lastWindow(spec.key, index + 1)));
      return isDeepStrictEqual(windows, wanted);
    });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    const half = { slots: 150, isLarge: true };
    await untilTold([half, half]);
    await batch.concurrency({ by, concurrency: 200 });
    await untilTold([
      { slots: 150, isLarge: false },
      { slots: 50, isLarge: false },
    ]);
    await batch.cancel({ by });
    expect(await batch.result()).toMatchObject({ counts: { cancelled: 300 } });
  });
});

// Two cases, not four: how it is cancelled has nothing to do with ETags.
describe.each([
  [true, 'an Update'],
  [false, 'Temporal'],
])('with ETags: %s', (etags, how) => {
  const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 }, etags });

  test(`P2: cancelled by ${how}, it submits nothing more, and what was accepted stands in results and project`, async () => {
    const config = testConfig({ poll: { min: '1h', max: '1h', deadline: '2h', giveUp: '7d' } });
    const project = await seedProject(sandbox.url);
    const items = cutouts(sandbox.url, 12).map((item) => ({
      ...item,
      write: { project, at: `/made/${item.key}` },
    }));
    const spec = batchOf(items, 6, { concurrency: 4 });
    await withWorker(temporal, config, sandbox.url, async () => {
      const batch = await startBatch(temporal, config, spec);
      await untilStatus(batch, 'items at the service', ({ counts }) => counts.running === 4);
      if (how === 'Temporal') await temporal.client.workflow.getHandle(batch.workflowId).cancel();
      else await batch.cancel({ by });
      expect(await batch.result()).toMatchObject({
        status: 'cancelled',
        counts: { cancelled: 12, running: 0, waiting: 0 },
      });
      const tasks = (await resultsOf(batch)).flatMap(({ taskId }) => taskId ?? []);
      expect(tasks).toHaveLength(4);
      expect(await batch.report()).toMatchObject({ status: 'cancelled' });
      const { made } = (await readProject(sandbox.url, project)).data as {
        made: Record<string, { taskId: string; status: string }>;
      };
      expect(
        Object.values(made)
          .map(({ taskId }) => taskId)
          .sort(),
      ).toEqual([...tasks].sort());
      for (const taskId of tasks) expect((await ask(sandbox.url, `GET /tasks/${taskId}`)).status).toBe(200);
    });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 4, lostKeys: 0 });
  });
});

test('cancelled in Temporal while its user is being told of the end, it stays what it became', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 1), 1, { notify: { userId: 'u-1', workspaceId: '1' } });
  await addFault(sandbox.url, answering(403, 'notify'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'the end', ({ stage }) => stage === 'completed');
    const run = temporal.client.workflow.getHandle(batch.workflowId);
    await run.cancel();
    expect(await batch.status()).toMatchObject({ stage: 'completed' });
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ status: 'completed', notified: { status: 'sent' } });
    const { typedSearchAttributes } = await run.describe();
    expect(typedSearchAttributes.get(searchAttributes.stage)).toBe('completed');
  });
});

test('P2: a batch that is terminated leaves partitions that follow what they have, and soon submit nothing more', async () => {
  const config = testConfig({ poll: { min: '2s', max: '2s', deadline: '2h', giveUp: '7d' } });
  const spec = batchOf(cutouts(sandbox.url, 12), 6, { concurrency: 8 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'items at the service', ({ counts }) => counts.running === 8);
    await temporal.client.workflow.getHandle(batch.workflowId).terminate();
    const ends = await Promise.all(
      [1, 2].map((n) => temporal.client.workflow.getHandle(`batch-part/${spec.key}~${n}`).result()),
    );
    const all = (ends as PartitionResult[]).map(({ counts }) => counts);
    const sum = (status: 'succeeded' | 'cancelled'): number =>
      all.reduce((total, counts) => total + counts[status], 0);
    // A place that came free before its partition noticed was used.
    expect(sum('succeeded')).toBeGreaterThanOrEqual(8);
    expect(sum('cancelled')).toBeGreaterThan(0);
    expect(sum('succeeded') + sum('cancelled')).toBe(12);
    expect(await submissions()).toBe(sum('succeeded'));
  });
});
