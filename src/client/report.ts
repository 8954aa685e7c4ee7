/** What is known of a run: its report, as `--json` prints it, and its entry in a list, which needs no worker. */
import { type DeliveredResult, type MediaStage, type ProjectRef } from '../contract';
import { keyIn } from '../contract/ids';
import { keyword, quoted, searchAttributes } from '../contract/searchAttributes';
import { type Listed } from '../runs/find';

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

/** What `run` gives. A media job has its task. */
export interface SuccessReport extends JobReport {
  status: 'succeeded';
  error: null;
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

export function succeededWith(info: unknown): Standing {
  return { status: 'succeeded', stage: 'succeeded', taskId: null, info, error: null };
}

export interface JobFilter {
  stage?: MediaStage;
  tool?: string;
  /** The project that the result is written to. */
  project?: ProjectRef;
}

export interface JobEntry<Stage = MediaStage> {
  workflowId: string;
  runId: string;
  key: string;
  status: JobStatus;
  /** As the list has it, which lags behind. */
  stage: Stage | null;
  /** The current task, or the last one. */
  taskId: string | null;
  tool: string | null;
  project: string | null;
  startedAt: string;
  closedAt: string | null;
}

export function entryOf<Stage extends string = MediaStage>(run: Listed): JobEntry<Stage> {
  const { workflowId, runId, startTime, closeTime, typedSearchAttributes: listed } = run;
  const stage = (listed.get(searchAttributes.stage) ?? null) as Stage | null;
  return {
    workflowId,
    runId,
    key: keyIn(workflowId),
    status: statusOf(run, stage),
    stage,
    taskId: listed.get(searchAttributes.taskIds)?.at(0) ?? null,
    tool: listed.get(searchAttributes.tool) ?? null,
    project: listed.get(searchAttributes.project) ?? null,
    startedAt: startTime.toISOString(),
    // The server lists a paused run with the close time 0001-01-01.
    closedAt: run.status.name === 'PAUSED' ? null : (closeTime?.toISOString() ?? null),
  };
}

const CLOSED: Partial<Record<Listed['status']['name'], JobStatus>> = {
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
};

function statusOf({ status }: Listed, stage: string | null): JobStatus {
  const closed = CLOSED[status.name];
  if (!closed) return stage === 'held' ? 'held' : 'running';
  if (status.name === 'FAILED' && stage === 'abandoned') return 'abandoned';
  if (status.name !== 'COMPLETED') return closed;
  if (stage === 'rejected' || stage === 'expired') return 'failed';
  return stage === 'unsaved' ? 'unsaved' : closed;
}

export function queryOf({ stage, tool, project }: Omit<JobFilter, 'stage'> & { stage?: string }): string {
  const wanted: [{ name: string }, string | undefined][] = [
    [searchAttributes.stage, stage],
    [searchAttributes.tool, tool],
    [searchAttributes.project, project && `${project.resourcetype}/${project.id}`],
  ];
  return [
    // A run that continued as new is listed as the new one.
    "ExecutionStatus != 'ContinuedAsNew'",
    ...wanted.flatMap(([{ name }, value]) =>
      value === undefined ? [] : [`${name} = ${quoted(keyword(value))}`],
    ),
  ].join(' AND ');
}
