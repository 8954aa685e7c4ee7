/** A partition that has reached the limit of signals until it continues as new, and its batch. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type StarterConfig } from '../../../src/config';
import {
  BATCH_PART_WORKFLOW,
  BATCH_WORKFLOW,
  type BatchInput,
  type PartitionInput,
  slotGrantSignal,
} from '../../../src/contract';
import { batchPartWorkflowId, batchWorkflowId } from '../../../src/contract/ids';
import { cutouts, silentBatch } from './batch';
import { OWN_START } from './jobs';
import { eventually } from '../eventually';
import { ask } from '../service/sandbox';
import { startOwnDevServer, type TestTemporal, withWorker } from '../servers/temporal';
import { startContinued } from '../servers/continueAsNew';

/** More than its batch has events, so that only the partition continues as new. */
const MOST_SIGNALS = 200;
const NOTHING_NEW = { order: 0, slots: 0, paused: false, cancelled: false };

/** A server with a low limit of signals for one run. */
export function startServerOfFewSignals(): Promise<TestTemporal> {
  return startOwnDevServer({
    dynamicConfig: {
      'history.maximumSignalsPerExecution': MOST_SIGNALS,
      'limit.historyCount.suggestContinueAsNew': MOST_SIGNALS,
    },
  });
}

/** One of its two items is at the service already; the other waits for a slot. Gives the batch after its end. */
export async function runWithFullPartition(
  temporal: TestTemporal,
  config: StarterConfig,
  sandboxUrl: string,
): Promise<WorkflowHandle> {
  const [key, late] = [`b-${randomUUID()}`, { ...config, taskQueue: `${config.taskQueue}-late` }];
  const { workflow } = temporal.client;
  const partition = await workflow.start(BATCH_PART_WORKFLOW, {
    memo: OWN_START,
    ...{ workflowId: batchPartWorkflowId(key, 1), taskQueue: late.taskQueue },
    args: [{ ...(await partitionOf(key, sandboxUrl)), poll: config.poll }],
  });
  for (let n = 0; n < MOST_SIGNALS; n++) await partition.signal(slotGrantSignal, NOTHING_NEW);
  return withWorker(temporal, config, sandboxUrl, async () => {
    const run = await startContinued(temporal, BATCH_WORKFLOW, {
      ...{ workflowId: batchWorkflowId(key), taskQueue: config.taskQueue },
      args: [batchWithout(key)],
    });
    await eventually('that it cannot be told', async () => {
      const { events } = await run.fetchHistory();
      return events?.some((event) => event.signalExternalWorkflowExecutionFailedEventAttributes);
    });
    // Now the partition gets a worker and handles its signals.
    await withWorker(temporal, late, sandboxUrl, () => run.result());
    return run;
  });
}

async function partitionOf(batch: string, sandboxUrl: string): Promise<PartitionInput> {
  const items = cutouts(sandboxUrl, 2);
  for (const item of items.slice(0, 1)) {
    const { json } = await ask(sandboxUrl, 'POST /tools/remove-background', { body: item.request });
    item.taskId = String(json.task_id);
  }
  return { batch, n: 1, first: 1, items };
}

/** Its partition has no slots yet. */
function batchWithout(key: string): BatchInput {
  const counts = { waiting: 1, running: 1, succeeded: 0, unsaved: 0, failed: 0, held: 0, cancelled: 0 };
  const { carried, ...input } = silentBatch(key, 1, { counts, slots: 0 });
  return {
    ...input,
    carried: carried && { ...carried, concurrency: 2 },
    manifest: { digest: 'all', items: 2, partitions: [{ items: 2, firstLine: 1, digest: 'one' }] },
  };
}
