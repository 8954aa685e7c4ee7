import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { FAILURE } from '../contract';
import { mediaWorkflowId } from '../ids';

/**
 * Ends a run, before it submits, that was started in a way that could pay twice: the server repeats a run with a
 * retry policy or a cron schedule, and an id other than the key's own lets a second run of the same job in.
 */
export function refuseUnsafeStart(key: string): void {
  const info = workflowInfo();
  const problems: string[] = [];
  if (info.attempt > 1) problems.push('it is a retry; start it without a retry policy');
  if (info.cronSchedule) problems.push('it has a cron schedule; use a Temporal Schedule of Segue');
  const id = mediaWorkflowId(key);
  if (info.workflowId !== id) problems.push(`its workflow id is ${info.workflowId}, but its key gives ${id}`);
  if (problems.length === 0) return;
  throw ApplicationFailure.nonRetryable(
    `Job ${key} was not started: ${problems.join('; ')}`,
    FAILURE.unsafeStart,
  );
}
