/** The state of a media job. */
import { type CancellationScope } from '@temporalio/workflow';
import { isIdText, validateScope } from '../../api/scope';
import {
  type MediaInput,
  type MediaStage,
  type MediaState,
  type Progress,
  type SubmitAttempt,
} from '../../contract';
import { submitRequestId } from '../../contract/ids';
import {
  isRecord,
  isText,
  validateListener,
  validateObjects,
  validateRunKey,
  validateTargets,
  validateTaskId,
} from '../../validation/inputs';
import { jobTimes, type JobTimes } from '../../validation/times';
import { wasReset } from '../lib/atMostOnce';
import { listenersOf } from '../lib/listeners';
import { describeHold, type JobContext, newContext, readSettings } from './job';
import { type Submitter } from './submit';
import { mediaDetails } from './visibility';

/** Anybody can send a signal, so the list has a limit. */
const MOST_OTHER_TASKS = 20;

export interface MediaJob extends JobContext, Submitter {
  readonly input: MediaInput;
  readonly settings: JobTimes;
  readonly progress: Progress;
  /** The root scope of the run, which tells whether somebody cancelled it. */
  readonly scope: CancellationScope;
  /** The run id in the hold when a person decided to resubmit; null for the first submission. */
  orderedBy: string | null;
  stage: MediaStage;
}

export function startMediaJob(input: MediaInput, settings: JobTimes, scope: CancellationScope): MediaJob {
  const carried = input.carried;
  const progress: Progress = {
    // After continue-as-new the task id of the input may be lost already.
    taskId: carried ? carried.taskId : (input.taskId ?? null),
    submittedAt: carried?.submittedAt ?? null,
    number: carried?.number ?? input.held?.attempts.at(-1)?.n ?? 0,
    attempts: [...(carried?.attempts ?? input.held?.attempts ?? [])],
    hold: carried?.hold ?? null,
    knownTasks: carried?.knownTasks ?? [],
    otherTasks: [...(carried?.otherTasks ?? [])],
    decisions: [...(carried?.decisions ?? [])],
    deniedSince: carried?.deniedSince ?? null,
    polls: carried?.polls ?? 0,
    pollingSince: carried?.pollingSince ?? null,
    missingSince: carried?.missingSince ?? null,
    listeners: listenersOf(input),
    reset: wasReset(carried),
    end: carried?.end,
  };
  const job: MediaJob = {
    ...newContext(),
    input,
    settings,
    progress,
    subject: {
      tool: input.tool,
      noun: 'media job',
      name: `job ${input.key}`,
      kind: 'task',
      id: () => progress.taskId,
      longLabel: () => `task ${progress.taskId ?? ''} of job ${input.key}`,
      requestName: input.key,
      facts: () => ({ taskId: progress.taskId }),
      unknown: () => unknownOf(job),
      tasks: () => tasksOf(job),
      details: () => mediaDetails(job),
      lastStatusText: () => job.lastError && `the last question met: ${job.lastError}`,
    },
    scope,
    orderedBy: null,
    sending: new Set(),
    toldByBatch: Boolean(input.held && !input.held.needsAlert) && carried === undefined,
    stage: firstStage(progress, unresolvedOf(input, progress) !== undefined),
    resubmitAfter: () => resubmitAfter(job),
  };
  return job;
}

function firstStage({ taskId, hold, end }: Progress, isHeld: boolean): MediaStage {
  if (end) return 'writing';
  if (taskId === null) return isHeld ? 'held' : 'submitting';
  return hold?.why === 'overdue' ? 'overdue' : 'polling';
}

/** The POST of a batch whose outcome is unknown, until a person has decided about it. */
export function unresolvedOf(
  { held, carried }: MediaInput,
  { taskId, number }: Progress,
): SubmitAttempt | undefined {
  const last = held?.attempts.at(-1);
  return carried || taskId !== null || last?.n !== number ? undefined : last;
}

/** A person decided to resubmit, knowing the tasks known by now. The grace time for denied access begins anew. */
export function prepareResubmit(job: MediaJob): void {
  job.progress.knownTasks = tasksOf(job);
  job.progress.deniedSince = null;
}

/** A task that was adopted, or given in the input, is in no attempt: it is kept among the other tasks. */
export function keepLostTask({ progress }: MediaJob): void {
  const { attempts, otherTasks, taskId } = progress;
  const isKept = attempts.some((attempt) => attempt.taskId === taskId) || otherTasks.includes(taskId ?? '');
  if (taskId !== null && !isKept) otherTasks.push(taskId);
}

/** Keeps a task that is in no attempt. Gives whether it is new. */
export function addOtherTask(job: MediaJob, taskId: string): boolean {
  const { otherTasks } = job.progress;
  if (tasksOf(job).includes(taskId) || otherTasks.length >= MOST_OTHER_TASKS) return false;
  otherTasks.push(taskId);
  return true;
}

/** The last submission, when the service may have accepted it. */
function unknownOf({ input, progress }: MediaJob): Record<string, string | null> | null {
  const last = progress.attempts.at(-1);
  if (last?.outcome !== 'unknown' || last.taskId !== undefined) return null;
  return { submission: submitRequestId(input.key, last.n), submittedAt: last.at };
}

/** Every known task of this job, the polled one first. */
export function tasksOf({ progress }: MediaJob): string[] {
  const others = [...progress.attempts.map(({ taskId }) => taskId), ...progress.otherTasks];
  return [...new Set([progress.taskId ?? undefined, ...others])].filter((taskId) => taskId !== undefined);
}

/**
 * Twice the submit timeout after the order, a submission cannot arrive any more. When it waited for a worker that was
 * then stopped, it is sent at the latest one submit timeout after the server gave it up, which is when the hold began.
 */
function resubmitAfter({
  progress: { attempts, hold },
  settings: { submitTimeout },
  scope,
}: MediaJob): string | null {
  // A cancelled run submits nothing.
  if (scope.consideredCancelled) return null;
  const ordered = attempts.at(-1)?.at;
  const since = hold ? Date.parse(hold.since) : Date.now();
  const fromOrder = (ordered === undefined ? since : Date.parse(ordered)) + 2 * submitTimeout;
  return new Date(Math.max(fromOrder, since + submitTimeout)).toISOString();
}

export function describeJob(job: MediaJob): MediaState {
  const { input, progress, stage, nextPollAt, lastError } = job;
  const { taskId, submittedAt, attempts, decisions, polls } = progress;
  return {
    key: input.key,
    tool: input.tool,
    stage,
    hold: describeHold(job),
    taskId,
    submittedAt,
    attempts,
    decisions,
    polls,
    nextPollAt,
    lastError,
  };
}

/** Fills in the defaults, or fails with all problems of the input at once. */
export function readMediaSettings(input: MediaInput): JobTimes {
  return readSettings(validateShape(input), (reader) => jobTimes(input, reader));
}

/** Other languages start this workflow too, with whatever JSON they have. */
function validateShape(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { key, tool, request, poll, submit, scope, taskId, write, notify, reportTo, held } = input;
  return [
    ...validateRunKey(key),
    ...(isText(tool) ? [] : ['tool: must be a text']),
    ...(isRecord(request) ? [] : ['request: must be an object']),
    ...validateObjects({ poll, submit, scope }),
    ...(isRecord(scope) ? validateScope(scope) : []),
    ...validateTaskId(taskId),
    ...validateTargets({ write, notify }),
    ...validateListener(reportTo),
    ...validateHeld(held, taskId),
  ];
}

/** Only a batch sets it. Without this check, a malformed one would count as a job that was never submitted. */
function validateHeld(held: unknown, taskId: unknown): string[] {
  if (held === undefined || held === null) return [];
  const attempts = isRecord(held) ? held.attempts : undefined;
  const isAttempt = (attempt: unknown): boolean =>
    isRecord(attempt) &&
    Number.isInteger(attempt.n) &&
    Number(attempt.n) > 0 &&
    isText(attempt.at) &&
    // A year of four digits: later dates are computed from this one, and dates have a limit.
    /^\d{4}-/.test(attempt.at) &&
    !Number.isNaN(Date.parse(attempt.at)) &&
    (attempt.reason === undefined || isText(attempt.reason)) &&
    (attempt.taskId === undefined || isIdText(attempt.taskId));
  const isGood =
    Array.isArray(attempts) && attempts.every(isAttempt) && (attempts.length > 0 || isText(taskId));
  return isGood
    ? []
    : [
        'held: must be { attempts: [{ n, at, outcome, reason, taskId? }] }: n counts from 1, at is a date; attempts may be empty only when the input has a taskId',
      ];
}
