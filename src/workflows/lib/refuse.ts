/** Refuses inputs, unsafe starts and Updates; every workflow uses it. */
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { FAILURE, MEDIA_REQUEST_WORKFLOW, START_MEMO } from '../../contract';

/** Fails the run with all problems of its input at once. */
export function requireInput(problems: string[]): void {
  if (problems.length === 0) return;
  throw ApplicationFailure.nonRetryable(`The job was not started: ${problems.join('; ')}`, FAILURE.badInput);
}

/** Refuses an update; the run continues unchanged. */
export function badDecision(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURE.badDecision);
}

export function refuseUpdate(problems: string[], message = 'Nothing was changed'): void {
  if (problems.length > 0) throw badDecision(`${message}: ${problems.join('; ')}`);
}

/**
 * Fails a run, before it does anything, whose start could pay or notify twice: the server repeats a run with a retry
 * policy or a cron schedule, and another id than the key's own lets a second run of the same job in. Segue's own starts
 * have a memo and the reuse policy RejectDuplicate; a start without the memo may repeat a closed run of its id.
 */
export function refuseUnsafeStart(key: string, id: string, input: { carried?: object } = {}): void {
  const info = workflowInfo();
  const problems = validateCarried(input);
  if (info.attempt > 1) problems.push('it is a retry; start it without a retry policy');
  if (info.cronSchedule) problems.push('it has a cron schedule; use a Temporal Schedule of Segue');
  if (info.workflowId !== id) problems.push(`its workflow id is ${info.workflowId}, but its key gives ${id}`);
  if (info.memo?.[START_MEMO] === undefined) problems.push(PLAIN_START);
  if (problems.length === 0) return;
  throw ApplicationFailure.nonRetryable(
    `Job ${key} was not started: ${problems.join('; ')}`,
    FAILURE.unsafeStart,
  );
}

const PLAIN_START =
  `without the memo ${START_MEMO} it could repeat a closed run. Use SegueClient or the \`segue\` command, or for a ` +
  `media job start the workflow ${MEDIA_REQUEST_WORKFLOW} with the same input and any workflow id. Other languages start ` +
  'campaigns, transcripts, records and outlooks with this memo and the policies RejectDuplicate and UseExisting. If this ' +
  'key never ran, use a new key: this failed run now occupies its id.';

/** Only continue-as-new may give a state: the UI copies it when somebody starts a workflow like another one. */
export function validateCarried({ carried }: { carried?: object }): string[] {
  if (!carried || workflowInfo().continuedFromExecutionRunId !== undefined) return [];
  return ['its input has `carried`, which only a run that continues as new has; leave it out'];
}
