/** How a run ended that did not succeed. */
import { type WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { FAILURE } from '../contract';

export interface FailedRun {
  status: 'failed' | 'abandoned' | 'cancelled' | 'terminated';
  /** If the failure has it. */
  taskId: string | null;
  /** The errors of the service. */
  errors: unknown;
  /** The same in words. */
  error: string;
}

export function failedRun({ cause, message }: WorkflowFailedError): FailedRun {
  const nothing = { taskId: null, errors: null };
  if (cause instanceof CancelledFailure)
    return { status: 'cancelled', ...nothing, error: 'it was cancelled' };
  if (cause instanceof TerminatedFailure) return { status: 'terminated', ...nothing, error: cause.message };
  if (!(cause instanceof ApplicationFailure))
    return { status: 'failed', ...nothing, error: cause?.message ?? message };
  const [facts] = (cause.details ?? []) as [{ taskId?: string; errors?: unknown }?];
  return {
    status: cause.type === FAILURE.abandoned ? 'abandoned' : 'failed',
    taskId: facts?.taskId ?? null,
    errors: facts?.errors ?? null,
    error: cause.message,
  };
}
