/** Items that name users of their own. */
import { BATCH_PART_WORKFLOW } from '../../../src/contract';
import { batchItemKey, batchPartWorkflowId } from '../../../src/contract/ids';
import {
  batchOf,
  cutouts,
  resultsOf,
  startBatch,
  tellingPartition,
  untilStatus,
} from '../../support/builders/batch';
import { notificationsOf } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import {
  addFault,
  addPassingFault,
  answering,
  ask,
  readLedger,
  useSandboxEach,
} from '../../support/service/sandbox';
import { testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { startContinued } from '../../support/servers/continueAsNew';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });

test('P4: each user of an item is told once; where that is uncertain, it is not told again', async () => {
  const config = testConfig();
  const items = cutouts(sandbox.url, 25).map((item, index) => ({
    ...item,
    notify: { userId: `u-${index + 1}`, workspaceId: '1' },
  }));
  const spec = batchOf(items, 25);
  const refused = batchItemKey(spec.key, 2);
  const uncertain = batchItemKey(spec.key, 3);
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${refused}.submit.1` } },
    ...{ fault: 'status', status: 422, when: 'before' },
  });
  const lost = await addPassingFault(sandbox.url, {
    ...{ operation: 'notify', match: { requestId: `${uncertain}.notify.completed` } },
    ...{ fault: 'reset', when: 'after' },
  });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    // From then on it would be taken, and answered.
    await eventually('the lost answer', async () => (await hits('notify')) > 0);
    await lost.takeAway();
    expect(await batch.result()).toMatchObject({ counts: { failed: 1 } });
    const results = await resultsOf(batch);
    const told = results.map(({ notified }) => notified?.status);
    expect(told.filter((status) => status === 'sent')).toHaveLength(24);
    expect(told[2]).toBe('uncertain');
  });
  const sent = await notificationsOf(sandbox.url);
  expect(new Set(sent.map(({ request }) => request.userId)).size).toBe(25);
  expect(sent.find(({ request }) => request.userId === 'u-2')?.request).toMatchObject({
    category: 'agentError',
    title: 'Your media job failed',
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({
    ...{ submissions: 24, duplicates: 0 },
    ...{ notifications: 25, duplicateNotifications: 0 },
  });
});

test('users that cannot be told keep no place from others', async () => {
  const config = testConfig();
  const items = cutouts(sandbox.url, 4).map((item) => ({
    ...item,
    notify: { userId: 'u', workspaceId: '1' },
  }));
  await addFault(sandbox.url, answering(403, 'notify'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, batchOf(items, 2, { concurrency: 2 }));
    await untilStatus(batch, 'all items', ({ counts }) => counts.succeeded === 4);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ status: 'completed' });
    const told = (await resultsOf(batch)).map(({ notified }) => notified?.status);
    expect(told).toEqual(['sent', 'sent', 'sent', 'sent']);
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ duplicateNotifications: 0 });
});

test('users that are denied keep nobody behind them from being told, and are asked about one at a time', async () => {
  const config = testConfig();
  // More than are told at once.
  const [denied, everybody] = [101, 103];
  const input = tellingPartition(sandbox.url, everybody);
  const workflowId = batchPartWorkflowId(input.batch, 1);
  for (let n = 1; n <= denied; n++)
    await addFault(sandbox.url, {
      ...{ operation: 'notify', match: { requestId: `${batchItemKey(input.batch, n)}.notify.completed` } },
      ...{ fault: 'status', status: 403, when: 'before' },
    });
  await withWorker(temporal, config, sandbox.url, async () => {
    const { taskQueue } = config;
    const run = await startContinued(temporal, BATCH_PART_WORKFLOW, { workflowId, taskQueue, args: [input] });
    await eventually('who can be told', async () => (await notificationsOf(sandbox.url)).length === 2);
    await eventually('one more question', async () => (await hits('notify')) > denied);
    expect(await hits('notify')).toBeLessThan(2 * denied);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await run.result()).toMatchObject({ counts: { succeeded: everybody } });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({
    ...{ notifications: everybody, duplicateNotifications: 0 },
  });
});

test('refused notifications do not slow down those that were never tried', async () => {
  const config = testConfig();
  const input = tellingPartition(sandbox.url, 112);
  const workflowId = batchPartWorkflowId(input.batch, 1);
  await addFault(sandbox.url, answering(422, 'notify'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const { taskQueue } = config;
    const run = await startContinued(temporal, BATCH_PART_WORKFLOW, { workflowId, taskQueue, args: [input] });
    expect(await run.result()).toMatchObject({ counts: { succeeded: 112 } });
    const { events } = await run.fetchHistory();
    const chunks = events?.filter(
      ({ activityTaskScheduledEventAttributes: sent }) => sent?.activityType?.name === 'notifyChunk',
    );
    // Up to three when the items end: each alone would be one for each of the last.
    expect(chunks?.length).toBeLessThan(6);
  });
  expect(await hits('notify')).toBe(112);
});

/** How often a fault befell somebody. */
async function hits(operation: string): Promise<number> {
  const { json } = await ask(sandbox.url, 'GET /_sandbox/faults');
  const faults = (json.faults as { operation: string; hits: number }[]).filter(
    (fault) => fault.operation === operation,
  );
  return faults.reduce((sum, { hits: some }) => sum + some, 0);
}
