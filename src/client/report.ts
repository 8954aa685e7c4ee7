/** How a job stands, in the words of the command contract; what `--json` prints. */
import { type WorkflowFailedError } from '@temporalio/client';
import { failedRun } from '../runs/failedRun';

export type JobStatus =
  'running' | 'succeeded' | 'failed' | 'held' | 'abandoned' | 'cancelled' | 'terminated';

export interface JobReport {
  workflowId: string;
  runId: string;
  key: string;
  status: JobStatus;
  stage: string | null;
  taskId: string | null;
  info: unknown;
  /** Whether the run was there before it was asked for. */
  existing: boolean;
  error: string | null;
}

/** What a report says of anything that is not a job: scripts find the same fields everywhere. */
export const NO_JOB = {
  workflowId: null,
  runId: null,
  key: null,
  stage: null,
  taskId: null,
  info: null,
  existing: null,
};

/** How a run stands, whichever it is. */
export type Standing = Pick<JobReport, 'status' | 'stage' | 'taskId' | 'info' | 'error'>;

export function succeededWith(info: unknown, taskId: string | null = null): Standing {
  return { status: 'succeeded', stage: 'succeeded', taskId, info, error: null };
}

export function failedOutcome(failure: WorkflowFailedError): Standing {
  const { status, taskId, errors, error } = failedRun(failure);
  return { status, stage: status, taskId, info: errors, error };
}
