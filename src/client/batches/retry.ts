/** Running the failed items of a batch once more, as a batch of their own. */
import { type Client, type WorkflowExecutionInfo, WorkflowNotFoundError } from '@temporalio/client';
import {
  type BatchInput,
  type BatchItem,
  type BatchItemResult,
  type BatchManifest,
  type BatchResult,
  type PartitionFacts,
} from '../../contract';
import { NotRepeatedError } from '../../errors';
import { againKey, batchPartWorkflowId } from '../../contract/ids';
import { factsOf, inPartitions, manifestOf, type Partition } from '../../runs/manifest/partitions';
import { GRPC, grpcCode } from '../../runs/orders';
import { inputOf } from '../../runs/start';
import { type Batch } from './batch';
import { followResult } from './left';
import { isPartitionOpen, partitionItems, partitionResults } from './results';

/** Items that did not succeed and are not repeated, by what keeps them. */
export interface LeftItems {
  /** They went on as runs of their own, and have not succeeded there: the service may have them, or still work on them. */
  held: number;
  /** Their partition was stopped while they were at the service. */
  lost: number;
  /** Nobody knows of a failure: they were cancelled, or never submitted. */
  cancelled: number;
}

/** What is to be run again of a batch. */
export interface FailedItems {
  manifest: BatchManifest;
  left: LeftItems;
  /** Read from the runs that had them, from the first on each time; no more than a partition of them is kept. */
  partitions: AsyncIterable<Partition>;
}

/** The input of the batch that does them, without its manifest: that is read from runs, not where the first one was. */
export type RepeatInput = Omit<BatchInput, 'manifest' | 'source' | 'carried'>;

/** Made from the batch that is repeated, so that asking twice gives one: its failed items are the same each time. */
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
  if (status === 'running') throw refusal(repeated, `it is still running${stage ? ` (${stage})` : ''}`);
  // What failed since its end is a run of its own, and is not repeated here.
  const result = await resultOf(temporal, await temporal.workflow.getHandle(repeated.workflowId).describe());
  const left = { held: 0, lost: 0, cancelled: 0 };
  const facts: PartitionFacts[] = [];
  let absent = 0;
  const items = failedItems(temporal, repeated, total, {
    onOther: (other) => {
      countLeft(left, other);
    },
    onAbsent: () => {
      absent += 1;
    },
  });
  for await (const partition of inPartitions(items)) facts.push(factsOf(partition));
  const manifest = manifestOf(facts);
  const missing = (result?.counts.failed ?? 0) - manifest.items;
  if (missing > 0) throw refusal(repeated, `${missing} of its failed items are not kept any more`);
  // A batch that was stopped has no counts that tell whether an item of an absent partition failed.
  if (!result && absent > 0)
    throw refusal(
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
  try {
    return (await temporal.workflow.getHandle(workflowId, runId).result()) as BatchResult;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Who is told of what is not repeated. */
interface Others {
  onOther: (result: BatchItemResult) => void;
  /** A partition that was never handed over, or is kept no longer. */
  onAbsent: () => void;
}

/** In the manifest's order, partition by partition. */
async function* failedItems(
  temporal: Client,
  repeated: Batch,
  total: number,
  others?: Others,
): AsyncGenerator<{ line: number; item: BatchItem }> {
  let line = 0;
  for (let n = 1; n <= total; n++) {
    const results = await closedResults(temporal, repeated, n);
    if (!results) {
      others?.onAbsent();
      continue;
    }
    const asked = results.some(isFailed) ? await itemsOf(temporal, repeated, n) : [];
    for (const [place, result] of results.entries()) {
      const item = asked[place];
      if (!isFailed(result)) others?.onOther(await followResult(temporal, result));
      else if (item) yield { line: ++line, item: anew(item) };
    }
  }
}

/**
 * Of a partition, that is: the service said that its task failed, or that it takes no such request. What may be alive
 * there has left its partition.
 */
function isFailed({ status }: BatchItemResult): boolean {
  return status === 'failed';
}

/** It gets a task of its own. */
function anew({ taskId, ...item }: BatchItem): BatchItem {
  return item;
}

async function closedResults(
  temporal: Client,
  repeated: Batch,
  n: number,
): Promise<BatchItemResult[] | undefined> {
  // Where the batch was stopped, its partitions follow what they have to its end.
  if (!(await isPartitionOpen(temporal, repeated.key, n))) return partitionResults(temporal, repeated.key, n);
  const workflowId = batchPartWorkflowId(repeated.key, n);
  throw refusal(
    repeated,
    `${workflowId} is still open; ask again when it is over. One that only waits ends within six hours; ` +
      `to end it now: temporal workflow cancel --workflow-id ${workflowId}`,
  );
}

async function itemsOf(temporal: Client, repeated: Batch, n: number): Promise<BatchItem[]> {
  try {
    return await partitionItems(temporal, repeated.key, n);
  } catch (error) {
    if (grpcCode(error) !== GRPC.notFound) throw error;
    throw refusal(
      repeated,
      `what ${batchPartWorkflowId(repeated.key, n)} was asked for is not kept any more; start a batch of those lines, with another key`,
    );
  }
}

function countLeft(left: LeftItems, { status }: BatchItemResult): void {
  if (status === 'held' || status === 'failed') left.held += 1;
  if (status === 'running') left.lost += 1;
  if (status === 'cancelled' || status === 'waiting') left.cancelled += 1;
}

function refusal({ workflowId, runId, key }: Batch, why: string): NotRepeatedError {
  return new NotRepeatedError({ workflowId, runId, key }, `${workflowId} was not run again: ${why}`);
}
