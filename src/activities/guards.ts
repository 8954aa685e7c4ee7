import { type Info } from '@temporalio/activity';

/**
 * Why this execution of a submit must not send, or undefined when it may.
 *
 * `maximumAttempts: 1` alone does not keep a submit from running twice. Each of these is needed:
 * - attempt > 1: pause, fail and unpause, or a raised maximum, run it again;
 * - scheduled anew: unpause with reset attempts puts the count back to 1;
 * - another run: a workflow reset schedules it again in a run with another id.
 */
export function reasonNotToSend(
  info: Pick<
    Info,
    'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs' | 'workflowExecution'
  >,
  orderedByRun: string,
  options: { checkScheduledTime: boolean },
): string | undefined {
  if (info.attempt > 1) return `this is attempt ${info.attempt}; an earlier one may have been accepted`;
  if (options.checkScheduledTime && info.currentAttemptScheduledTimestampMs > info.scheduledTimestampMs) {
    return 'it was scheduled anew; an earlier attempt may have been accepted';
  }
  if (info.workflowExecution?.runId !== orderedByRun) {
    return 'the run was reset; the submission of the run before it may have been accepted';
  }
  return undefined;
}
