import { type Info } from '@temporalio/activity';

export interface GuardOptions {
  /** Off only on the time-skipping test server, which reports both times wrongly. */
  checkScheduledTime?: boolean;
  /** `SEGUE_HOLD_SUBMITS_BEFORE`. */
  holdBefore?: Date;
}

/**
 * Why this execution of a submit must not send, or undefined when it may.
 *
 * `maximumAttempts: 1` alone does not keep a submit from running twice. Each of these guards is needed:
 * - attempt > 1: pause, fail and unpause, or a raised maximum, runs the activity again;
 * - scheduled anew: unpause with reset attempts puts the count back to 1;
 * - another run: a workflow reset schedules the activity again in a run with another id;
 * - scheduled before a time that an operator gave: a server restored from a backup schedules again what was sent after
 *   the backup was made, and nothing else in the activity shows it.
 */
export function reasonNotToSend(
  info: Pick<
    Info,
    'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs' | 'workflowExecution'
  >,
  orderedByRun: string,
  { checkScheduledTime = true, holdBefore }: GuardOptions,
): string | undefined {
  if (info.attempt > 1) return `this is attempt ${info.attempt}; an earlier one may have been accepted`;
  if (checkScheduledTime && info.currentAttemptScheduledTimestampMs > info.scheduledTimestampMs) {
    return 'it was scheduled anew; an earlier attempt may have been accepted';
  }
  if (info.workflowExecution?.runId !== orderedByRun) {
    return 'the run was reset; the submission of the run before it may have been accepted';
  }
  if (holdBefore && info.scheduledTimestampMs < holdBefore.getTime()) {
    const [ordered, before] = [new Date(info.scheduledTimestampMs), holdBefore].map((time) =>
      time.toISOString(),
    );
    return `it was ordered at ${ordered}, before SEGUE_HOLD_SUBMITS_BEFORE (${before}); it may have been accepted before Temporal was restored`;
  }
  return undefined;
}
