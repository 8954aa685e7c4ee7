/** What became of a run that is closed, as a report tells it. */
import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  type WorkflowFailedError,
} from '@temporalio/client';
import { FAILURE, type MediaResult, type RecordResult, type TranscriptResult } from '../contract';
import { type JobReport, type JobStatus } from './report';

export type ClosedOutcome = Pick<JobReport, 'status' | 'stage' | 'taskId' | 'info' | 'error'>;

export function succeededOutcome({ status, taskId, info }: MediaResult): ClosedOutcome {
  return { status, stage: status, taskId, info, error: null };
}

export function transcriptOutcome(result: TranscriptResult): ClosedOutcome {
  const { status, transcriptionId, format, text, empty = false, written, notified } = result;
  const info = { transcriptionId, format, text, empty, written, notified };
  return { status, stage: status, taskId: null, info, error: null };
}

/** What was waited for, as the service gives it. */
export function recordOutcome({ status, record }: RecordResult): ClosedOutcome {
  return { status, stage: status, taskId: null, info: record, error: null };
}

export function failedOutcome({ cause, message }: WorkflowFailedError): ClosedOutcome {
  const nothing = { taskId: null, info: null };
  if (cause instanceof CancelledFailure)
    return outcome('cancelled', { ...nothing, error: 'it was cancelled' });
  if (cause instanceof TerminatedFailure) return outcome('terminated', { ...nothing, error: cause.message });
  if (!(cause instanceof ApplicationFailure))
    return outcome('failed', { ...nothing, error: cause?.message ?? message });
  const [facts] = (cause.details ?? []) as [{ taskId?: string; errors?: unknown }?];
  const status = cause.type === FAILURE.abandoned ? 'abandoned' : 'failed';
  return outcome(status, {
    taskId: facts?.taskId ?? null,
    info: facts?.errors ?? null,
    error: cause.message,
  });
}

function outcome(status: JobStatus, rest: Pick<JobReport, 'taskId' | 'info' | 'error'>): ClosedOutcome {
  return { status, stage: status, ...rest };
}
