import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { FAILURE, START_MEMO } from '../../contract';

/**
 * Ends a run, before it does anything, that was started in a way that could pay or tell twice: the server repeats a
 * run with a retry policy or a cron schedule, and an id other than the key's own lets a second run of the same job in.
 */
export function refuseUnsafeStart(key: string, id: string, input: { carried?: object } = {}): void {
  const info = workflowInfo();
  const problems = problemsOfCarried(input);
  if (info.attempt > 1) problems.push('it is a retry; start it without a retry policy');
  if (info.cronSchedule) problems.push('it has a cron schedule; use a Temporal Schedule of Segue');
  if (info.workflowId !== id) problems.push(`its workflow id is ${info.workflowId}, but its key gives ${id}`);
  if (problems.length === 0) return;
  throw ApplicationFailure.nonRetryable(
    `Job ${key} was not started: ${problems.join('; ')}`,
    FAILURE.unsafeStart,
  );
}

/** What a run knew is taken from that run alone: the UI copies it when it starts a workflow like another one. */
export function problemsOfCarried({ carried }: { carried?: object }): string[] {
  if (!carried || workflowInfo().continuedFromExecutionRunId !== undefined) return [];
  return ['its input has `carried`, which only a run that continues as new has; leave it out'];
}

/** By default a start of a closed id, from the UI too, makes a new run, which would pay again: Segue's own starts do not. */
export function refusePlainStart(key: string, advice: string): void {
  if (workflowInfo().memo?.[START_MEMO] !== undefined) return;
  throw ApplicationFailure.nonRetryable(
    `Job ${key} was not started: this start does not tell whether the job was paid for before. ${advice}`,
    FAILURE.unsafeStart,
  );
}

/** Where a plain start of a batch or of its partition is refused. */
export const START_BATCHES_BY_CLIENT =
  "`segue batch start` or Segue's client starts a batch, and `segue batch retry` runs again what failed in it";
