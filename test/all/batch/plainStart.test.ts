/** A batch and its partition that somebody starts again from the UI, with the default policies of every SDK. */
import { BATCH_PART_WORKFLOW, BATCH_WORKFLOW } from '../../../src/contract';
import { inputOf } from '../../../src/runs/start';
import { batchPartWorkflowId, batchWorkflowId } from '../../../src/contract/ids';
import { batchOf, cutouts, resultsOf } from '../../support/builders/batch';
import { untilEnded } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'instant' } });

test('P1: a batch and its partition that are started again submit nothing, and hide no results', async () => {
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const { batch: batches } = segueClient(temporal, config);
    const spec = batchOf(cutouts(sandbox.url, 2), 2);
    await batches.run(spec);
    for (const [type, workflowId] of [
      [BATCH_WORKFLOW, batchWorkflowId(spec.key)],
      [BATCH_PART_WORKFLOW, batchPartWorkflowId(spec.key, 1)],
    ] as const) {
      const { runId } = await temporal.client.workflow.getHandle(workflowId).describe();
      const args = [await inputOf(temporal.client, { workflowId, runId })];
      const started = await temporal.client.workflow.start(type, {
        ...{ workflowId, taskQueue: config.taskQueue, args },
      });
      await untilEnded(started);
      await expect(started.result()).rejects.toMatchObject({ cause: { type: 'UnsafeStart' } });
    }
    // The list of runs lags behind.
    const batch = await eventually('its own run', async () => {
      const found = await batches.get(spec.key);
      return (await found.report()).status === 'succeeded' && found;
    });
    expect(await resultsOf(batch)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    expect(await batches.retry(spec.key)).toMatchObject({ batch: null });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});
