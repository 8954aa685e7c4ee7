import { type CancellationScope } from '@temporalio/workflow';
import {
  type MediaInput,
  type MediaStage,
  type MediaState,
  type Progress,
  type SubmitAttempt,
} from '../../contract';
import { submitRequestId } from '../../contract/ids';
import { atStart, type Following, wasReset } from './following';
import { detailsOf } from './mediaWords';
import { describeHold } from './question';
import { listenersOf } from '../lib/reporting';
import { type Submitter } from './sending';
import { type Settings } from './settings';

/** Anybody can send a signal, and all of them are carried along. */
const MOST_OTHER_TASKS = 20;

/** What a media job knows: its progress, which outlives the run, and what it is doing at the moment. */
export interface Run extends Following, Submitter {
  readonly input: MediaInput;
  readonly settings: Settings;
  readonly progress: Progress;
  /** Of the whole run: tells whether somebody cancelled it. */
  readonly scope: CancellationScope;
  /** The run whose submissions a person ordered; else this run orders its own. */
  orderedBy: string | null;
  stage: MediaStage;
}

export function startRun(input: MediaInput, settings: Settings, scope: CancellationScope): Run {
  const carried = input.carried;
  const progress: Progress = {
    // One that was given may have been lost since.
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
  const run: Run = {
    ...atStart(),
    input,
    settings,
    progress,
    subject: {
      tool: input.tool,
      noun: 'media job',
      name: `job ${input.key}`,
      kind: 'task',
      id: () => progress.taskId,
      inFull: () => `task ${progress.taskId ?? ''} of job ${input.key}`,
      requestName: input.key,
      facts: () => ({ taskId: progress.taskId }),
      unknown: () => unknownOf(run),
      tasks: () => tasksOf(run),
      details: () => detailsOf(run),
      lastWords: () => run.lastError && `the last question met: ${run.lastError}`,
    },
    scope,
    orderedBy: null,
    sending: new Set(),
    toldByBatch: input.held !== undefined && !input.held.isUntold && carried === undefined,
    stage: firstStage(progress, unresolvedOf(input, progress) !== undefined),
    resubmitAfter: () => resubmitAfter(run),
  };
  return run;
}

function firstStage({ taskId, hold, end }: Progress, isHeld: boolean): MediaStage {
  if (end) return 'writing';
  if (taskId === null) return isHeld ? 'held' : 'submitting';
  return hold?.why === 'overdue' ? 'overdue' : 'polling';
}

/** The POST of a batch that nobody knows the outcome of, until something was decided about it. */
export function unresolvedOf(
  { held, carried }: MediaInput,
  { taskId, number }: Progress,
): SubmitAttempt | undefined {
  const last = held?.attempts.at(-1);
  return carried || taskId !== null || last?.n !== number ? undefined : last;
}

/**
 * A person has it submitted again, and knows what is known by now. How long the service denied access before does not
 * count: the question may have stood for days.
 */
export function startOver(run: Run): void {
  run.progress.knownTasks = tasksOf(run);
  run.progress.deniedSince = null;
}

/** One that was adopted, or given, is in no attempt: it is known on, though it is not followed any more. */
export function keepLostTask({ progress }: Run): void {
  const { attempts, otherTasks, taskId } = progress;
  const isKept = attempts.some((attempt) => attempt.taskId === taskId) || otherTasks.includes(taskId ?? '');
  if (taskId !== null && !isKept) otherTasks.push(taskId);
}

/** Of a submission that this run does not know: the run that it was reset from made it. Gives whether it is news. */
export function keepTask(run: Run, taskId: string): boolean {
  const { otherTasks } = run.progress;
  if (tasksOf(run).includes(taskId) || otherTasks.length >= MOST_OTHER_TASKS) return false;
  otherTasks.push(taskId);
  return true;
}

/** The submission that the service may have taken, as the service knows it. */
function unknownOf({ input, progress }: Run): Record<string, string | null> | null {
  const last = progress.attempts.at(-1);
  if (last?.outcome !== 'unknown' || last.taskId !== undefined) return null;
  return { submission: submitRequestId(input.key, last.n), submittedAt: last.at };
}

/** Every task that the service has for this job, as far as is known; the one that is followed comes first. */
export function tasksOf({ progress }: Run): string[] {
  const others = [...progress.attempts.map(({ taskId }) => taskId), ...progress.otherTasks];
  return [...new Set([progress.taskId ?? undefined, ...others])].filter((taskId) => taskId !== undefined);
}

/**
 * What is on its way may still arrive for as long as a submission may take; twice that, from its order on, is long enough.
 * It may have waited for a worker, and that worker may have been stopped: then it is sent at the latest as long as a
 * submission may take after the server gave it up, which is when the hold began.
 */
function resubmitAfter({
  progress: { attempts, hold },
  settings: { submitTimeout },
  scope,
}: Run): string | null {
  // Nothing more is submitted of a run that was asked to stop.
  if (scope.consideredCancelled) return null;
  const ordered = attempts.at(-1)?.at;
  const since = hold ? Date.parse(hold.since) : Date.now();
  const fromOrder = (ordered === undefined ? since : Date.parse(ordered)) + 2 * submitTimeout;
  return new Date(Math.max(fromOrder, since + submitTimeout)).toISOString();
}

export function describeRun(run: Run): MediaState {
  const { input, progress, stage, nextPollAt, lastError } = run;
  const { taskId, submittedAt, attempts, decisions, polls } = progress;
  return {
    key: input.key,
    tool: input.tool,
    stage,
    hold: describeHold(run),
    taskId,
    submittedAt,
    attempts,
    decisions,
    polls,
    nextPollAt,
    lastError,
  };
}
