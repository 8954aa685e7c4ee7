/** Batches whose histories are soon too long: batch and partitions continue as new, with items at the service. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import {
  BATCH_PART_WORKFLOW,
  BATCH_WORKFLOW,
  type BatchResult,
  batchStatusQuery,
  lateTasksSignal,
  type Letter,
  type PartitionInput,
  partitionResultsQuery,
  windowSignal,
} from '../../src/contract';
import { batchPartWorkflowId, batchWorkflowId, changeIdOf } from '../../src/ids';
import {
  batchOf,
  cutouts,
  mostAtOnce,
  resultsOf,
  silentBatch,
  startBatch,
  startSilentPartitions,
  tellingPartition,
  untilStatus,
} from '../support/batch';
import { notificationsOf } from '../support/campaign';
import { eventually } from '../support/eventually';
import { addFault, addPassingFault, answering, ask, readLedger, useSandboxEach } from '../support/sandbox';
import { segueClient, startOwnDevServer, testConfig, useTemporal, withWorker } from '../support/temporal';
import { readProject, seedProject } from '../support/writing';

const temporal = useTemporal(() =>
  startOwnDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 60 } }),
);
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 3 } });

async function runsOf(workflowId: string): Promise<number> {
  return eventually('the runs in the list', async () => {
    const { count } = await temporal.client.workflow.count(`WorkflowId = "${workflowId}"`);
    return count > 1 && count;
  });
}

test('P1 P2 P4: 60 items over several runs of batch and partitions: one POST each, every result there, the operator told once though not at once, and what failed can be run again', async () => {
  const config = testConfig();
  const project = await seedProject(sandbox.url);
  const items = cutouts(sandbox.url, 60).map((item) => ({
    ...item,
    write: { project, at: `/made/${item.key}` },
  }));
  const spec = batchOf(items, 30, { concurrency: 6 });
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i5.submit.1` } },
    ...{ fault: 'reset', when: 'after' },
  });
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i7.submit.1` } },
    ...{ fault: 'status', status: 422, when: 'before' },
  });
  // The operator cannot be told of what is held until all is over.
  await addFault(sandbox.url, answering(403, 'notify'));
  const work = async (): Promise<void> => {
    const batch = await startBatch(temporal, config, spec);
    const { workflowId, key } = batch;
    await untilStatus(batch, 'the end', ({ stage }) => stage === 'attention');
    await runsOf(workflowId);
    expect(await notificationsOf(sandbox.url)).toEqual([]);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    const result = (await temporal.client.workflow.getHandle(workflowId).result()) as BatchResult;
    expect(result).toMatchObject({ status: 'attention', counts: { succeeded: 58, failed: 1, held: 1 } });
    const runs = {
      batch: await runsOf(workflowId),
      first: await runsOf(`batch-part/${key}~1`),
      second: await runsOf(`batch-part/${key}~2`),
    };
    process.stderr.write(`batch over runs: ${JSON.stringify(runs)}\n`);
    const again = await startBatch(temporal, config, spec);
    const results = await resultsOf(again);
    expect(results.map(({ key: name }) => name)).toEqual(items.map(({ key: name }) => name));
    expect(results.filter(({ info }) => info !== undefined)).toHaveLength(58);
    expect(results[4]).toMatchObject({ status: 'held', workflowId: `media/${key}~i5` });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 59, lostKeys: 0 });
    // What it was asked for stands in the first of its partition's runs alone.
    const { batch: repeat } = await segueClient(temporal, config).batch.again(key);
    expect(await repeat?.result()).toMatchObject({ items: 1, counts: { succeeded: 1 } });
    const { made } = (await readProject(sandbox.url, project)).data as { made: object };
    expect(Object.keys(made)).toHaveLength(59);
  };
  await withWorker(temporal, config, sandbox.url, work, {
    operator: { userId: 'on-call', workspaceId: '1' },
  });
  const told = (await notificationsOf(sandbox.url)).map(({ request }) => request.title);
  expect(told).toEqual(['Items of a batch need your decision']);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 60, duplicates: 0 });
  expect(await mostAtOnce(sandbox.url, 3)).toBeLessThanOrEqual(7);
}, 120_000);

test('P3: a project that cannot be written keeps nothing else from getting on, and has every result once it can', async () => {
  const config = testConfig();
  const project = await seedProject(sandbox.url);
  const [first, second, ...others] = cutouts(sandbox.url, 24);
  const written = [first, second].flatMap((item) => (item ? [item] : []));
  const items = [
    ...written.map((item) => ({ ...item, write: { project, at: `/made/${item.key}` } })),
    ...others,
  ];
  // The second partition waits for the places of the first.
  const spec = batchOf(items, 20, { concurrency: 2 });
  await addFault(sandbox.url, answering(500, 'update-project'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'all items', ({ counts }) => counts.succeeded === 24);
    const runs = await runsOf(`batch-part/${spec.key}~1`);
    process.stderr.write(`a project that cannot be written: ${runs} runs of its partition\n`);
    expect(await batch.status()).toMatchObject({ stage: 'running', partitions: { over: 1 } });
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 24 } });
    const results = await resultsOf(batch);
    expect(results.filter(({ unwritten }) => unwritten !== undefined)).toEqual([]);
    const { made } = (await readProject(sandbox.url, project)).data as { made: Record<string, unknown> };
    for (const [index, { key }] of written.entries())
      expect(made[key]).toMatchObject({ key, taskId: results[index]?.taskId, info: results[index]?.info });
  });
  const { summary } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ submissions: 24, duplicates: 0, lostKeys: 0 });
}, 120_000);

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

/** Of all runs that handed over to the last one, and of that. */
async function historiesOf(workflowId: string): Promise<Events[]> {
  const histories: Events[] = [];
  let runId: string | undefined;
  do {
    const { events } = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.unshift(events ?? []);
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  } while (runId);
  return histories;
}

function timesOf(activity: string, histories: Events[]): number {
  const types = histories
    .flat()
    .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return types.filter((type) => type === activity).length;
}

test('P3: a partition that only writes continues as new, too, and the next run does not ask at once for what was asked', async () => {
  const config = testConfig();
  const [batch, letters] = [`b-${randomUUID()}`, 20];
  const workflowId = batchPartWorkflowId(batch, 1);
  const project = await seedProject(sandbox.url);
  const items = cutouts(sandbox.url, letters);
  const waiting = (place: number): Letter => {
    const saved = { place, at: `/made/${place}`, finishedAt: new Date().toISOString() };
    const asked = { changeId: changeIdOf(workflowId, randomUUID()), items: [saved], times: 1 };
    return { address: `project ${place}`, project, asked, halves: [], waiting: [] };
  };
  const input: PartitionInput = {
    ...{ batch, n: 1, first: 1, items },
    carried: {
      items: items.map((_item, place) => ({ status: 'succeeded', taskId: `t-${place}`, attempts: 1 })),
      letters: items.map((_item, place) => waiting(place)),
      window: { order: 0, places: 0, paused: false, cancelled: false },
      ...{ polls: 0, late: null, reset: false },
    },
  };
  await addFault(sandbox.url, answering(500, 'update-project'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const { taskQueue } = config;
    const { workflow } = temporal.client;
    await workflow.start(BATCH_PART_WORKFLOW, { workflowId, taskQueue, args: [input] });
    await runsOf(workflowId);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await workflow.getHandle(workflowId).result()).toMatchObject({ counts: { succeeded: letters } });
    expect(timesOf('requestChange', await historiesOf(workflowId))).toBe(letters);
  });
  const { made } = (await readProject(sandbox.url, project)).data as { made: object };
  expect(Object.keys(made)).toHaveLength(letters);
}, 120_000);

test('P4: a partition that only tells continues as new, too, and tells everybody once he can be told', async () => {
  const config = testConfig();
  const input = tellingPartition(sandbox.url, 3);
  const workflowId = batchPartWorkflowId(input.batch, 1);
  await addFault(sandbox.url, answering(403, 'notify'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const { workflow } = temporal.client;
    const run = await workflow.start(BATCH_PART_WORKFLOW, {
      ...{ workflowId, taskQueue: config.taskQueue },
      args: [input],
    });
    // What makes its history long while it waits to tell again.
    for (let n = 0; n < 60; n++) await run.signal(lateTasksSignal, { tasks: [] });
    await runsOf(workflowId);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    const sent = { notified: { status: 'sent' } };
    expect(await workflow.getHandle(workflowId).result()).toMatchObject({ items: [sent, sent, sent] });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({
    ...{ notifications: 3, duplicateNotifications: 0 },
  });
});

test('P2: a partition that only waits for places continues as new when its batch says much, and goes on waiting', async () => {
  const config = testConfig();
  const [batch, nobody] = [`b-${randomUUID()}`, `${config.taskQueue}-nobody`];
  const workflowId = batchPartWorkflowId(batch, 1);
  const window = { order: 0, places: 0, paused: false, cancelled: false };
  const { workflow } = temporal.client;
  const toTell = await workflow.start(BATCH_WORKFLOW, {
    ...{ workflowId: batchWorkflowId(batch), taskQueue: nobody },
    args: [silentBatch(batch, 1)],
  });
  await withWorker(temporal, config, sandbox.url, async () => {
    await workflow.start(BATCH_PART_WORKFLOW, {
      ...{ workflowId, taskQueue: config.taskQueue },
      args: [{ batch, n: 1, first: 1, items: cutouts(sandbox.url, 2) }],
    });
    const partition = workflow.getHandle(workflowId);
    for (let order = 1; order <= 60; order++) await partition.signal(windowSignal, { ...window, order });
    await runsOf(workflowId);
    const items = [{ status: 'waiting' }, { status: 'waiting' }];
    expect(await partition.query(partitionResultsQuery)).toMatchObject(items);
    await partition.signal(windowSignal, { ...window, order: 61, cancelled: true });
    expect(await partition.result()).toMatchObject({ counts: { cancelled: 2 } });
  });
  await toTell.terminate();
});

test('P2: a partition that hands over while a POST takes its time follows its tasks and tells of them meanwhile', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 6), 6);
  const workflowId = batchPartWorkflowId(spec.key, 1);
  const silence = await addPassingFault(sandbox.url, answering(503, 'get-task'));
  const slowness = await addPassingFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i3.submit.1` } },
    ...{ fault: 'delay', ms: 25_000, when: 'before' },
  });
  const work = async (): Promise<void> => {
    const batch = await startBatch(temporal, config, spec);
    const partition = temporal.client.workflow.getHandle(workflowId);
    await eventually('all but one', async () => (await readLedger(sandbox.url)).summary.submissions === 5);
    // It is long before the service tells of any task.
    for (let n = 0; n < 60; n++) await partition.signal(lateTasksSignal, { tasks: [] });
    await eventually('that they are taken', async () => {
      const { events } = await partition.fetchHistory();
      const last = events?.findLastIndex((event) => event.workflowTaskCompletedEventAttributes) ?? 0;
      return last > 60;
    });
    await silence.takeAway();
    await untilStatus(batch, 'the others', ({ counts }) => counts.succeeded === 5);
    const results = await resultsOf(batch);
    expect(results[2]).toMatchObject({ status: 'running', taskId: null });
    await slowness.takeAway();
    expect(await batch.result()).toMatchObject({ counts: { succeeded: 6 } });
    await runsOf(workflowId);
  };
  await withWorker(temporal, config, sandbox.url, work, { limits: { maxSubmits: 4 } });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 6, duplicates: 0 });
});

test('a partition that the service asked to come back later does so, though another run of it goes on', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 2), 2);
  const workflowId = batchPartWorkflowId(spec.key, 1);
  const window = { order: 0, places: 0, paused: false, cancelled: false };
  await addFault(sandbox.url, { ...answering(429, 'remove-background'), ms: 3_600_000 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    const partition = temporal.client.workflow.getHandle(workflowId);
    await eventually('the 429', async () => (await readLedger(sandbox.url)).entries.length > 0);
    for (let n = 0; n < 60; n++) await partition.signal(windowSignal, window);
    await runsOf(workflowId);
    const waits = await eventually('what the next run does', async () => {
      const { events } = await partition.fetchHistory();
      const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []);
      return timers.length > 1 && timers.map(({ startToFireTimeout }) => tsToMs(startToFireTimeout));
    });
    // The other one is how long it is silent.
    expect(Math.min(...waits)).toBeGreaterThan(3_000_000);
    expect(timesOf('submitChunk', (await historiesOf(workflowId)).slice(1))).toBe(0);
    await batch.cancel({ by: 'a test' });
    expect(await batch.result()).toMatchObject({ counts: { cancelled: 2 } });
  });
});

test('P2: a look at many silent partitions goes over several runs of the batch, and each is looked at once', async () => {
  const config = testConfig();
  const [key, count] = [`b-${randomUUID()}`, 20];
  const workflowId = batchWorkflowId(key);
  const { workflow } = temporal.client;
  // All but the last are open.
  await startSilentPartitions(temporal, key, count - 1);
  await withWorker(temporal, config, sandbox.url, async () => {
    await workflow.start(BATCH_WORKFLOW, {
      workflowId,
      taskQueue: config.taskQueue,
      args: [silentBatch(key, count)],
    });
    const batch = workflow.getHandle(workflowId);
    const { stopped } = await eventually('that the last one is missed', async () => {
      const status = await batch.query(batchStatusQuery);
      return status.stopped !== null && status;
    });
    expect(stopped?.reason).toBe(`partition ${count} is not known to the Temporal server any more`);
    const histories = await historiesOf(workflowId);
    expect(timesOf('readEnd', histories)).toBe(count);
    expect(Math.max(...histories.map(({ length }) => length))).toBeLessThan(100);
    await batch.terminate();
  });
});

test('P2: a partition that is over, and whose last word was lost, is not waited for', async () => {
  const config = testConfig();
  const key = `b-${randomUUID()}`;
  const { taskQueue } = config;
  const { workflow } = temporal.client;
  await withWorker(temporal, config, sandbox.url, async () => {
    // There is no batch yet that it could tell something.
    const partition = { batch: key, n: 1, first: 1, items: cutouts(sandbox.url, 1) };
    const workflowId = batchPartWorkflowId(key, 1);
    await workflow.execute(BATCH_PART_WORKFLOW, { workflowId, taskQueue, args: [partition] });
    const batch = { workflowId: batchWorkflowId(key), taskQueue, args: [silentBatch(key, 1)] };
    expect(await workflow.execute(BATCH_WORKFLOW, batch)).toMatchObject({
      counts: { running: 0, cancelled: 1 },
    });
  });
});

test('P2: a partition that was terminated while it only wrote is noticed, and its batch says that not all is written', async () => {
  const config = testConfig();
  const key = `b-${randomUUID()}`;
  const { workflow } = temporal.client;
  await startSilentPartitions(temporal, key, 1);
  await workflow.getHandle(batchPartWorkflowId(key, 1)).terminate('by mistake');
  const counts = { waiting: 0, running: 0, succeeded: 1, failed: 0, held: 0, cancelled: 0 };
  await withWorker(temporal, config, sandbox.url, async () => {
    const run = await workflow.start(BATCH_WORKFLOW, {
      ...{ workflowId: batchWorkflowId(key), taskQueue: config.taskQueue },
      args: [silentBatch(key, 1, { counts, places: 0 })],
    });
    expect(await run.result()).toMatchObject({
      ...{ status: 'completed', counts: { succeeded: 1, held: 0, cancelled: 0 } },
      stopped: { unfollowed: 0, undone: 0, reason: 'partition 1 was terminated: by mistake' },
    });
    const batch = await segueClient(temporal, config).batch.get(key);
    expect(await batch.report()).toMatchObject({
      ...{ status: 'failed', error: expect.stringContaining('stopped before all was written and told') },
    });
  });
});
