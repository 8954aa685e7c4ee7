/** Runs that somebody starts with what only a run that continues as new carries, as the UI does that copies an input. */
import { randomUUID } from 'node:crypto';
import {
  BATCH_PART_WORKFLOW,
  BATCH_WORKFLOW,
  RECORD_WORKFLOW,
  TRANSCRIPT_WORKFLOW,
} from '../../../src/contract';
import {
  batchPartWorkflowId,
  batchWorkflowId,
  recordKey,
  recordWorkflowId,
  transcriptWorkflowId,
} from '../../../src/contract/ids';
import { batchOf, cutouts } from '../../support/builders/batch';
import { OWN_START, untilEnded } from '../../support/builders/jobs';
import { testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
/** None of them gets as far as to ask the service. */
const NOBODY = 'http://127.0.0.1:9';

const id = randomUUID();
const items = cutouts(NOBODY, 1);
const { key, manifest } = batchOf(items, 1);

test.concurrent.each([
  [TRANSCRIPT_WORKFLOW, transcriptWorkflowId(id), { key: id, transcriptionId: id }],
  [RECORD_WORKFLOW, recordWorkflowId(recordKey('asset', id)), { kind: 'asset', id }],
  [BATCH_WORKFLOW, batchWorkflowId(key), { key, manifest }],
  [BATCH_PART_WORKFLOW, batchPartWorkflowId(key, 1), { batch: key, n: 1, first: 1, items }],
])('P1: a %s with a state that no run handed over fails at once', async (type, workflowId, input) => {
  const config = testConfig();
  await withWorker(temporal, config, NOBODY, async () => {
    const { taskQueue } = config;
    const run = await temporal.client.workflow.start(type, {
      ...{ memo: OWN_START, workflowId, taskQueue },
      args: [{ ...input, carried: { listeners: 5, partitions: 5, items: 5 } }],
    });
    await untilEnded(run);
    await expect(run.result()).rejects.toMatchObject({
      cause: { type: 'UnsafeStart', message: expect.stringContaining('`carried`') },
    });
  });
});
