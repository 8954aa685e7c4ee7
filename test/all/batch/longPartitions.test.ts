/** Partitions whose histories are soon too long, whatever they are about: another run goes on with it. */
import { randomUUID } from 'node:crypto';
import { tsToMs } from '@temporalio/common/lib/time';
import {
  BATCH_PART_WORKFLOW,
  BATCH_WORKFLOW,
  changedSignal,
  lateTasksSignal,
  type PartitionInput,
  partitionResultsQuery,
  type PendingWrite,
  slotGrantSignal,
} from '../../../src/contract';
import { batchPartWorkflowId, batchWorkflowId, changeIdOf } from '../../../src/contract/ids';
import {
  batchOf,
  cutouts,
  resultsOf,
  silentBatch,
  startBatch,
  tellingPartition,
  untilStatus,
} from '../../support/builders/batch';
import { OWN_START, untilEnded } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import {
  addFault,
  addPassingFault,
  answering,
  ask,
  readLedger,
  useSandboxEach,
} from '../../support/service/sandbox';
import { startOwnDevServer, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { readProject, seedProject, WRITE_TIMEOUT_MS } from '../../support/builders/writing';

import { historiesOf, runsOf, timesOf } from '../../support/servers/runs';
import { startContinued } from '../../support/servers/continueAsNew';

const temporal = useTemporal(() =>
  startOwnDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 60 } }),
);
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 3 } });

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 3 }, etags });

  test('P3: a partition that only writes continues as new, too, and the next run does not ask at once for what was asked', async () => {
    const config = testConfig();
    const [batch, writes] = [`b-${randomUUID()}`, 20];
    const workflowId = batchPartWorkflowId(batch, 1);
    const project = await seedProject(sandbox.url);
    const items = cutouts(sandbox.url, writes);
    const waiting = (item: number): PendingWrite => {
      const saved = { item, at: `/made/${item}`, finishedAt: new Date().toISOString() };
      const asked = { changeId: changeIdOf(workflowId, randomUUID()), items: [saved], times: 1 };
      return { address: `project ${item}`, project, asked, halves: [], waiting: [] };
    };
    const input: PartitionInput = {
      ...{ batch, n: 1, first: 1, items },
      carried: {
        items: items.map((_item, place) => ({ status: 'succeeded', taskId: `t-${place}`, attempts: 1 })),
        pendingWrites: items.map((_item, index) => waiting(index)),
        slotGrant: { order: 0, slots: 0, paused: false, cancelled: false },
        ...{ polls: 0, late: null, reset: false },
      },
    };
    await addFault(sandbox.url, answering(500, 'update-project'));
    const work = async (): Promise<void> => {
      const { taskQueue } = config;
      const { workflow } = temporal.client;
      const run = await startContinued(temporal, BATCH_PART_WORKFLOW, {
        ...{ workflowId, taskQueue },
        args: [input],
      });
      // What makes its history long while it waits for the writer.
      const { slotGrant } = input.carried ?? {};
      for (let n = 0; n < 60; n++) await run.signal(slotGrantSignal, slotGrant);
      await runsOf(temporal, workflowId, 2);
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      expect(await workflow.getHandle(workflowId).result()).toMatchObject({ counts: { succeeded: writes } });
      expect(timesOf('requestChanges', await historiesOf(temporal, workflowId))).toBe(1);
    };
    await withWorker(temporal, config, sandbox.url, work, { writeTimeoutMs: WRITE_TIMEOUT_MS });
    const { made } = (await readProject(sandbox.url, project)).data as { made: object };
    expect(Object.keys(made)).toHaveLength(writes);
  });
});

test('P3: a partition that continues takes the replies that came before for all its projects', async () => {
  const config = testConfig();
  const [batch, writes] = [`b-${randomUUID()}`, 3];
  const workflowId = batchPartWorkflowId(batch, 1);
  const items = cutouts(sandbox.url, writes);
  const changeIds = items.map(() => changeIdOf(workflowId, randomUUID()));
  // Long enough ago to ask again, unless the reply is found first.
  const nextAt = new Date().toISOString();
  const pendingWrites = changeIds.map((changeId, item): PendingWrite => {
    const project = { resourcetype: 'campaign', id: randomUUID() };
    const saved = { item, at: `/made/${item}`, finishedAt: nextAt };
    const asked = { changeId, items: [saved], times: 1, isKnown: true, nextAt };
    return { address: project.id, project, asked, halves: [], waiting: [] };
  });
  const input: PartitionInput = {
    ...{ batch, n: 1, first: 1, items },
    carried: {
      items: items.map((_item, place) => ({ status: 'succeeded', taskId: `t-${place}`, attempts: 1 })),
      pendingWrites,
      slotGrant: { order: 0, slots: 0, paused: false, cancelled: false },
      ...{ polls: 0, late: null, reset: false },
    },
  };
  const { taskQueue } = config;
  const run = await startContinued(temporal, BATCH_PART_WORKFLOW, { workflowId, taskQueue, args: [input] });
  await run.signal(changedSignal, { applied: changeIds, refused: [], noRoom: [], unknown: [] });
  await withWorker(temporal, config, sandbox.url, async () => {
    const continued = temporal.client.workflow.getHandle(workflowId);
    await untilEnded(continued);
    expect(await continued.result()).toMatchObject({ counts: { succeeded: writes } });
  });
  expect(timesOf('requestChanges', await historiesOf(temporal, workflowId))).toBe(0);
});

test('P4: a partition that only tells continues as new, too, and tells everybody once he can be told', async () => {
  const config = testConfig();
  const input = tellingPartition(sandbox.url, 3);
  const workflowId = batchPartWorkflowId(input.batch, 1);
  await addFault(sandbox.url, answering(403, 'notify'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const { workflow } = temporal.client;
    const run = await startContinued(temporal, BATCH_PART_WORKFLOW, {
      ...{ workflowId, taskQueue: config.taskQueue },
      args: [input],
    });
    // What makes its history long while it waits to tell again.
    for (let n = 0; n < 60; n++) await run.signal(lateTasksSignal, { tasks: [] });
    await runsOf(temporal, workflowId, 2);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    const sent = { notified: { status: 'sent' } };
    expect(await workflow.getHandle(workflowId).result()).toMatchObject({ items: [sent, sent, sent] });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({
    ...{ notifications: 3, duplicateNotifications: 0 },
  });
});

test('P2: a partition that only waits for slots continues as new when its batch says much, and goes on waiting', async () => {
  const config = testConfig();
  const [batch, nobody] = [`b-${randomUUID()}`, `${config.taskQueue}-nobody`];
  const workflowId = batchPartWorkflowId(batch, 1);
  const slotGrant = { order: 0, slots: 0, paused: false, cancelled: false };
  const { workflow } = temporal.client;
  const toTell = await workflow.start(BATCH_WORKFLOW, {
    ...{ workflowId: batchWorkflowId(batch), taskQueue: nobody },
    args: [silentBatch(batch, 1)],
  });
  await withWorker(temporal, config, sandbox.url, async () => {
    await workflow.start(BATCH_PART_WORKFLOW, {
      memo: OWN_START,
      ...{ workflowId, taskQueue: config.taskQueue },
      args: [{ batch, n: 1, first: 1, items: cutouts(sandbox.url, 2) }],
    });
    const partition = workflow.getHandle(workflowId);
    for (let order = 1; order <= 60; order++)
      await partition.signal(slotGrantSignal, { ...slotGrant, order });
    await runsOf(temporal, workflowId);
    const items = [{ status: 'waiting' }, { status: 'waiting' }];
    expect(await partition.query(partitionResultsQuery)).toMatchObject(items);
    await partition.signal(slotGrantSignal, { ...slotGrant, order: 61, cancelled: true });
    expect(await partition.result()).toMatchObject({ counts: { cancelled: 2 } });
  });
  await toTell.terminate();
});

test('P2: a partition that hands over while a POST takes its time follows its tasks and tells of them meanwhile', async () => {
  const config = testConfig({ submit: { timeout: '10m', authGrace: '1h' } });
  const spec = batchOf(cutouts(sandbox.url, 6), 6);
  const workflowId = batchPartWorkflowId(spec.key, 1);
  const silence = await addPassingFault(sandbox.url, answering(503, 'get-task'));
  const slowness = await addPassingFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i3.submit.1` } },
    ...{ fault: 'delay', ms: 3_600_000, when: 'before' },
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
    await runsOf(temporal, workflowId);
  };
  await withWorker(temporal, config, sandbox.url, work, { limits: { maxSubmits: 4 } });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 6, duplicates: 0 });
});

test('a partition that the service asked to come back later does so, though another run of it goes on', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 2), 2);
  const workflowId = batchPartWorkflowId(spec.key, 1);
  const slotGrant = { order: 0, slots: 0, paused: false, cancelled: false };
  await addFault(sandbox.url, { ...answering(429, 'remove-background'), ms: 3_600_000 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    const partition = temporal.client.workflow.getHandle(workflowId);
    await eventually('the 429', async () => (await readLedger(sandbox.url)).entries.length > 0);
    for (let n = 0; n < 60; n++) await partition.signal(slotGrantSignal, slotGrant);
    await runsOf(temporal, workflowId);
    const waits = await eventually('what the next run does', async () => {
      const { events } = await partition.fetchHistory();
      const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []);
      return timers.length > 1 && timers.map(({ startToFireTimeout }) => tsToMs(startToFireTimeout));
    });
    // The other one is how long it is silent.
    expect(Math.min(...waits)).toBeGreaterThan(3_000_000);
    expect(timesOf('submitChunk', (await historiesOf(temporal, workflowId)).slice(1))).toBe(0);
    await batch.cancel({ by: 'a test' });
    expect(await batch.result()).toMatchObject({ counts: { cancelled: 2 } });
  });
});
