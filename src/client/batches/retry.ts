/** Running the failed, unsaved and cancelled items of a batch once more, as a separate batch. */
import { type Client, type WorkflowExecutionInfo, type WorkflowHandle } from '@temporalio/client';
import {
  type BatchInput,
  type BatchItem,
  type BatchItemResult,
  type BatchResult,
  NO_ITEMS,
  type PartitionFacts,
  type PartitionInput,
} from '../../contract';
import { againKey } from '../../contract/ids';
import { factsOf, inPartitions, manifestOf, type Partition } from '../../runs/manifest/partitions';
import { ifFound, isOpen } from '../../runs/find';
import { inputOf, startOf } from '../../runs/start';
import { notRepeated } from '../jobs/retry';
import { type Batch } from '.';
import { findPartition, followResult, partitionItems, partitionResults } from './results';

/** Items that did not succeed and are not repeated, by reason. */
export interface LeftItems {
  /** They became separate jobs that have not succeeded: the service may still work on them. */
  held: number;
  /** They became separate jobs that are unsaved: `segue retry` writes each again. */
  unsaved: number;
  /** Their partition was stopped while they were at the service. */
  lost: number;
  /** Not done, and not in a partition that knows all it sent: it was stopped, reset, or not handed over. */
  cancelled: number;
}

export interface BatchRetry {
  input: BatchInput;
  left: LeftItems;
  partitions: Partition[];
}

/** The repeated items of a closed batch are the same each time, so two retries give one new batch. */
export async function prepareRetry(temporal: Client, repeated: Batch): Promise<BatchRetry> {
  const { carried, manifest: before, source, ...input } = (await inputOf(temporal, repeated)) as BatchInput;
  const { status, stage } = await repeated.report();
  if (status === 'running') throw notRepeated(repeated, `it is still running${stage ? ` (${stage})` : ''}`);
  // Items that failed after its end are separate jobs and are not repeated here.
  const result = await resultOf(temporal, await temporal.workflow.getHandle(repeated.workflowId).describe());
  const tally: Tally = {
    left: { held: 0, unsaved: 0, lost: 0, cancelled: 0 },
    failedOrUnsaved: 0,
    absent: 0,
  };
  const partitions: Partition[] = [];
  const items = repeatedItems(temporal, repeated, before.partitions, result !== null, tally);
  for await (const partition of inPartitions(items)) partitions.push(partition);
  const manifest = manifestOf(partitions.map(factsOf));
  const { failed, unsaved, cancelled } = result?.counts ?? NO_ITEMS;
  const missing = failed + unsaved - tally.failedOrUnsaved;
  if (missing > 0)
    throw notRepeated(repeated, `Temporal no longer keeps ${missing} of its failed or unsaved items`);
  const { left, absent } = tally;
  // Of items that were not handed over, the batch knows only that they are cancelled.
  left.cancelled += Math.min(absent, cancelled);
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

interface Tally {
  left: LeftItems;
  failedOrUnsaved: number;
  /** Items of partitions that Temporal does not have. */
  absent: number;
}

/** Where the batch was stopped, no counts show whether an item of an absent partition failed. */
async function* repeatedItems(
  temporal: Client,
  repeated: Batch,
  all: PartitionFacts[],
  mayBeAbsent: boolean,
  tally: Tally,
): AsyncGenerator<{ line: number; item: BatchItem }> {
  let line = 0;
  for (const [index, { items: count }] of all.entries()) {
    const n = index + 1;
    const partition = await findPartition(temporal, repeated.key, n);
    if (!partition && mayBeAbsent) {
      tally.absent += count;
      continue;
    }
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
    const wasCancelled = results.some(({ status }) => status === 'cancelled');
    const knowsPosts = wasCancelled && !(await wasReset(temporal, partition));
    const isRepeated = (result: BatchItemResult): boolean =>
      isFailedOrUnsaved(result) || (knowsPosts && isCancelled(result));
    const items = results.some(isRepeated) ? await partitionItems(temporal, partition) : [];
    for (const [position, result] of results.entries()) {
      if (isFailedOrUnsaved(result)) tally.failedOrUnsaved += 1;
      const item = items[position];
      // What failed gets a new task. Any other task is polled again, and nothing is submitted for it.
      const taskId = result.status === 'failed' ? undefined : (result.taskId ?? undefined);
      if (isRepeated(result) && item) yield { line: ++line, item: { ...item, taskId } };
      else countLeft(tally.left, await followResult(temporal, result));
    }
  }
}

/** The service said that the task failed or refused the request; what may be alive there has left its partition. */
function isFailedOrUnsaved({ status }: BatchItemResult): boolean {
  return status === 'failed' || status === 'unsaved';
}

/** A cancelled partition ends when it has the outcome of each POST, so an item without a task was not accepted. */
function isCancelled({ status }: BatchItemResult): boolean {
  return status === 'cancelled';
}

/** A partition that was reset has forgotten what it sent before. */
async function wasReset(temporal: Client, partition: WorkflowHandle): Promise<boolean> {
  const { workflowId, runId } = await partition.describe();
  const start = await startOf(temporal, { workflowId, runId });
  return start.wasReset || ((start.input as PartitionInput).carried?.reset ?? false);
}

/** A partition signals its end to its batch just before it closes; one that is open for longer has work left. */
const CLOSING_TIMEOUT_MS = 10_000;

async function staysOpen(temporal: Client, partition: WorkflowHandle): Promise<boolean> {
  if (!isOpen(await partition.describe())) return false;
  const deadline = Date.now() + CLOSING_TIMEOUT_MS;
  // Errors do not matter: the status is read again.
  await temporal.withDeadline(deadline, () => partition.result()).catch(() => undefined);
  return isOpen(await partition.describe());
}

function countLeft(left: LeftItems, { status }: BatchItemResult): void {
  if (status === 'held' || status === 'failed') left.held += 1;
  if (status === 'unsaved') left.unsaved += 1;
  if (status === 'running') left.lost += 1;
  if (status === 'cancelled' || status === 'waiting') left.cancelled += 1;
}
