/** Items that left their batch as runs of their own: the batch tells what became of them there. */
import { mkdtemp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type BatchItem, type BatchItemResult } from '../../../src/contract';
import { batchItemKey } from '../../../src/contract/ids';
import { batchOf, cutouts, firstOf, startPartly, untilStatus } from '../../support/builders/batch';
import { befall } from '../../support/builders/batchTrouble';
import { asReport, jsonLines, tasksOf } from '../../support/builders/jobs';
import { pathOf, removeFaults, seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { useCommandLine } from '../../support/servers/commandLine';
import { forgetRun } from '../../support/servers/forgetRun';
import { segue } from '../../support/servers/segueCommand';
import { segueClient } from '../../support/servers/temporal';
import { addFault, answering, ask, readLedger } from '../../support/service/sandbox';

const line = useCommandLine({ pace: { kind: 'instant' } });
const { temporal, sandbox, settings } = line;

beforeEach(async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
});

afterEach(() => {
  jest.restoreAllMocks();
});

const batch = (...args: string[]) => segue(['batch', ...args], settings);
const reportOf = async (key: string) => JSON.parse((await batch('status', key, '--json')).stdout) as unknown;
const resultsOf = async (key: string): Promise<BatchItemResult[]> =>
  jsonLines((await batch('results', key)).stdout) as unknown as BatchItemResult[];

/** A batch of two that is over, but for its first item: the service took it, and nobody was told. */
async function withHeldItem(
  ownKey?: string,
  more: Partial<BatchItem> = {},
): Promise<{ key: string; job: string; taskId: string }> {
  const unnamed = batchOf(cutouts(sandbox.url, 2, more), 2);
  const spec = { ...unnamed, key: ownKey ?? unnamed.key };
  const job = batchItemKey(spec.key, 1);
  await befall(sandbox.url, `${job}.submit.1`, { fault: 'reset', when: 'after' });
  const report = await segueClient(temporal, line.config).batch.run(spec).catch(asReport);
  expect(report).toMatchObject({
    status: 'held',
    error: '1 item held (see segue held)',
  });
  await untilListed(job);
  const [taskId = ''] = await tasksOf(sandbox.url, job);
  return { key: spec.key, job, taskId };
}

/** A list lags behind. */
function untilListed(job: string, as = "SegueStage = 'held'"): Promise<unknown> {
  return eventually('its run in the list', async () => {
    const { count } = await temporal.client.workflow.count(`WorkflowId = 'media/${job}' AND ${as}`);
    return count === 1;
  });
}

function untilListedAsEnded(job: string): Promise<unknown> {
  return untilListed(job, "ExecutionStatus != 'Running'");
}

async function forget(workflowId: string): Promise<void> {
  await forgetRun(temporal, workflowId);
  await eventually('the list without it', async () => {
    return (await temporal.client.workflow.count(`WorkflowId = '${workflowId}'`)).count === 0;
  });
}

function startAgain(key: string): Promise<unknown> {
  return segueClient(temporal, line.config).batch.start({ ...batchOf(cutouts(sandbox.url, 2), 2), key });
}

async function decide(job: string, ...decision: string[]): Promise<void> {
  const decided = await segue(['resolve', `media/${job}`, ...decision, '--reason', 'looked it up'], settings);
  expect(decided).toMatchObject({ code: 0 });
}

test('P2: an item that became a separate job and is unsaved is retried by its own command', async () => {
  const project = await seedProject(sandbox.url, {});
  const { key, job, taskId } = await withHeldItem(undefined, { write: { project, at: '/made' } });
  await addFault(sandbox.url, { ...answering(422, 'update-project'), match: { path: pathOf(project) } });
  await decide(job, '--adopt', taskId);
  await untilListed(job, "SegueStage = 'unsaved'");
  expect(await reportOf(key)).toMatchObject({
    status: 'unsaved',
    info: { counts: { succeeded: 1, unsaved: 1 } },
  });
  const retried = await batch('retry', key);
  expect(retried.stderr).toContain(
    'Not run again: 1 unsaved that became separate jobs. Write each again: segue retry ID',
  );
  expect(await resultsOf(key)).toMatchObject([{ status: 'unsaved', workflowId: `media/${job}` }, {}]);
  await removeFaults(sandbox.url);
  expect(await segue(['retry', `media/${job}`], settings)).toMatchObject({ code: 0 });
  await untilListed(`${job}+2`, "SegueStage = 'succeeded'");
  expect(await reportOf(key)).toMatchObject({
    status: 'succeeded',
    info: { counts: { succeeded: 2, unsaved: 0 } },
  });
  expect(await resultsOf(key)).toMatchObject([{ status: 'succeeded', taskId }, { status: 'succeeded' }]);
});

test('P2: an item that is adopted when its batch is over has succeeded in status, results, files, list and exit', async () => {
  const { key, job, taskId } = await withHeldItem();
  expect(await batch('follow', key)).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('1 succeeded, 1 held'),
  });
  await decide(job, '--adopt', taskId);
  await untilListedAsEnded(job);

  expect(await reportOf(key)).toMatchObject({
    ...{ status: 'succeeded', stage: 'completed', error: null },
    info: { status: 'completed', counts: { succeeded: 2, held: 0, failed: 0 } },
  });
  expect(await batch('follow', key)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 succeeded\n'),
  });
  const results = await resultsOf(key);
  expect(results).toMatchObject([{ key: 'line-1', taskId, workflowId: `media/${job}` }, { key: 'line-2' }]);
  for (const { status, info, error } of results) {
    expect(status).toBe('succeeded');
    expect(info).toMatchObject({ images: expect.anything() });
    expect(error).toBeUndefined();
  }
  const folder = await mkdtemp(path.join(shared().scratch, 'decided-'));
  expect(await batch('results', key, '--download', folder, '--at', '/images')).toMatchObject({ code: 0 });
  expect((await readdir(folder)).sort()).toEqual([
    expect.stringMatching(/^line-1-1\./),
    expect.stringMatching(/^line-2-1\./),
  ]);
  const rows = jsonLines((await batch('list', '--json', '--limit', '5000')).stdout);
  expect(rows.find((row) => row.key === key)).toMatchObject({ status: 'succeeded', counts: { held: 0 } });
  expect(await batch('retry', key)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('held') });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});

test('an item that is abandoned has failed, and its batch says how it is run again', async () => {
  const { key, job } = await withHeldItem();
  await decide(job, '--abandon');
  await untilListedAsEnded(job);
  expect(await reportOf(key)).toMatchObject({
    ...{ status: 'failed', stage: 'completed', error: '1 item failed' },
    info: { counts: { succeeded: 1, held: 0, failed: 1 } },
  });
  expect(await batch('follow', key)).toMatchObject({ code: 1 });
  expect((await resultsOf(key))[0]).toMatchObject({
    ...{ status: 'failed', workflowId: `media/${job}` },
    error: expect.stringContaining('was abandoned by'),
  });
  // It is not the batch's to pay for it again.
  const retry = await batch('retry', key);
  expect(retry).toMatchObject({ code: 0, stdout: '' });
  expect(retry.stderr).toMatch(/Not run again: 1 held\..*segue retry ID/);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2 });
});

test('an item that is decided and goes on keeps its batch from having succeeded, and needs nobody', async () => {
  const { key, job, taskId } = await withHeldItem();
  await addFault(sandbox.url, answering(503, 'get-task'));
  await decide(job, '--adopt', taskId, '--force');
  await eventually('its poll', async () => {
    const { jobs } = await segueClient(temporal, line.config).held({ limit: 5_000 });
    return jobs.every((held) => held.key !== job);
  });
  expect(await reportOf(key)).toMatchObject({
    ...{
      status: 'held',
      error: '1 item held (see segue held)',
      info: { counts: { held: 1 } },
    },
  });
  expect(await batch('follow', key)).toMatchObject({ code: 3 });
  expect((await resultsOf(key))[0]).toMatchObject({
    ...{ status: 'held', taskId, error: expect.stringContaining(`its run media/${job} is open: polling`) },
  });
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  await untilListedAsEnded(job);
  expect(await batch('follow', key)).toMatchObject({ code: 0 });
});

test('P2: an item whose run was terminated, or that Temporal keeps no longer, stays held, in words that say so', async () => {
  const { key, job } = await withHeldItem();
  await temporal.client.workflow.getHandle(`media/${job}`).terminate('by mistake');
  expect(await reportOf(key)).toMatchObject({
    status: 'held',
    error: '1 item held (see segue held)',
  });
  expect((await resultsOf(key))[0]).toMatchObject({
    ...{
      status: 'held',
      error: expect.stringContaining(`its run media/${job} was stopped; what to do: segue held`),
    },
  });

  await forgetRun(temporal, `media/${job}`);
  await eventually('the list without it', async () => {
    const { count } = await temporal.client.workflow.count(`WorkflowId = 'media/${job}'`);
    return count === 0;
  });
  expect((await resultsOf(key))[0]).toMatchObject({
    ...{ status: 'held', error: expect.stringContaining(`its run media/${job} was not found`) },
  });
});

/** An open batch: one item is held, one has succeeded, and the partition of the third is not there yet. */
async function openWithHeldItem() {
  const spec = batchOf(cutouts(sandbox.url, 3), 2);
  const job = batchItemKey(spec.key, 1);
  await befall(sandbox.url, `${job}.submit.1`, { fault: 'reset', when: 'after' });
  const client = segueClient(temporal, line.config);
  const one = await startPartly(client, { ...spec, partitions: firstOf(spec.partitions) });
  await untilStatus(one, 'the hold', ({ counts }) => counts.held * counts.succeeded === 1);
  await untilListed(job);
  return { spec, job, one, client };
}

test('an item that is decided while its batch is open is counted there as what it is', async () => {
  const { spec, job, one, client } = await openWithHeldItem();
  const [taskId = ''] = await tasksOf(sandbox.url, job);
  await decide(job, '--adopt', taskId);
  await untilListedAsEnded(job);
  expect((await one.status()).counts).toMatchObject({ succeeded: 2, held: 0, waiting: 1 });
  expect(await batch('status', spec.key)).toMatchObject({ stdout: expect.not.stringContaining('held') });
  await client.batch.start(spec);
  expect(await one.result()).toMatchObject({ status: 'completed', counts: { succeeded: 3, held: 0 } });
});

test('P2: where the list of runs fails, a batch can be paused and tells its status', async () => {
  const { one } = await openWithHeldItem();
  const list = jest
    .spyOn(temporal.client.workflowService, 'listWorkflowExecutions')
    .mockRejectedValue(new Error('away'));
  expect(await one.pause({ by: 'sam' })).toMatchObject({ paused: { by: 'sam' } });
  const counts = { succeeded: 1, held: 1, waiting: 1 };
  expect(await one.status()).toMatchObject({ paused: { by: 'sam' }, counts });
  expect(list).toHaveBeenCalled();
});

test('P2: a new batch with an old key is refused while Temporal keeps an item of the old batch', async () => {
  const { key, job } = await withHeldItem();
  await forget(`batch/${key}`);
  await forget(`batch-part/${key}~1`);
  await expect(startAgain(key)).rejects.toThrow(`still keeps media/${job} of an earlier batch`);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});

test('P2: batches whose keys differ only in case are counted apart', async () => {
  const { key } = await withHeldItem();
  // The later one: what began before a batch does not count for it anyway.
  const other = await withHeldItem(key.toUpperCase());
  await decide(other.job, '--adopt', other.taskId);
  await untilListedAsEnded(other.job);
  expect(await reportOf(key)).toMatchObject({ status: 'held' });
  expect(await reportOf(other.key)).toMatchObject({ status: 'succeeded' });
});

test('P2: a new batch with an old key is refused while Temporal keeps a partition of the old batch', async () => {
  const spec = batchOf(cutouts(sandbox.url, 2), 2);
  await segueClient(temporal, line.config).batch.run(spec);
  await forget(`batch/${spec.key}`);
  await expect(startAgain(spec.key)).rejects.toThrow(
    `still keeps batch-part/${spec.key}~1 of an earlier batch`,
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});
