import { type Client, type WorkflowHandle } from '@temporalio/client';
import {
  type BatchItem,
  type BatchItemResult,
  type BatchManifest,
  type PartitionInput,
  type PartitionResult,
  partitionResultsQuery,
} from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { inParallel } from '../../platform/parallel';
import { findOwnRun, isOpen, isRefusedStart } from '../../runs/find';
import { noAnswer, queryRun } from '../../runs/query';
import { inputOf } from '../../runs/start';
import { followResult } from './promotedItems';

/** A partition that is not handed over yet, or that Temporal no longer keeps. */
export interface MissingResults {
  /** Which one it is, from 1, and the number of its first item. */
  n: number;
  first: number;
  items: number;
}

export interface ResultsOptions {
  /** Called for each partition without results, in the manifest's order. */
  onMissing?: (missing: MissingResults) => void;
}

/** Requests to the server at once. */
const AT_ONCE = 10;

export async function* resultsOfBatch(
  temporal: Client,
  key: string,
  { partitions }: BatchManifest,
  { onMissing }: ResultsOptions,
): AsyncGenerator<BatchItemResult> {
  let first = 1;
  for (const [index, { items }] of partitions.entries()) {
    const n = index + 1;
    const partition = await findPartition(temporal, key, n);
    if (partition) {
      const results = await partitionResults(temporal, partition);
      yield* await inParallel(AT_ONCE, results, (result) => followResult(temporal, result));
    } else onMissing?.({ n, first, items });
    first += items;
  }
}

/** Undefined if Temporal has no run of it, or only a start that was refused. */
export async function findPartition(
  temporal: Client,
  batch: string,
  n: number,
): Promise<WorkflowHandle | undefined> {
  const run = await findOwnRun(temporal, batchPartWorkflowId(batch, n));
  if (!run || isRefusedStart(run)) return undefined;
  return temporal.workflow.getHandle(run.workflowId, run.isHidden ? run.runId : undefined);
}

/** A `NoAnswerError` if it needs a worker and none answers. */
export async function partitionResults(
  temporal: Client,
  partition: WorkflowHandle,
): Promise<BatchItemResult[]> {
  const { status } = await partition.describe();
  if (status.name === 'COMPLETED') return ((await partition.result()) as PartitionResult).items;
  // A stopped run is queried, too: a worker replays its history.
  const results = await queryRun<BatchItemResult[]>(temporal, partition, partitionResultsQuery);
  if (results) return results;
  if (!isOpen({ status }) && (await didNothing(partition)))
    return (await partitionItems(temporal, partition)).map(({ key, taskId = null }) => ({
      ...{ key, status: taskId ? 'running' : 'waiting', taskId },
    }));
  throw await noAnswer(temporal, partition.workflowId);
}

/** Refused its input, or was stopped before a worker took it: such a run answers no query. */
async function didNothing(partition: WorkflowHandle): Promise<boolean> {
  const { raw, runId } = await partition.describe();
  if ((raw.workflowExecutionInfo?.firstRunId ?? runId) !== runId) return false;
  const { events } = await partition.fetchHistory();
  return events?.every(({ activityTaskScheduledEventAttributes: sent }) => !sent) ?? false;
}

export async function partitionItems(temporal: Client, partition: WorkflowHandle): Promise<BatchItem[]> {
  const { workflowId, raw, runId } = await partition.describe();
  // Only the input of the first run has all items.
  const first = { workflowId, runId: raw.workflowExecutionInfo?.firstRunId ?? runId };
  return ((await inputOf(temporal, first)) as PartitionInput).items;
}
