/** The failed items of a batch, run once more: judged by the POSTs that the service saw. */
import { prepareRetry } from '../../../src/client/batches/retry';
import { BATCH_WORKFLOW } from '../../../src/contract';
import { NotRepeated } from '../../../src/errors';
import { batchItemKey, batchWorkflowId } from '../../../src/contract/ids';
import {
  batchOf,
  cutouts,
  firstOf,
  oneByOne,
  resultsOf,
  startPartly,
  untilStatus,
} from '../../support/builders/batch';
import { asReport, OWN_START } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { forgetRun } from '../../support/servers/forgetRun';
import { resetRun } from '../../support/servers/reset';
import { addFault, answering, ask, readLedger, useSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, useWorker } from '../../support/servers/temporal';
import { seedProject } from '../../support/builders/writing';

const temporal = useTemporal();
const sandbox = useSandbox({ pace: { kind: 'polls', polls: 1 } });
const config = testConfig();
useWorker(temporal, config, sandbox);
const dead = { image_url: 'http://127.0.0.1:9/none.png' };

beforeEach(async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
});

/** Every POST that came, taken or not, by its request id. */
async function posts(): Promise<string[]> {
  const { entries } = await readLedger(sandbox.url);
  return entries.flatMap(({ kind, requestId }) => (kind === 'submit' ? [requestId ?? ''] : []));
}

function befall(requestId: string, fault: Partial<Parameters<typeof addFault>[1]>): Promise<void> {
  const rule = { operation: 'remove-background', match: { requestId }, when: 'before' as const };
  return addFault(sandbox.url, { ...rule, fault: 'status', ...fault });
}

test('P1 P2: one more POST for each item that failed, none for others, however often it is asked for', async () => {
  const items = cutouts(sandbox.url, 7).map((item, index) =>
    index === 3 ? { ...item, request: dead } : item,
  );
  const spec = batchOf(items, 3);
  const { key } = spec;
  await befall(`${batchItemKey(key, 2)}.submit.1`, { status: 422 });
  await befall(`${batchItemKey(key, 6)}.submit.1`, { fault: 'reset', when: 'after' });
  const { batch, media } = segueClient(temporal, config);
  expect(await batch.run(spec).catch(asReport)).toMatchObject({ status: 'held' });
  const before = await posts();

  const { batch: second, ...facts } = await batch.retry(key);
  expect(facts).toEqual({ items: 2, left: { held: 1, unsaved: 0, lost: 0, cancelled: 0 } });
  expect(second).toMatchObject({ key: `${key}+2`, existing: false });
  expect(await second?.result()).toMatchObject({ counts: { succeeded: 1, failed: 1 } });
  expect(second && (await resultsOf(second))).toMatchObject([
    { key: 'line-2', status: 'succeeded' },
    { key: 'line-4', status: 'failed' },
  ]);
  const [more, ...others] = [1, 2].map((n) => `${batchItemKey(`${key}+2`, n)}.submit.1`);
  expect((await posts()).slice(before.length).sort()).toEqual([more, ...others]);

  expect((await batch.retry(key)).batch).toMatchObject({ existing: true, runId: second?.runId });
  expect(await posts()).toHaveLength(before.length + 2);

  const { batch: third, items: left } = await batch.retry(`${key}+2`);
  expect([third?.key, left]).toEqual([`${key}+3`, 1]);
  await third?.result();
  expect(await posts()).toHaveLength(before.length + 3);
  const held = await media.get(batchItemKey(key, 6));
  await held.resolve({ action: 'abandon', by: 'a test', reason: 'not needed' });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ duplicates: 0 });
});

test('P1: while a batch is open nothing of it is run again; where nothing failed, nothing is started', async () => {
  const spec = batchOf(cutouts(sandbox.url, 4), 2);
  await addFault(sandbox.url, answering(503, 'get-task'));
  const { batch } = segueClient(temporal, config);
  const first = await batch.start(spec);
  const refused = batch.retry(spec.key);
  await expect(refused).rejects.toThrow(NotRepeated);
  await expect(refused).rejects.toThrow(`batch/${spec.key} was not run again: it is still running`);
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  await first.result();
  expect(await batch.retry(spec.key)).toEqual({
    ...{ batch: null, items: 0 },
    left: { held: 0, unsaved: 0, lost: 0, cancelled: 0 },
  });
  await expect(batch.get(`${spec.key}+2`)).rejects.toThrow('There is no run');
  expect(await posts()).toHaveLength(4);
});

test('P1 P2: who was killed while it handed the failed items over asks again, and it goes on', async () => {
  const items = cutouts(sandbox.url, 2, { request: dead });
  const spec = batchOf([...items.slice(0, 1), ...cutouts(sandbox.url, 3).slice(1), ...items.slice(1)], 2, {
    source: 'https://example.com/tonight',
  });
  const { batch } = segueClient(temporal, config);
  await batch.run(spec).catch(asReport);
  const { input } = await prepareRetry(temporal.client, await batch.get(spec.key));
  // Its items are read from the runs of the first.
  expect(input).not.toHaveProperty('source');
  await temporal.client.workflow.start(BATCH_WORKFLOW, {
    memo: OWN_START,
    ...{ workflowId: batchWorkflowId(input.key), taskQueue: config.taskQueue },
    args: [input],
  });
  const half = await batch.get(input.key);
  expect((await half.status()).partitions).toMatchObject({ total: 1, handedOver: 0 });
  const { batch: whole } = await batch.retry(spec.key);
  expect(whole).toMatchObject({ existing: true, runId: half.runId });
  expect(await whole?.result()).toMatchObject({ counts: { failed: 2 } });
  expect(await posts()).toHaveLength(6);
});

test('P1: a stopped batch is repeated when its partitions are over; what they had at the service is not', async () => {
  const slow = { ...config, poll: { min: '2s', max: '2s', deadline: '2h', giveUp: '7d' } };
  const spec = batchOf(cutouts(sandbox.url, 6), 6, { concurrency: 3 });
  await befall(`${batchItemKey(spec.key, 1)}.submit.1`, { status: 422 });
  const { batch } = segueClient(temporal, slow);
  const first = await batch.start(spec);
  await untilStatus(first, 'a failure', ({ counts }) => counts.failed === 1 && counts.running > 0);
  await temporal.client.workflow.getHandle(`batch-part/${spec.key}~1`).terminate();
  await first.cancel({ by: 'Olga' });
  await first.result();
  const before = (await posts()).length;
  const { batch: second, items, left } = await batch.retry(spec.key);
  expect([items, left.held, left.lost + left.cancelled]).toEqual([1, 0, 5]);
  expect(left.lost).toBeGreaterThan(0);
  await second?.result();
  expect((await posts()).slice(before)).toEqual([`${batchItemKey(`${spec.key}+2`, 1)}.submit.1`]);
});

test('a partition that only waits keeps its stopped batch from being repeated, and says how it is ended', async () => {
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  const { batch } = segueClient(temporal, config);
  const first = await startPartly(segueClient(temporal, config), { ...spec, partitions: oneByOne([]) });
  await first.pause({ by: 'Olga' });
  await batch.start(spec);
  await untilStatus(first, 'its partition', ({ partitions }) => partitions.handedOver === 1);
  await temporal.client.workflow.getHandle(first.workflowId).terminate();
  const partition = temporal.client.workflow.getHandle(`batch-part/${spec.key}~1`);
  await expect(batch.retry(spec.key)).rejects.toThrow(
    `to end it now: temporal workflow cancel --workflow-id ${partition.workflowId}`,
  );
  await partition.cancel();
  await partition.result();
  const { batch: second, items, left } = await batch.retry(spec.key);
  expect([items, left.cancelled]).toEqual([1, 0]);
  await second?.result();
  expect(await posts()).toEqual([`${batchItemKey(`${spec.key}+2`, 1)}.submit.1`]);
});

test('P1: of a cancelled batch, what was not submitted is submitted once, and its tasks are polled again', async () => {
  const spec = batchOf(cutouts(sandbox.url, 4), 2, { concurrency: 2 });
  await addFault(sandbox.url, answering(503, 'get-task'));
  const { batch } = segueClient(temporal, config);
  const first = await batch.start(spec);
  await untilStatus(first, 'two tasks', ({ counts }) => counts.running === 2);
  await first.cancel({ by: 'Olga' });
  expect(await first.result()).toMatchObject({ status: 'cancelled', counts: { cancelled: 4 } });
  const before = (await posts()).length;
  expect(before).toBeLessThan(4);
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  const { batch: second, ...facts } = await batch.retry(spec.key);
  expect(facts).toEqual({ items: 4, left: { held: 0, unsaved: 0, lost: 0, cancelled: 0 } });
  expect(await second?.result()).toMatchObject({ counts: { succeeded: 4 } });
  expect(await posts()).toHaveLength(4);
  expect((await batch.retry(spec.key)).batch).toMatchObject({ existing: true, runId: second?.runId });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 4, duplicates: 0 });
});

test('P1: a partition that was reset does not know what it sent, and its cancelled items are left alone', async () => {
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  await addFault(sandbox.url, answering(503, 'get-task'));
  const { batch } = segueClient(temporal, config);
  const first = await batch.start(spec);
  await untilStatus(first, 'its task', ({ counts }) => counts.running === 1);
  const workflowId = `batch-part/${spec.key}~1`;
  await eventually('its POST', async () => (await posts()).length === 1);
  await first.cancel({ by: 'Olga' });
  await first.result();
  // The reset run takes the same cancellation again, before it sends anything.
  await resetRun(temporal, { workflowId });
  await temporal.client.workflow.getHandle(workflowId).result();

  expect(await batch.retry(spec.key)).toMatchObject({ batch: null, items: 0 });
  expect(await posts()).toHaveLength(1);
});

test('what was not handed over of a cancelled batch is counted, and not run again', async () => {
  const spec = batchOf(cutouts(sandbox.url, 2), 1);
  const segue = segueClient(temporal, config);
  const first = await startPartly(segue, { ...spec, partitions: firstOf(spec.partitions) });
  await untilStatus(first, 'the first item', ({ counts }) => counts.succeeded === 1);
  await first.cancel({ by: 'Olga' });
  await first.result();
  expect(await segue.batch.retry(spec.key)).toMatchObject({ batch: null, left: { cancelled: 1 } });
});

test('a partition that only writes keeps its stopped batch from being repeated until it is over', async () => {
  const write = { project: await seedProject(sandbox.url), at: '/made' };
  const spec = batchOf(cutouts(sandbox.url, 1, { write }), 1);
  await addFault(sandbox.url, answering(500, 'update-project'));
  const { batch } = segueClient(temporal, config);
  const first = await batch.start(spec);
  await untilStatus(first, 'its item', ({ counts }) => counts.succeeded === 1);
  await temporal.client.workflow.getHandle(first.workflowId).terminate();
  const partition = temporal.client.workflow.getHandle(`batch-part/${spec.key}~1`);
  await expect(batch.retry(spec.key)).rejects.toThrow(
    `${partition.workflowId} is still open; retry when it is closed`,
  );
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  await partition.result();
  expect(await batch.retry(spec.key)).toMatchObject({ batch: null });
});

test('P2: what Temporal keeps no longer of a stopped batch is not left out silently', async () => {
  const spec = batchOf(cutouts(sandbox.url, 2), 1);
  await befall(`${batchItemKey(spec.key, 1)}.submit.1`, { status: 422 });
  const segue = segueClient(temporal, config);
  // The second partition never comes.
  const first = await startPartly(segue, { ...spec, partitions: firstOf(spec.partitions) });
  await untilStatus(first, 'the failure', ({ partitions, counts }) => partitions.over * counts.failed === 1);
  await temporal.client.workflow.getHandle(first.workflowId).terminate();
  await forgetRun(temporal, `batch-part/${spec.key}~1`);
  await expect(segue.batch.retry(spec.key)).rejects.toThrow(
    'it was stopped, and Temporal has no run of its partition 1',
  );
});
