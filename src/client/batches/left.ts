/** Items that left their batch as runs of their own: what became of them is read there, also when the batch is over. */
import { type Client, ServiceError, WorkflowFailedError } from '@temporalio/client';
import {
  BATCH_PART_WORKFLOW,
  type BatchItemResult,
  type BatchResult,
  type ItemCounts,
  MEDIA_WORKFLOW,
  type MediaResult,
} from '../../contract';
import { requireGood } from '../../errors';
import { failedRun } from '../../runs/failedRun';
import { batchItemPrefix, batchPartPrefix, batchWorkflowId, mediaWorkflowId } from '../../contract/ids';
import { inParallel } from '../../platform/parallel';
import { findOwnRun, isOpen, isRefusedStart } from '../../runs/ownRun';
import { entryOf, findRuns } from '../listing';
import { quoted } from '../../contract/searchAttributes';
import { type Listed } from '../run';

/** Requests to the server at once. */
const AT_ONCE = 10;

export interface FollowedCounts {
  counts: ItemCounts;
  /** How many of the held items have an open run that needs no person. */
  goingOn: number;
}

/** The counts of a batch, in which an item that left it counts as what the list tells of its own run. */
export async function followCounts(
  temporal: Client,
  key: string,
  { counts, startedAt, stopped }: Pick<BatchResult, 'counts' | 'startedAt' | 'stopped'>,
): Promise<FollowedCounts> {
  if (counts.held <= (stopped?.unfollowed ?? 0)) return { counts, goingOn: 0 };
  const runs = await runsOfLeft(temporal, key, startedAt);
  const succeeded = runs.filter((run) => statusOf(run) === 'succeeded').length;
  const failed = runs.filter((run) => statusOf(run) === 'failed').length;
  return {
    counts: {
      ...counts,
      succeeded: counts.succeeded + succeeded,
      failed: counts.failed + failed,
      held: counts.held - succeeded - failed,
    },
    goingOn: runs.filter(isGoingOn).length,
  };
}

/** By start time, because Temporal may still keep runs of an earlier batch with the same key. */
async function runsOfLeft(temporal: Client, key: string, startedAt: string): Promise<Listed[]> {
  const prefix = mediaWorkflowId(batchItemPrefix(key));
  const latest = new Map<string, Listed>();
  const query = `WorkflowId STARTS_WITH ${quoted(prefix)} AND StartTime >= ${quoted(startedAt)}`;
  for await (const run of runsWhereListed(temporal, query)) {
    const { workflowId } = run;
    const other = latest.get(workflowId);
    if (isItem(workflowId, prefix) && !isRefusedStart(run) && (!other || run.startTime > other.startTime))
      latest.set(workflowId, run);
  }
  return [...latest.values()];
}

/** Not jobs whose key extends an item's (`K~i7+2`, `K~i7-next`), nor ids in another case: some databases ignore it. */
function isItem(workflowId: string, prefix: string): boolean {
  return workflowId.startsWith(prefix) && /^\d+$/.test(workflowId.slice(prefix.length));
}

/**
 * Refuses a key whose batch run is past retention while a partition or item of it is kept: the new batch would reuse
 * their workflow ids.
 */
export async function requireUnusedKey(temporal: Client, key: string): Promise<void> {
  if (await findOwnRun(temporal, batchWorkflowId(key))) return;
  const items = mediaWorkflowId(batchItemPrefix(key));
  const query = [items, batchPartPrefix(key)]
    .map((prefix) => `WorkflowId STARTS_WITH ${quoted(prefix)}`)
    .join(' OR ');
  for await (const { workflowId } of runsWhereListed(temporal, query)) {
    if (!isItem(workflowId, items) && !workflowId.startsWith(batchPartPrefix(key))) continue;
    // Another client may have started this batch since the first check.
    if (await findOwnRun(temporal, batchWorkflowId(key))) return;
    const problem = `Temporal still keeps ${workflowId} of an earlier batch with the key ${key}; choose another key`;
    requireGood([problem], 'The batch was not started');
  }
}

const GRPC_UNIMPLEMENTED = 12;

/** None on the time-skipping server, which people test with, and which lists nothing. */
async function* runsWhereListed(temporal: Client, query: string): AsyncGenerator<Listed> {
  try {
    yield* findRuns(temporal, query, [MEDIA_WORKFLOW, BATCH_PART_WORKFLOW]);
  } catch (error) {
    const cause = error instanceof ServiceError ? error.cause : error;
    if ((cause as { code?: unknown }).code !== GRPC_UNIMPLEMENTED) throw error;
  }
}

/** A result of a batch, as it is now. */
export async function followResult(temporal: Client, result: BatchItemResult): Promise<BatchItemResult> {
  const { status, workflowId, error } = result;
  if (status !== 'held' || workflowId === undefined) return result;
  const run = await findOwnRun(temporal, workflowId);
  const now = run ? statusOf(run) : 'held';
  const taskId = (run && entryOf(run).taskId) ?? result.taskId;
  if (run && now !== 'held') return { ...result, status: now, taskId, ...(await endOf(temporal, run)) };
  const words = [error, whyHeld(workflowId, run)].filter((known) => known !== undefined);
  return { ...result, taskId, error: words.join('; ') || undefined };
}

/** Undefined where it waits for a decision: its batch told why. */
function whyHeld(workflowId: string, run: Listed | undefined): string | undefined {
  if (!run) return `its run ${workflowId} is not there: Temporal keeps it no longer, or it is about to begin`;
  if (!isOpen(run)) return `its run ${workflowId} was stopped; what to do: segue held`;
  return isGoingOn(run) ? `it goes on as ${workflowId}: ${entryOf(run).stage ?? 'started'}` : undefined;
}

export function followResults(temporal: Client, results: BatchItemResult[]): Promise<BatchItemResult[]> {
  return inParallel(AT_ONCE, results, (result) => followResult(temporal, result));
}

/** A run that was terminated, or timed out, counts as held: the service may still have its task. */
function statusOf({ status }: Listed): 'succeeded' | 'failed' | 'held' {
  if (status.name === 'COMPLETED') return 'succeeded';
  return status.name === 'FAILED' || status.name === 'CANCELLED' ? 'failed' : 'held';
}

/** Whether no person has to do anything for it. */
function isGoingOn(run: Listed): boolean {
  const { stage } = entryOf(run);
  return isOpen(run) && stage !== 'held' && stage !== 'overdue';
}

async function endOf(temporal: Client, { workflowId, runId }: Listed): Promise<Partial<BatchItemResult>> {
  try {
    const result: unknown = await temporal.workflow.getHandle(workflowId, runId).result();
    const { taskId, info, written, notified } = result as MediaResult;
    const unwritten = written?.ok === false ? written.error : undefined;
    return { taskId, info, error: undefined, unwritten, notified: notified ?? undefined };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { errors, error: words } = failedRun(error);
    return { error: errors === null ? words : `${words}: ${JSON.stringify(errors)}` };
  }
}
