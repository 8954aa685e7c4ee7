import { TemporalFailure } from '@temporalio/workflow';

/** Whether a child was not started because its id has a run, open or closed. The SDK keeps this one class to itself. */
export function isAlreadyStarted(error: unknown): boolean {
  return error instanceof TemporalFailure && error.name === 'WorkflowExecutionAlreadyStartedError';
}
