import { type WorkflowExecutionInfo } from '@temporalio/client';

/** Whether a run is not over: an operator may have paused it, or another one goes on in its place. */
export function isOpen({ status }: Pick<WorkflowExecutionInfo, 'status'>): boolean {
  return ['RUNNING', 'PAUSED', 'CONTINUED_AS_NEW'].includes(status.name);
}
