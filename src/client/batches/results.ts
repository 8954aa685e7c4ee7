/** The results of items, read from their partitions, and from the jobs that some of them became. */
import { type Client, type WorkflowHandle } from '@temporalio/client';
import {
  type BatchItem,
  type BatchItemResult,
  type BatchManifest,
  type BatchResult,
  type ItemCounts,
  type MediaResult,
  type PartitionInput,
  type PartitionResult,
  partitionResultsQuery,
} from '../../contract';
import { againKey, batchItemPrefix, batchPartWorkflowId, mediaWorkflowId } from '../../contract/ids';
import { quoted } from '../../contract/searchAttributes';
import { inParallel } from '../../platform/parallel';
import { findRunsOfBatch, isItem } from '../../runs/batch/start';
import { endOfRun, failedRun, findOwnRun, isOpen, isRefusedStart, type Listed } from '../../runs/find';
import { noAnswer, queryRun } from '../../runs/query';
import { inputOf } from '../../runs/start';
import { entryOf } from '../report';

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

/**
 * Items that the service refused or failed, as the manifest had them. Those that became separate jobs are left out: the
 * service may still work on them.
 */
export async function* failedItemsOfBatch(
  temporal: Client,
  key: string,
  { partitions }: BatchManifest,
): AsyncGenerator<BatchItem> {
  for (const index of partitions.keys()) {
    const partition = await findPartition(temporal, key, index + 1);
    const results = partition ? await partitionResults(temporal, partition) : [];
    if (!partition || !results.some(({ status }) => status === 'failed')) continue;
    const items = await partitionItems(temporal, partition);
    // A task that failed is not polled again.
    for (const [position, { taskId: _failed, ...item }] of items.entries())
      if (results[position]?.status === 'failed') yield item;
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

/** A `NoAnswer` if it needs a worker and none answers. */
export async function partitionResults(
  temporal: Client,
  partition: WorkflowHandle,
): Promise<BatchItemResult[]> {
  const { status, historyLength, raw, runId } = await partition.describe();
  if (status.name === 'COMPLETED') return ((await partition.result()) as PartitionResult).items;
  // A stopped run is queried, too: a worker replays its history.
  const results = await queryRun<BatchItemResult[]>(temporal, partition, partitionResultsQuery);
  if (results) return results;
  const isFirstRun = (raw.workflowExecutionInfo?.firstRunId ?? runId) === runId;
  // Refused its input, or was stopped before a worker took it: such a run answers no query.
  if (!isOpen({ status }) && isFirstRun && historyLength <= 5)
    return (await partitionItems(temporal, partition)).map(({ key, taskId = null }) => ({
      ...{ key, status: taskId ? 'running' : 'waiting', taskId },
    }));
  throw await noAnswer(temporal, partition.workflowId);
}

export async function partitionItems(temporal: Client, partition: WorkflowHandle): Promise<BatchItem[]> {
  const { workflowId, raw, runId } = await partition.describe();
  // Only the input of the first run has all items.
  const first = { workflowId, runId: raw.workflowExecutionInfo?.firstRunId ?? runId };
  return ((await inputOf(temporal, first)) as PartitionInput).items;
}

/** The counts of a batch, with the status of separate jobs from the list of runs. */
export async function followCounts(
  temporal: Client,
  key: string,
  { startedAt, stopped, counts: counted }: Pick<BatchResult, 'counts' | 'startedAt' | 'stopped'>,
): Promise<ItemCounts> {
  const counts = { ...counted };
  if (counts.held <= (stopped?.unfollowed ?? 0)) return counts;
  const runs = await runsOfPromoted(temporal, key, startedAt);
  for (const run of await inParallel(AT_ONCE, runs, (run) => latestRetry(temporal, run))) {
    counts[statusOf(run)] += 1;
    counts.held -= 1;
  }
  return counts;
}

/** The retry of an unsaved job is another run, whose status counts unless it failed. */
async function latestRetry(temporal: Client, run: Listed): Promise<Listed> {
  if (statusOf(run) !== 'unsaved') return run;
  const next = await findOwnRun(temporal, againKey(run.workflowId));
  // An older run with such a key is the retry of another job.
  const isRetry = next && statusOf(next) !== 'failed' && next.startTime >= (run.closeTime ?? run.startTime);
  return isRetry ? latestRetry(temporal, next) : run;
}

/** By start time, because Temporal may still keep runs of an earlier batch with the same key. */
async function runsOfPromoted(temporal: Client, key: string, startedAt: string): Promise<Listed[]> {
  const prefix = mediaWorkflowId(batchItemPrefix(key));
  const latest = new Map<string, Listed>();
  const query = `WorkflowId STARTS_WITH ${quoted(prefix)} AND StartTime >= ${quoted(startedAt)}`;
  for await (const run of findRunsOfBatch(temporal, query)) {
    const { workflowId } = run;
    const other = latest.get(workflowId);
    if (isItem(workflowId, prefix) && !isRefusedStart(run) && (!other || run.startTime > other.startTime))
      latest.set(workflowId, run);
  }
  return [...latest.values()];
}

/** The result of an item, with the outcome of its separate job. */
export async function followResult(temporal: Client, result: BatchItemResult): Promise<BatchItemResult> {
  const { status, workflowId, error } = result;
  if (status !== 'held' || workflowId === undefined) return result;
  const first = await findOwnRun(temporal, workflowId);
  const run = first && (await latestRetry(temporal, first));
  const now = run ? statusOf(run) : 'held';
  const taskId = (run && entryOf(run).taskId) ?? result.taskId;
  if (run && now !== 'held')
    return { ...result, status: now, taskId, workflowId: run.workflowId, ...(await endOf(temporal, run)) };
  const errors = [error, whyHeld(run?.workflowId ?? workflowId, run)].filter((known) => known !== undefined);
  return { ...result, taskId, error: errors.join('; ') || undefined };
}

function whyHeld(workflowId: string, run: Listed | undefined): string {
  if (!run) return `its run ${workflowId} was not found: past retention, deleted, or not started yet`;
  if (!isOpen(run)) return `its run ${workflowId} was stopped; what to do: segue held`;
  return `its run ${workflowId} is open: ${entryOf(run).stage ?? 'started'}`;
}

/** A run that was terminated, or timed out, counts as held: the service may still have its task. */
function statusOf(run: Listed): 'succeeded' | 'unsaved' | 'failed' | 'held' {
  const { status } = run;
  if (status.name === 'COMPLETED') return entryOf(run).status === 'unsaved' ? 'unsaved' : 'succeeded';
  return status.name === 'FAILED' || status.name === 'CANCELLED' ? 'failed' : 'held';
}

async function endOf(temporal: Client, { workflowId, runId }: Listed): Promise<Partial<BatchItemResult>> {
  const end = await endOfRun(temporal.workflow.getHandle(workflowId, runId));
  if ('failure' in end) {
    const { errors, error } = failedRun(end.failure);
    return { error: errors === null ? error : `${error}: ${JSON.stringify(errors)}` };
  }
  const { taskId, info, written, notified } = end.result as MediaResult;
  const unwritten = written?.ok === false ? written.error : undefined;
  return { taskId, info, error: undefined, unwritten, notified: notified ?? undefined };
}
