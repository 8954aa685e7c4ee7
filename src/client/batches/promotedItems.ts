/** Items that became separate jobs: their outcome is read from those jobs, also when the batch is over. */
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { type BatchItemResult, type BatchResult, type ItemCounts, type MediaResult } from '../../contract';
import { batchItemPrefix, mediaWorkflowId } from '../../contract/ids';
import { findRunsOfBatch, isItem } from '../../runs/batch/start';
import { failedRun, findOwnRun, isOpen, isRefusedStart, type Listed } from '../../runs/find';
import { entryOf } from '../listing';
import { quoted } from '../../contract/searchAttributes';

export interface FollowedCounts {
  counts: ItemCounts;
  /** How many of the held items have an open job that needs no person. */
  continuing: number;
}

/** The counts of a batch, with the status of separate jobs from the list of runs. */
export async function followCounts(
  temporal: Client,
  key: string,
  { startedAt, stopped, counts: counted }: Pick<BatchResult, 'counts' | 'startedAt' | 'stopped'>,
): Promise<FollowedCounts> {
  const counts = { ...counted };
  if (counts.held <= (stopped?.unfollowed ?? 0)) return { counts, continuing: 0 };
  const runs = await runsOfPromoted(temporal, key, startedAt);
  for (const run of runs) {
    counts[statusOf(run)] += 1;
    counts.held -= 1;
  }
  return {
    counts,
    continuing: runs.filter(isContinuing).length,
  };
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
  const run = await findOwnRun(temporal, workflowId);
  const now = run ? statusOf(run) : 'held';
  const taskId = (run && entryOf(run).taskId) ?? result.taskId;
  if (run && now !== 'held') return { ...result, status: now, taskId, ...(await endOf(temporal, run)) };
  const errors = [error, whyHeld(workflowId, run)].filter((known) => known !== undefined);
  return { ...result, taskId, error: errors.join('; ') || undefined };
}

/** Undefined for a job that waits for a decision: the batch knows why. */
function whyHeld(workflowId: string, run: Listed | undefined): string | undefined {
  if (!run) return `its run ${workflowId} was not found: past retention, deleted, or not started yet`;
  if (!isOpen(run)) return `its run ${workflowId} was stopped; what to do: segue held`;
  return isContinuing(run) ? `it continues as ${workflowId}: ${entryOf(run).stage ?? 'started'}` : undefined;
}

/** A run that was terminated, or timed out, counts as held: the service may still have its task. */
function statusOf(run: Listed): 'succeeded' | 'unsaved' | 'failed' | 'held' {
  const { status } = run;
  if (status.name === 'COMPLETED') return entryOf(run).status === 'unsaved' ? 'unsaved' : 'succeeded';
  return status.name === 'FAILED' || status.name === 'CANCELLED' ? 'failed' : 'held';
}

/** Whether no person has to do anything for it. */
function isContinuing(run: Listed): boolean {
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
    const { errors, error: message } = failedRun(error);
    return { error: errors === null ? message : `${message}: ${JSON.stringify(errors)}` };
  }
}
