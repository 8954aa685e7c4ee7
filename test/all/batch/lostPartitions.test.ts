/** Partitions that are over without a word: their batch does not wait for them, and says what was not done. */
import { randomUUID } from 'node:crypto';
import { BATCH_PART_WORKFLOW, BATCH_WORKFLOW } from '../../../src/contract';
import { batchPartWorkflowId, batchWorkflowId } from '../../../src/contract/ids';
import { cutouts, silentBatch, startSilentPartitions } from '../../support/builders/batch';
import { OWN_START } from '../../support/builders/jobs';
import { useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { startContinued } from '../../support/servers/continueAsNew';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 3 } });

test('P2: a partition that is over, and whose last word was lost, is not waited for', async () => {
  const config = testConfig();
  const key = `b-${randomUUID()}`;
  const { taskQueue } = config;
  const { workflow } = temporal.client;
  await withWorker(temporal, config, sandbox.url, async () => {
    // There is no batch yet that it could tell something.
    const partition = { batch: key, n: 1, first: 1, items: cutouts(sandbox.url, 1) };
    const workflowId = batchPartWorkflowId(key, 1);
    await workflow.execute(BATCH_PART_WORKFLOW, {
      memo: OWN_START,
      workflowId,
      taskQueue,
      args: [partition],
    });
    const batch = { workflowId: batchWorkflowId(key), taskQueue, args: [silentBatch(key, 1)] };
    const run = await startContinued(temporal, BATCH_WORKFLOW, batch);
    expect(await run.result()).toMatchObject({
      counts: { running: 0, cancelled: 1 },
    });
  });
});

test('P2: a partition that was terminated while it only wrote is noticed, and its batch says that not all is written, and notifies needsInput', async () => {
  const config = testConfig();
  const key = `b-${randomUUID()}`;
  const { workflow } = temporal.client;
  await startSilentPartitions(temporal, key, 1);
  await workflow.getHandle(batchPartWorkflowId(key, 1)).terminate('by mistake');
  const notify = { userId: 'u-1', workspaceId: '1', on: ['needsInput'] };
  const counts = { waiting: 0, running: 0, succeeded: 1, unsaved: 0, failed: 0, held: 0, cancelled: 0 };
  await withWorker(temporal, config, sandbox.url, async () => {
    const run = await startContinued(temporal, BATCH_WORKFLOW, {
      ...{ workflowId: batchWorkflowId(key), taskQueue: config.taskQueue },
      args: [{ ...silentBatch(key, 1, { counts, slots: 0 }), notify }],
    });
    expect(await run.result()).toMatchObject({
      ...{ status: 'attention', counts: { succeeded: 1, held: 0, cancelled: 0 } },
      notified: { status: 'sent' },
      stopped: { unfollowed: 0, undone: 0, reason: 'partition 1 was terminated: by mistake' },
    });
    const batch = await segueClient(temporal, config).batch.get(key);
    expect(await batch.report()).toMatchObject({
      ...{
        status: 'failed',
        error: expect.stringContaining('stopped before everything was written and notified'),
      },
    });
  });
});
