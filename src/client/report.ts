import { type DeliveredResult } from '../contract';

/** The report of a run, as `--json` prints it. */
export type JobStatus =
  'running' | 'succeeded' | 'unsaved' | 'failed' | 'held' | 'abandoned' | 'cancelled' | 'terminated';

export interface JobReport {
  workflowId: string;
  runId: string;
  key: string;
  status: JobStatus;
  stage: string | null;
  taskId: string | null;
  info: unknown;
  /** Whether the run existed before this start. */
  existing: boolean;
  error: string | null;
}

/** The fields of a report about something else than a run: scripts find the same fields everywhere. */
export const NO_JOB = {
  workflowId: null,
  runId: null,
  key: null,
  stage: null,
  taskId: null,
  info: null,
  existing: null,
};

export type Standing = Pick<JobReport, 'status' | 'stage' | 'taskId' | 'info' | 'error'>;

/** A job that has its result. `written` says whether its project has it, too. */
export function deliveredWith(
  { status, written }: Pick<DeliveredResult, 'status' | 'written'>,
  info: unknown,
  taskId: string | null = null,
): Standing {
  const error =
    status === 'unsaved' && written?.ok === false
      ? `the project did not take the result: ${written.error}`
      : null;
  return { status, stage: status, taskId, info, error };
}

export function succeededWith(info: unknown, taskId: string | null = null): Standing {
  return { status: 'succeeded', stage: 'succeeded', taskId, info, error: null };
}
