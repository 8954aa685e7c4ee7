/** Jobs as Temporal lists them: found by search attributes, without asking any worker. */
import { type Client } from '@temporalio/client';
import { type MediaStage, type ProjectRef } from '../contract';
import { keyIn } from '../contract/ids';
import { countRuns, findRuns, type Listed } from '../runs/ownRun';
import { type JobStatus } from './report';
import { keyword, quoted, searchAttributes } from '../contract/searchAttributes';

export interface JobFilter {
  stage?: MediaStage;
  tool?: string;
  /** The project that the result is written to. */
  project?: ProjectRef;
}

export interface JobEntry {
  workflowId: string;
  runId: string;
  key: string;
  status: JobStatus;
  /** The last one that was listed. */
  stage: MediaStage | null;
  /** The one that is followed, or the last that was. */
  taskId: string | null;
  tool: string | null;
  project: string | null;
  startedAt: string;
  closedAt: string | null;
}

export async function* listJobs(temporal: Client, filter: JobFilter): AsyncGenerator<JobEntry> {
  for await (const run of findRuns(temporal, queryOf(filter))) yield entryOf(run);
}

export function countJobs(temporal: Client, filter: JobFilter): Promise<number> {
  return countRuns(temporal, queryOf(filter));
}

export function entryOf(run: Listed): JobEntry {
  const { workflowId, runId, startTime, closeTime, typedSearchAttributes: listed } = run;
  const stage = (listed.get(searchAttributes.stage) ?? null) as MediaStage | null;
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

function statusOf({ status }: Listed, stage: MediaStage | null): JobStatus {
  switch (status.name) {
    case 'COMPLETED':
      return 'succeeded';
    case 'FAILED':
      return stage === 'abandoned' ? 'abandoned' : 'failed';
    case 'TIMED_OUT':
      return 'failed';
    case 'CANCELLED':
      return 'cancelled';
    case 'TERMINATED':
      return 'terminated';
    case 'RUNNING':
    case 'PAUSED':
    case 'CONTINUED_AS_NEW':
    case 'UNSPECIFIED':
    case 'UNKNOWN':
      return stage === 'held' ? 'held' : 'running';
  }
}

export function queryOf({ stage, tool, project }: Omit<JobFilter, 'stage'> & { stage?: string }): string {
  const wanted: [{ name: string }, string | undefined][] = [
    [searchAttributes.stage, stage],
    [searchAttributes.tool, tool],
    [searchAttributes.project, project && `${project.resourcetype}/${project.id}`],
  ];
  return [
    // A run that went on as another is listed as that one.
    "ExecutionStatus != 'ContinuedAsNew'",
    ...wanted.flatMap(([{ name }, value]) =>
      value === undefined ? [] : [`${name} = ${quoted(keyword(value))}`],
    ),
  ].join(' AND ');
}
