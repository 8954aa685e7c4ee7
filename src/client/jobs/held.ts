/** What needs a person: jobs that are held or overdue, were stopped with work under way, or are unsaved. */
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import {
  BATCH_WORKFLOW,
  type BatchResult,
  type DeliveredResult,
  FAILURE,
  type Hold,
  type HoldState,
  MEDIA_WORKFLOW,
  OPEN_STAGES,
  RECORD_WORKFLOW,
  TRANSCRIPT_WORKFLOW,
} from '../../contract';
import { againKey, mediaWorkflowId, submitRequestId } from '../../contract/ids';
import { jobOf } from './job';
import { entryOf, type JobEntry } from '../report';
import { inParallel } from '../../platform/parallel';
import { pollersOf } from '../../runs/query';
import { type Leftovers, leftoversOfStopped, successorKey } from './leftovers';
import { quoted, searchAttributes } from '../../contract/searchAttributes';
import { endOfRun, failureType, findFirstRun, findRun, findRuns, ifFound } from '../../runs/find';

export interface HeldOptions {
  /** The most jobs to return, oldest first. Default: 50. */
  limit?: number;
}

export interface HeldList {
  jobs: HeldJob[];
  more: number;
}

export interface HeldJob extends JobEntry {
  /** Null if no worker answers. */
  why: Hold['why'] | 'terminated' | 'timedOut' | 'unsaved' | null;
  /** Since when it waits, or when it ended; null if no worker answers. */
  since: string | null;
  reason: string | null;
  /** The open hold; null if the run is closed or no worker answers. */
  hold: HoldState | null;
  /** The `X-Request-Id` of the last POST, to look for at the service. */
  requestId: string | null;
  /** False if a query got no answer. True for closed and paused runs, which are not queried. */
  answered: boolean;
  /** Of a stopped run: what the service may still have of it. */
  leftovers: Leftovers | null;
}

const DEFAULT_LIMIT = 50;
const AT_ONCE = 10;

const stageIn = (stages: readonly string[]): string =>
  `${searchAttributes.stage.name} IN (${stages.map(quoted).join(', ')})`;

/** Workflows that may ask a person. */
export const DECIDABLE = [MEDIA_WORKFLOW, TRANSCRIPT_WORKFLOW, RECORD_WORKFLOW];

/** Open, paused or not: a query for the status `Paused` fails on servers that do not know it. */
const OPEN = 'CloseTime IS NULL';
export const UNDECIDED = `${OPEN} AND ${stageIn(['held', 'overdue'])}`;
/** Runs that were stopped while the service may have worked for them. */
const STOPPED = `WorkflowType = '${MEDIA_WORKFLOW}' AND ExecutionStatus IN ('Terminated', 'TimedOut') AND ${stageIn(OPEN_STAGES)}`;

/** Batches in any of these stages may have unsaved items. */
const UNSAVED = `ExecutionStatus = 'Completed' AND ((WorkflowType != '${BATCH_WORKFLOW}' AND ${stageIn(['unsaved'])}) OR (WorkflowType = '${BATCH_WORKFLOW}' AND ${stageIn(['unsaved', 'attention', 'cancelled'])}))`;

export async function findHeld(temporal: Client, { limit = DEFAULT_LIMIT }: HeldOptions): Promise<HeldList> {
  const runs: WorkflowExecutionInfo[] = [];
  for await (const run of findRuns(temporal, `(${UNDECIDED}) OR (${STOPPED}) OR (${UNSAVED})`, [
    ...DECIDABLE,
    BATCH_WORKFLOW,
  ]))
    runs.push(run);
  // Not every server can sort. People want to see the oldest first.
  runs.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());

  const reader = new HeldReader(temporal);
  const jobs: HeldJob[] = [];
  while (jobs.length < limit && runs.length > 0) {
    const found = await inParallel(AT_ONCE, runs.splice(0, limit - jobs.length), (run) => reader.read(run));
    jobs.push(...found.filter((job) => job !== undefined));
  }
  jobs.sort((a, b) => Date.parse(a.since ?? a.startedAt) - Date.parse(b.since ?? b.startedAt));
  return { jobs, more: runs.length };
}

/** Queries each run, except on task queues without a worker: each of those queries would take seconds. */
class HeldReader {
  readonly #isPolled = new Map<string, Promise<boolean>>();

  constructor(private readonly temporal: Client) {}

  async read(run: WorkflowExecutionInfo): Promise<HeldJob | undefined> {
    const entry = entryOf(run);
    if (run.status.name === 'COMPLETED') return this.#unsaved(run, entry);
    // A closed run is not queried: a worker with its code may be gone.
    if (entry.closedAt !== null) return (await this.#isSettled(entry)) ? undefined : stopped(run, entry);
    const job = jobOf(this.temporal, { key: entry.key, existing: true, ...run });
    // A paused run answers no query: only the list entry is known.
    const isPaused = run.status.name === 'PAUSED';
    const state = !isPaused && (await this.#hasWorker(run)) ? await job.state() : undefined;
    const { hold = null } = state ?? {};
    // The list lags behind: the hold has been decided.
    if (state && !hold) return undefined;

    const last = state?.attempts?.at(-1);
    return {
      ...entry,
      taskId: state?.taskId ?? entry.taskId,
      requestId: last ? submitRequestId(entry.key, last.n) : null,
      answered: isPaused || state !== undefined,
      why: hold?.why ?? (entry.stage === 'overdue' ? 'overdue' : null),
      since: hold?.since ?? null,
      reason: isPaused ? 'it is paused on the Temporal server: unpause it first' : (hold?.reason ?? null),
      ...{ hold, leftovers: null },
    };
  }

  #hasWorker({ taskQueue }: WorkflowExecutionInfo): Promise<boolean> {
    const known = this.#isPolled.get(taskQueue);
    const isPolled =
      known ?? pollersOf(this.temporal, taskQueue, 'workflow').then(({ length }) => length > 0);
    this.#isPolled.set(taskQueue, isPolled);
    return isPolled;
  }

  /** Listed until its retry has started. */
  async #unsaved({ type }: WorkflowExecutionInfo, entry: JobEntry): Promise<HeldJob | undefined> {
    const { workflowId, runId, closedAt } = entry;
    const retry = againKey(workflowId);
    const isReset = (await findRun(this.temporal, workflowId))?.runId !== runId;
    if (isReset || (await this.#wasStartedSince(Date.parse(closedAt ?? ''), retry))) return undefined;
    const result: unknown = await ifFound(this.temporal.workflow.getHandle(workflowId, runId).result());
    const reason = whyUnsaved(type, result);
    if (reason === null) return undefined;
    const unheld = { requestId: null, answered: true, hold: null, leftovers: null };
    return { ...entry, ...unheld, why: 'unsaved', since: closedAt, reason };
  }

  /** Not listed once the run was reset, the job was retried or got its next key, or another run follows its task. */
  async #isSettled({ workflowId, runId, key, taskId, closedAt }: JobEntry): Promise<boolean> {
    const latest = await findRun(this.temporal, workflowId);
    if (latest?.runId !== runId && !(await this.#isRefusedRepetition(latest))) return true;
    for (const next of [successorKey(key), againKey(key)]) {
      if (await this.#wasStartedSince(Date.parse(closedAt ?? ''), mediaWorkflowId(next))) return true;
    }
    if (taskId === null) return false;
    const followers = `${searchAttributes.taskIds.name} = ${quoted(taskId)} AND (${OPEN} OR ExecutionStatus IN ('Completed', 'Failed'))`;
    for await (const { workflowId: other } of findRuns(this.temporal, followers)) {
      if (other !== workflowId) return true;
    }
    return false;
  }

  /** An older run with such a key is another job, and must not hide this one. */
  async #wasStartedSince(stopped: number, workflowId: string): Promise<boolean> {
    const latest = await findRun(this.temporal, workflowId);
    const first = latest && (await findFirstRun(this.temporal, latest));
    // A forgotten run closed before the stopped one, which the server still lists.
    return first !== undefined && first.startTime.getTime() >= stopped;
  }

  /** The retry policy of a starter repeats a run that timed out; the repetition only fails. */
  async #isRefusedRepetition(run: WorkflowExecutionDescription | undefined): Promise<boolean> {
    if (run?.status.name !== 'FAILED') return false;
    const handle = this.temporal.workflow.getHandle(run.workflowId, run.runId);
    const end = await endOfRun(handle).catch(() => undefined);
    return !!end && 'failure' in end && failureType(end.failure) === FAILURE.unsafeStart;
  }
}

function stopped(run: WorkflowExecutionInfo, entry: JobEntry): HeldJob {
  const leftovers = leftoversOfStopped(run);
  return {
    ...entry,
    requestId: leftovers.is === 'unknown' ? leftovers.requestId : null,
    why: entry.status === 'terminated' ? 'terminated' : 'timedOut',
    ...{ answered: true, since: entry.closedAt, reason: null, hold: null, leftovers },
  };
}

/** Null: nothing of it is unsaved. */
function whyUnsaved(workflow: string, result: unknown): string | null {
  if (workflow !== BATCH_WORKFLOW) {
    const { written } = (result ?? {}) as Partial<DeliveredResult>;
    return written?.ok === false ? written.error : null;
  }
  const { counts } = (result ?? {}) as Partial<BatchResult>;
  const unsaved = counts?.unsaved ?? 0;
  return unsaved > 0 ? `projects did not take the results of ${unsaved} of its items` : null;
}
