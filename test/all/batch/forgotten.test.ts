/** Partitions that were over so long ago that Temporal keeps their runs no longer, while their batch goes on. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { type MissingResults } from '../../../src/client/batches/results';
import { type BatchPartition } from '../../../src/runs/batch/handOver';
import { InvalidInput } from '../../../src/errors';
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

test('P1: are missing in the results, and are not started again', async () => {
  const config = testConfig();
  const client = segueClient(temporal, config);
  const spec = batchOf(cutouts(sandbox.url, 6), 2);
  const [first] = (await all(spec.partitions)) as [BatchPartition];
  const read = async (): Promise<{ keys: string[]; missing: MissingResults[] }> => {
    const missing: MissingResults[] = [];
    const results = await all(
      (await client.batch.get(spec.key)).results({ onMissing: (part) => void missing.push(part) }),
    );
    return { keys: results.map(({ key, status }) => `${key} ${status}`), missing };
  };
  const missing = [1, 2, 3].map((n) => ({ n, first: 2 * n - 1, items: 2 }));
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startPartly(client, { ...spec, partitions: oneByOne([first]) });
    await untilStatus(batch, 'the first partition', ({ partitions }) => partitions.over === 1);
    await temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1)).result();
    await forgetRun(temporal, batchPartWorkflowId(spec.key, 1));
    keepRunsForAMoment(temporal);
    expect(await read()).toEqual({ keys: [], missing });

    const start = client.batch.start(spec);
    await expect(start).rejects.toThrow(InvalidInput);
    await expect(start).rejects.toThrow(`the batch ${spec.key} is older than`);
    const partition = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 2));
    await expect(partition.describe()).rejects.toThrow(WorkflowNotFoundError);
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
  // Nor is a worker needed for that.
  expect(await read()).toEqual({ keys: [], missing });
  await temporal.client.workflow.getHandle(`batch/${spec.key}`).terminate();
});

test('P1: are not started again when the retention was raised after Temporal forgot them', async () => {
  const config = testConfig();
  const client = segueClient(temporal, config);
  const spec = batchOf(cutouts(sandbox.url, 4), 2);
  const [first] = (await all(spec.partitions)) as [BatchPartition];
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startPartly(client, { ...spec, partitions: oneByOne([first]) });
    await untilStatus(batch, 'the first partition', ({ partitions }) => partitions.over === 1);
    await temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1)).result();
    await forgetRun(temporal, batchPartWorkflowId(spec.key, 1));
    // The batch is older than the shortest retention, and younger than today's.
    const later = Date.now() + 2 * 3_600_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
    await client.batch.start(spec);
    clock.mockRestore();
    expect(await batch.wait()).toMatchObject({ info: { counts: { succeeded: 4 } } });
    const forgotten = temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1));
    await expect(forgotten.describe()).rejects.toThrow(WorkflowNotFoundError);
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
  const carried = { startedAt: new Date().toISOString() };
  await continueAsNew(temporal, config.taskQueue, { ...spec, carried });
  expect(await client.batch.start({ ...spec, partitions })).toMatchObject({ existing: true });
  await forgetRun(temporal, batch.workflowId, batch.runId);
  await expect(client.batch.start({ ...spec, partitions })).rejects.toThrow('is older than');
  await temporal.client.workflow.getHandle(batch.workflowId).terminate();
});
