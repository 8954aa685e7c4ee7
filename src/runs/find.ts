/** Finding runs: the one that stands for a job, whether it is open, how it ended, and lists of them. */
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { FAILURE, MEDIA_WORKFLOW, START_MEMO } from '../contract';
import { keyIn } from '../contract/ids';
import { quoted } from '../contract/searchAttributes';
import { NoSuchJob } from '../errors';
import { orUnreachable } from './grpc';
import { explainUnregistered } from './registration';

/** What the server knows of a run without its worker. */
export type Listed = Omit<WorkflowExecutionInfo, 'raw'>;

export type RunFacts = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'startTime' | 'taskQueue'> & {
  key: string;
  existing: boolean;
  /** Whether a later start of the same id was refused. */
  isHidden?: boolean;
};

/** A paused run is open, and so is one that continues as new. */
export function isOpen({ status }: Pick<WorkflowExecutionInfo, 'status'>): boolean {
  return ['RUNNING', 'PAUSED', 'CONTINUED_AS_NEW'].includes(status.name);
}

/** Whether the run of a key ended at once because it was started without Segue's memo. */
export function isRefusedStart({ status, memo }: Listed): boolean {
  return status.name === 'FAILED' && memo?.[START_MEMO] === undefined;
}

export interface OwnRun extends WorkflowExecutionDescription {
  /** Whether a later run of the same id, which was refused, hides it. */
  isHidden?: boolean;
}

/** The latest run of an id. A refused start hides the job before it, which is then found in the list. */
export async function describeOwnRun({ workflow }: Client, workflowId: string): Promise<OwnRun> {
  const latest = await orUnreachable(workflow.getHandle(workflowId).describe());
  if (!isRefusedStart(latest)) return latest;
  const query = `WorkflowId = ${quoted(workflowId)}`;
  let own: WorkflowExecutionInfo | undefined;
  for await (const run of workflow.list({ query }))
    if (!isRefusedStart(run) && (!own || run.startTime > own.startTime)) own = run;
  if (!own) return latest;
  return { ...(await workflow.getHandle(workflowId, own.runId).describe()), isHidden: true };
}

/** Undefined if Temporal has no such run, or no open one for a signal. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

export function findOwnRun(client: Client, workflowId: string): Promise<OwnRun | undefined> {
  return ifFound(describeOwnRun(client, workflowId));
}

export async function find(temporal: Client, workflowId: string): Promise<RunFacts> {
  const run = await findOwnRun(temporal, workflowId);
  if (!run) throw new NoSuchJob(workflowId);
  return { ...run, key: keyIn(workflowId), existing: true };
}

/** One run, by default the latest of its id. */
export function findRun(
  { workflow }: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowExecutionDescription | undefined> {
  return ifFound(workflow.getHandle(workflowId, runId).describe());
}

/** The first of the runs that continued as new, were retried or reset; undefined where Temporal has forgotten it. */
export async function findFirstRun(
  temporal: Client,
  run: WorkflowExecutionDescription,
): Promise<WorkflowExecutionDescription | undefined> {
  const { firstRunId } = run.raw.workflowExecutionInfo ?? {};
  return firstRunId && firstRunId !== run.runId ? findRun(temporal, run.workflowId, firstRunId) : run;
}

export async function countRuns(
  temporal: Client,
  query: string,
  workflows: readonly string[] = [MEDIA_WORKFLOW],
): Promise<number> {
  try {
    return (await temporal.workflow.count(ofWorkflows(workflows, query))).count;
  } catch (error) {
    throw explainUnregistered(error, temporal.options.namespace);
  }
}

/** Runs of media jobs, or of these workflows, that a query of Temporal's finds. */
export async function* findRuns(
  temporal: Client,
  query: string,
  workflows: readonly string[] = [MEDIA_WORKFLOW],
): AsyncGenerator<WorkflowExecutionInfo> {
  try {
    yield* temporal.workflow.list({ query: ofWorkflows(workflows, query) });
  } catch (error) {
    throw explainUnregistered(error, temporal.options.namespace);
  }
}

function ofWorkflows(workflows: readonly string[], query: string): string {
  return `WorkflowType IN (${workflows.map(quoted).join(', ')}) AND (${query})`;
}

export type Ended<Result = unknown> = { result: Result } | { failure: WorkflowFailedError };

/** How a run ended; an open one is waited for. Other errors, such as an unavailable server, are thrown. */
export async function endOfRun(run: Pick<WorkflowHandle, 'result'>): Promise<Ended> {
  try {
    return { result: await run.result() };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return { failure: error };
  }
}

export interface FailedRun {
  status: 'failed' | 'abandoned' | 'cancelled' | 'terminated';
  /** If the failure has it. */
  taskId: string | null;
  errors: unknown;
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

export function failureType({ cause }: WorkflowFailedError): string | null {
  return cause instanceof ApplicationFailure ? (cause.type ?? null) : null;
}
