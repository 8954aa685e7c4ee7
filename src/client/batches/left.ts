/** Items that left their batch as runs of their own: what became of them is read there, also when the batch is over. */
import {
  type Client,
  ServiceError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
} from '@temporalio/client';
import { type BatchItemResult, type BatchResult, type ItemCounts, type MediaResult } from '../../contract';
import { failedRun } from '../../failedRun';
import { batchItemPrefix, mediaWorkflowId } from '../../ids';
import { inParallel } from '../../parallel';
import { findOwnRun, isOpen } from '../../ownRun';
import { entryOf, findRuns, quoted } from '../listing';
import { SHORTEST_RETENTION_MS } from './kept';

/** Requests to the server at once. */
const AT_ONCE = 10;

/** Items that count as held and need no person. */
export interface LeftRuns {
  /** Their runs are open, and no person has to decide. */
  goingOn: number;
  /** Temporal no longer keeps their runs. */
  gone: number;
}

export interface FollowedCounts {
  counts: ItemCounts;
  left: LeftRuns;
}

/** The counts of a batch, in which an item that left it counts as what its own run is now. */
export async function followCounts(
  temporal: Client,
  key: string,
  batch: Pick<BatchResult, 'counts' | 'startedAt' | 'stopped'> & { finishedAt?: string },
): Promise<FollowedCounts> {
  const { counts, startedAt, stopped, finishedAt } = batch;
  const total = counts.held - (stopped?.unfollowed ?? 0);
  if (total <= 0) return { counts, left: { goingOn: 0, gone: 0 } };
  const ids = await idsOfLeft(temporal, key, startedAt);
  const runs = await inParallel(AT_ONCE, [...ids], (workflowId) => findOwnRun(temporal, workflowId));
  const found = runs.filter((run) => run !== undefined);
  const succeeded = found.filter((run) => statusOf(run) === 'succeeded').length;
  const failed = found.filter((run) => statusOf(run) === 'failed').length;
  // A run that is missing earlier is one that the list does not show yet.
  const isLongOver = Date.now() - Date.parse(finishedAt ?? '') > SHORTEST_RETENTION_MS;
  return {
    counts: {
      ...counts,
      succeeded: counts.succeeded + succeeded,
      failed: counts.failed + failed,
      held: counts.held - succeeded - failed,
    },
    left: {
      goingOn: found.filter(isGoingOn).length,
      gone: isLongOver ? Math.max(0, total - found.length) : 0,
    },
  };
}

const GRPC_UNIMPLEMENTED = 12;

/** By start time, because Temporal may still keep runs of an earlier batch with the same key. */
async function idsOfLeft(temporal: Client, key: string, startedAt: string): Promise<Set<string>> {
  const prefix = mediaWorkflowId(batchItemPrefix(key));
  const ids = new Set<string>();
  try {
    const found = findRuns(
      temporal,
      `WorkflowId STARTS_WITH ${quoted(prefix)} AND StartTime >= ${quoted(startedAt)}`,
    );
    // Other jobs have keys that are made from an item's: `K~i7+2`, `K~i7-next`.
    for await (const { workflowId } of found)
      if (/^\d+$/.test(workflowId.slice(prefix.length))) ids.add(workflowId);
  } catch (error) {
    const cause = error instanceof ServiceError ? error.cause : error;
    // The time-skipping server, which people test with, lists nothing.
    if ((cause as { code?: unknown }).code !== GRPC_UNIMPLEMENTED) throw error;
  }
  return ids;
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
function whyHeld(workflowId: string, run: WorkflowExecutionDescription | undefined): string | undefined {
  if (!run) return `its run ${workflowId} is not there: Temporal keeps it no longer, or it is about to begin`;
  if (!isOpen(run)) return `its run ${workflowId} was stopped; what to do: segue held`;
  return isGoingOn(run) ? `it goes on as ${workflowId}: ${entryOf(run).stage ?? 'started'}` : undefined;
}

export function followResults(temporal: Client, results: BatchItemResult[]): Promise<BatchItemResult[]> {
  return inParallel(AT_ONCE, results, (result) => followResult(temporal, result));
}

/** A run that was terminated, or timed out, counts as held: the service may still have its task. */
function statusOf({ status }: WorkflowExecutionDescription): 'succeeded' | 'failed' | 'held' {
  if (status.name === 'COMPLETED') return 'succeeded';
  return status.name === 'FAILED' || status.name === 'CANCELLED' ? 'failed' : 'held';
}

/** Whether no person has to do anything for it. */
function isGoingOn(run: WorkflowExecutionDescription): boolean {
  const { stage } = entryOf(run);
  return isOpen(run) && stage !== 'held' && stage !== 'overdue';
}

async function endOf(
  temporal: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<Partial<BatchItemResult>> {
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
