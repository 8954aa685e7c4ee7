/** Running the failed and unsaved items of a batch once more, as a separate batch. */
import { type Client, type WorkflowExecutionInfo, type WorkflowHandle } from '@temporalio/client';
import {
  type BatchInput,
  type BatchItem,
  type BatchItemResult,
  type BatchResult,
  NO_ITEMS,
} from '../../contract';
import { againKey } from '../../contract/ids';
import { factsOf, inPartitions, manifestOf, type Partition } from '../../runs/manifest/partitions';
import { ifFound, isOpen } from '../../runs/find';
import { inputOf } from '../../runs/start';
import { notRepeated } from '../jobs/retry';
import { type Batch } from '.';
import { findPartition, followResult, partitionItems, partitionResults } from './results';

/** Items that did not succeed and are not repeated, by reason. */
export interface LeftItems {
  /** They became separate jobs that have not succeeded: the service may still work on them. */
  held: number;
  /** Their partition was stopped while they were at the service. */
  lost: number;
  /** Cancelled or never submitted. */
  cancelled: number;
}

export interface BatchRetry {
  input: BatchInput;
  left: LeftItems;
  partitions: Partition[];
}

/** The failed and unsaved items of a closed batch are the same each time, so two retries give one new batch. */
export async function prepareRetry(temporal: Client, repeated: Batch): Promise<BatchRetry> {
  const { carried, manifest: before, source, ...input } = (await inputOf(temporal, repeated)) as BatchInput;
  const { status, stage } = await repeated.report();
  if (status === 'running') throw notRepeated(repeated, `it is still running${stage ? ` (${stage})` : ''}`);
  // Items that failed after its end are separate jobs and are not repeated here.
  const result = await resultOf(temporal, await temporal.workflow.getHandle(repeated.workflowId).describe());
  const left: LeftItems = { held: 0, lost: 0, cancelled: 0 };
  const partitions: Partition[] = [];
  const items = repeatedItems(temporal, repeated, before.partitions.length, result !== null, left);
  for await (const partition of inPartitions(items)) partitions.push(partition);
  const manifest = manifestOf(partitions.map(factsOf));
  const { failed, unsaved } = result?.counts ?? NO_ITEMS;
  const missing = failed + unsaved - manifest.items;
  if (missing > 0)
    throw notRepeated(repeated, `Temporal no longer keeps ${missing} of its failed or unsaved items`);
  return { input: { ...input, key: againKey(repeated.key), manifest }, left, partitions };
}

/** The result of a batch that completed; null for any other. No worker is queried. */
export async function resultOf(
  temporal: Client,
  { status, workflowId, runId }: Pick<WorkflowExecutionInfo, 'status' | 'workflowId' | 'runId'>,
): Promise<BatchResult | null> {
  if (status.name !== 'COMPLETED') return null;
  const result: unknown = await ifFound(temporal.workflow.getHandle(workflowId, runId).result());
  return (result as BatchResult | undefined) ?? null;
}

/** Where the batch was stopped, no counts show whether an item of an absent partition failed. */
async function* repeatedItems(
  temporal: Client,
  repeated: Batch,
  total: number,
  mayBeAbsent: boolean,
  left: LeftItems,
): AsyncGenerator<{ line: number; item: BatchItem }> {
  let line = 0;
  for (let n = 1; n <= total; n++) {
    const partition = await findPartition(temporal, repeated.key, n);
    if (!partition && mayBeAbsent) continue;
    if (!partition)
      throw notRepeated(
        repeated,
        `it was stopped, and Temporal has no run of its partition ${n}; start a batch of the items that are not done, with another key`,
      );
    if (await staysOpen(temporal, partition))
      throw notRepeated(
        repeated,
        `${partition.workflowId} is still open; retry when it is closed. One that only waits ends within six hours; ` +
          `to end it now: temporal workflow cancel --workflow-id ${partition.workflowId}`,
      );
    const results = await partitionResults(temporal, partition);
    const items = results.some(isRepeated) ? await partitionItems(temporal, partition) : [];
    for (const [index, result] of results.entries()) {
      const item = items[index];
      // What failed gets a new task; an unsaved result is read from its task again, and nothing is submitted.
      const taskId = result.status === 'unsaved' ? (result.taskId ?? undefined) : undefined;
      if (isRepeated(result) && item) yield { line: ++line, item: { ...item, taskId } };
      else countLeft(left, await followResult(temporal, result));
    }
  }
}

/** The service said that the task failed or refused the request; what may be alive there has left its partition. */
function isRepeated({ status }: BatchItemResult): boolean {
  return status === 'failed' || status === 'unsaved';
}

/** A partition signals its end to its batch just before it closes; one that is open for longer has work left. */
const CLOSING_PATIENCE_MS = 10_000;

async function staysOpen(temporal: Client, partition: WorkflowHandle): Promise<boolean> {
  if (!isOpen(await partition.describe())) return false;
  const deadline = Date.now() + CLOSING_PATIENCE_MS;
  // Errors do not matter: the status is read again.
  await temporal.withDeadline(deadline, () => partition.result()).catch(() => undefined);
  return isOpen(await partition.describe());
}

function countLeft(left: LeftItems, { status }: BatchItemResult): void {
  if (status === 'held' || status === 'failed' || status === 'unsaved') left.held += 1;
  if (status === 'running') left.lost += 1;
  if (status === 'cancelled' || status === 'waiting') left.cancelled += 1;
}
