/** Running the failed items of a batch once more, as a batch of their own. */
import { type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import {
  type BatchInput,
  type BatchItem,
  type BatchItemResult,
  type BatchManifest,
  type BatchResult,
  type PartitionFacts,
} from '../../contract';
import { againKey, batchPartWorkflowId } from '../../contract/ids';
import { factsOf, inPartitions, manifestOf, type Partition } from '../../runs/manifest/partitions';
import { ifFound } from '../../runs/ownRun';
import { inputOf } from '../../runs/start';
import { notRepeated } from '../jobs/retry';
import { type Batch } from './batch';
import { followResult } from './left';
import { isPartitionOpen, partitionItems, partitionResults } from './results';

/** Items that did not succeed and are not repeated, by reason. */
export interface LeftItems {
  /** They became separate jobs that have not succeeded: the service may still work on them. */
  held: number;
  /** Their partition was stopped while they were at the service. */
  lost: number;
  /** Cancelled or never submitted. */
  cancelled: number;
}

export interface FailedItems {
  manifest: BatchManifest;
  left: LeftItems;
  /** Read from the runs of the batch, from the first partition on each time. */
  partitions: AsyncIterable<Partition>;
}

/** The input of the new batch, without its manifest. */
export type RepeatInput = Omit<BatchInput, 'manifest' | 'source' | 'carried'>;

/** The failed items of a closed batch are the same each time, so two retries give one new batch. */
export async function repeatOf(
  temporal: Client,
  repeated: Batch,
): Promise<{ input: RepeatInput; failed: FailedItems }> {
  const { carried, manifest, source, ...input } = (await inputOf(temporal, repeated)) as BatchInput;
  const failed = await findFailed(temporal, repeated, manifest.partitions.length);
  return { input: { ...input, key: againKey(repeated.key) }, failed };
}

async function findFailed(temporal: Client, repeated: Batch, total: number): Promise<FailedItems> {
  const { status, stage } = await repeated.report();
  if (status === 'running') throw notRepeated(repeated, `it is still running${stage ? ` (${stage})` : ''}`);
  // Items that failed after its end are separate jobs and are not repeated here.
  const result = await resultOf(temporal, await temporal.workflow.getHandle(repeated.workflowId).describe());
  const tally: Tally = { absent: 0, left: { held: 0, lost: 0, cancelled: 0 } };
  const facts: PartitionFacts[] = [];
  const items = failedItems(temporal, repeated, total, tally);
  for await (const partition of inPartitions(items)) facts.push(factsOf(partition));
  const { absent, left } = tally;
  const manifest = manifestOf(facts);
  const missing = (result?.counts.failed ?? 0) - manifest.items;
  if (missing > 0) throw notRepeated(repeated, `${missing} of its failed items are not kept any more`);
  // A batch that was stopped has no counts that tell whether an item of an absent partition failed.
  if (!result && absent > 0)
    throw notRepeated(
      repeated,
      `it was stopped, and Temporal has no run of ${absent} of its partitions: they were never handed over, or are kept no ` +
        'longer; start a batch of the items that are not done, with another key',
    );
  const partitions = {
    [Symbol.asyncIterator]: () => inPartitions(failedItems(temporal, repeated, total)),
  };
  return { manifest, left, partitions };
}

/** The result of a batch that came to its end; null for any other. No worker is asked. */
export async function resultOf(
  temporal: Client,
  { status, workflowId, runId }: Pick<WorkflowExecutionInfo, 'status' | 'workflowId' | 'runId'>,
): Promise<BatchResult | null> {
  if (status.name !== 'COMPLETED') return null;
  const result: unknown = await ifFound(temporal.workflow.getHandle(workflowId, runId).result());
  return (result as BatchResult | undefined) ?? null;
}

/** What is not repeated. */
interface Tally {
  left: LeftItems;
  /** Partitions that were never handed over, or are kept no longer. */
  absent: number;
}

/** In the manifest's order, partition by partition. */
async function* failedItems(
  temporal: Client,
  repeated: Batch,
  total: number,
  tally?: Tally,
): AsyncGenerator<{ line: number; item: BatchItem }> {
  let line = 0;
  for (let n = 1; n <= total; n++) {
    const results = await closedResults(temporal, repeated, n);
    if (!results && tally) tally.absent += 1;
    const asked = results?.some(isFailed) ? await partitionItems(temporal, repeated.key, n) : [];
    for (const [place, result] of (results ?? []).entries()) {
      const item = asked[place];
      if (isFailed(result) && item) yield { line: ++line, item: anew(item) };
      else if (tally) countLeft(tally.left, await followResult(temporal, result));
    }
  }
}

/** The service said that the task failed or refused the request; what may be alive there has left its partition. */
function isFailed({ status }: BatchItemResult): boolean {
  return status === 'failed';
}

/** The retry gets a new task. */
function anew({ taskId, ...item }: BatchItem): BatchItem {
  return item;
}

async function closedResults(
  temporal: Client,
  repeated: Batch,
  n: number,
): Promise<BatchItemResult[] | undefined> {
  // Partitions of a stopped batch follow their tasks to the end.
  if (!(await isPartitionOpen(temporal, repeated.key, n))) return partitionResults(temporal, repeated.key, n);
  const workflowId = batchPartWorkflowId(repeated.key, n);
  throw notRepeated(
    repeated,
    `${workflowId} is still open; ask again when it is over. One that only waits ends within six hours; ` +
      `to end it now: temporal workflow cancel --workflow-id ${workflowId}`,
  );
}

function countLeft(left: LeftItems, { status }: BatchItemResult): void {
  if (status === 'held' || status === 'failed') left.held += 1;
  if (status === 'running') left.lost += 1;
  if (status === 'cancelled' || status === 'waiting') left.cancelled += 1;
}
