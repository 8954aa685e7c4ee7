/** Partitions that were over so long ago that Temporal keeps their runs no longer, while their batch goes on. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { type MissingResults } from '../../../src/client/batches/results';
import { type BatchPartition } from '../../../src/runs/batch/checkPartitions';
import { NoAnswerError } from '../../../src/errors';
import { batchPartWorkflowId } from '../../../src/contract/ids';
import { all } from '../../support/all';
import {
  batchOf,
  cutouts,
  oneByOne,
  startBatch,
  startPartly,
  untilStatus,
} from '../../support/builders/batch';
import { continueAsNew } from '../../support/servers/continueAsNew';
import { forgetRun, keepRunsForAMoment } from '../../support/servers/forgetRun';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 1 } });

afterEach(() => {
  jest.restoreAllMocks();
});

test('P1 P2: are told by results as what they were, and are neither missed nor started again', async () => {
  const config = testConfig();
  const client = segueClient(temporal, config);
  const spec = batchOf(cutouts(sandbox.url, 6), 2);
  const [first, second] = (await all(spec.partitions)) as [BatchPartition, BatchPartition];
  const read = async (): Promise<{ keys: string[]; missing: MissingResults[] }> => {
    const missing: MissingResults[] = [];
    const results = await all(
      (await client.batch.get(spec.key)).results({ onMissing: (part) => void missing.push(part) }),
    );
    return { keys: results.map(({ key, status }) => `${key} ${status}`), missing };
  };
  const forgotten = {
    ...{ n: 1, first: 1, items: 2, why: 'notKept' },
    counts: { waiting: 0, running: 0, succeeded: 2, failed: 0, held: 0, cancelled: 0 },
  };
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startPartly(client, { ...spec, partitions: oneByOne([first]) });
    await untilStatus(batch, 'the first partition', ({ partitions }) => partitions.over === 1);
    await temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1)).result();
    await forgetRun(temporal, batchPartWorkflowId(spec.key, 1));
    keepRunsForAMoment(temporal);
    const waiting = { items: 2, why: 'notHandedOver', counts: null };
    expect(await read()).toEqual({
      keys: [],
      missing: [forgotten, { n: 2, first: 3, ...waiting }, { n: 3, first: 5, ...waiting }],
    });

    const partly = client.batch.start({ ...spec, partitions: oneByOne([second]) });
    await expect(partly).rejects.toThrow('of 3 partitions 1 did not come: 3');
    await startBatch(temporal, config, spec);
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 6 } });
    expect(await read()).toEqual({
      keys: [3, 4, 5, 6].map((n) => `line-${n} succeeded`),
      missing: [forgotten],
    });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 6, duplicates: 0 });
  // Without a worker nobody can be asked what they were.
  expect((await read()).missing).toEqual([{ ...forgotten, why: 'unknown', counts: null }]);
});

test('P2: are not started again by a later attempt either, which no worker answers: it goes on when one does', async () => {
  const config = testConfig();
  const client = segueClient(temporal, config);
  const spec = batchOf(cutouts(sandbox.url, 4), 2);
  const [first] = (await all(spec.partitions)) as [BatchPartition];
  // As every attempt of a firing has the same.
  const by = { token: spec.key };
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startPartly(client, { ...spec, partitions: oneByOne([first]) }, by);
    await untilStatus(batch, 'the first partition', ({ partitions }) => partitions.over === 1);
    await temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1)).result();
  });
  await forgetRun(temporal, batchPartWorkflowId(spec.key, 1));
  keepRunsForAMoment(temporal);
  const start = client.batch.start(spec, by);
  await expect(start).rejects.toThrow(NoAnswerError);
  await expect(start).rejects.toThrow('the same start again goes on');
  for (const n of [1, 2]) {
    const partition = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, n));
    await expect(partition.describe()).rejects.toThrow(WorkflowNotFoundError);
  }
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await client.batch.start(spec, by);
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 4 } });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 4, duplicates: 0 });
});

test('a batch that is younger than what Temporal keeps is asked nothing, and needs no worker', async () => {
  const config = testConfig();
  const asked = jest.spyOn(temporal.client.workflowService, 'queryWorkflow');
  const spec = batchOf(cutouts(sandbox.url, 4), 2);
  await startBatch(temporal, config, spec);
  expect(await startBatch(temporal, config, spec)).toMatchObject({ existing: true });
  expect(asked).not.toHaveBeenCalled();
  await temporal.client.workflow.getHandle(`batch/${spec.key}`).terminate();
});

test('how old a batch is goes by the first of its runs', async () => {
  const config = testConfig();
  const client = segueClient(temporal, config);
  const { partitions, ...spec } = batchOf(cutouts(sandbox.url, 2), 2);
  const batch = await startPartly(client, { ...spec, partitions: oneByOne([]) });
  const continued = async (startedAt: number): Promise<void> => {
    const carried = { startedAt: new Date(startedAt).toISOString() };
    await continueAsNew(temporal, config.taskQueue, { ...spec, carried });
  };
  await continued(Date.now() - 400 * 86_400_000);
  await expect(client.batch.start({ ...spec, partitions })).rejects.toThrow(NoAnswerError);
  await continued(Date.now());
  expect(await client.batch.start({ ...spec, partitions })).toMatchObject({ existing: true });
  await temporal.client.workflow.getHandle(batch.workflowId).terminate();
});

test('who is not allowed to ask for them is told so, and not that no worker answers', async () => {
  const config = testConfig();
  const client = segueClient(temporal, config);
  const { partitions, ...spec } = batchOf(cutouts(sandbox.url, 4), 2);
  const [first] = (await all(partitions)) as [BatchPartition];
  const batch = await startPartly(client, { ...spec, partitions: oneByOne([first]) });
  const denied = Object.assign(new Error('denied'), {
    code: 7,
    details: 'denied',
    metadata: { get: () => [] },
  });
  jest.spyOn(temporal.client.workflowService, 'queryWorkflow').mockRejectedValue(denied);
  keepRunsForAMoment(temporal);
  const start = client.batch.start({ ...spec, partitions });
  await expect(start).rejects.toMatchObject({ cause: denied });
  await temporal.client.workflow.getHandle(batch.workflowId).terminate();
});
