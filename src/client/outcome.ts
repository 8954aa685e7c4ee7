/** What became of a run that is closed, as a report tells it. */
import { type WorkflowFailedError } from '@temporalio/client';
import { type MediaResult, type RecordResult, type TranscriptResult } from '../contract';
import { failedRun } from '../runs/failedRun';
import { type Standing } from './report';

export function succeededOutcome({ status, taskId, info }: MediaResult): Standing {
  return { status, stage: status, taskId, info, error: null };
}

export function transcriptOutcome(result: TranscriptResult): Standing {
  const { status, transcriptionId, format, text, empty = false, written, notified } = result;
  const info = { transcriptionId, format, text, empty, written, notified };
  return { status, stage: status, taskId: null, info, error: null };
}

/** What was waited for, as the service gives it. */
export function recordOutcome({ status, record }: RecordResult): Standing {
  return { status, stage: status, taskId: null, info: record, error: null };
}

export function failedOutcome(failure: WorkflowFailedError): Standing {
  const { status, taskId, errors, error } = failedRun(failure);
  return { status, stage: status, taskId, info: errors, error };
}
