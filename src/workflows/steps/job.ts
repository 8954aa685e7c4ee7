/** What media jobs, transcripts and waits for records have in common. */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Decision,
  type DecisionAction,
  FAILURE,
  type FollowProgress,
  type Hold,
  type HoldState,
  MEDIA_REQUEST_WORKFLOW,
  type MediaStage,
  type NotifyTarget,
  type Scope,
  START_MEMO,
  type TranscriptStage,
  type WriteTarget,
} from '../../contract';
import { holdName } from '../../contract/ids';
import { DurationReader, type PollTimes } from '../../validation/times';
import { newWriterReplies, type WriterReplies } from './write';

export type Stage = MediaStage | TranscriptStage;

/** A run that waits until the service ends something: a task, a transcription, an asset. */
export interface JobContext {
  readonly input: { key: string; scope?: Scope; write?: WriteTarget; notify?: NotifyTarget };
  readonly settings: PollTimes;
  /** Survives continue-as-new. */
  readonly progress: FollowProgress;
  readonly subject: Subject;
  readonly writerReplies: WriterReplies;
  stage: Stage;
  /** A person's decision about the hold, until the job acts on it. */
  decision: Decision | null;
  /** Somebody asked for a poll now. */
  pollRequested: boolean;
  /** Signals to listeners that are not delivered yet. */
  reports: number;
  /** Alarms that are not sent yet. The job does not continue as new before, because the next run would not send them. */
  alarms: number;
  nextPollAt: string | null;
  lastError: string | null;
  /** The operator knows of the first hold already, from the batch. */
  toldByBatch: boolean;
  /** When the job may be submitted again; null when never. Absent in jobs that submit nothing. */
  resubmitAfter?: () => string | null;
}

/** What the job waits for, in words for people and programs. */
export interface Subject {
  /** As lists show it: `remove-background`, `transcript`, `asset`. */
  tool: string;
  /** As its user calls it: `media job`, `transcript`. */
  noun: string;
  /** The whole in a sentence: `job k`, `transcript k`. */
  name: string;
  /** As the service calls it: `task`, `transcription`. */
  kind: string;
  id: () => string | null;
  /** `task t-1 of job k` */
  longLabel: () => string;
  /** Prefix of this job's request ids; no other job has it. */
  requestName: string;
  /** For programs: in failures, logs, results and notifications. */
  facts: () => Record<string, string | null>;
  /** A submission that the service may have accepted without a known task id; null when there is none. */
  unknown?: () => Record<string, string | null> | null;
  /** All known tasks of the job, the polled one first. Absent in jobs without tasks. */
  tasks?: () => string[];
  /** The details on the page of the run, in Markdown. */
  details: () => string;
  /** What the service said last; null when there is nothing to add. */
  lastStatusText: () => string | null;
}

/** The part of a new job's context that does not survive the run. */
export function newContext() {
  return {
    writerReplies: newWriterReplies(),
    decision: null,
    pollRequested: false,
    alarms: 0,
    reports: 0,
    nextPollAt: null,
    lastError: null,
    toldByBatch: false,
  };
}

/** `task t-1` */
export function label({ subject }: JobContext): string {
  return `${subject.kind} ${subject.id() ?? ''}`;
}

/**
 * Continues as new before the history grows past the server's limit. It returns when there is no need, or when alarms or
 * reports are still being sent: the history has room until the next call.
 */
export async function continueWhenLong(job: JobContext): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested || job.alarms > 0 || job.reports > 0) return;
  await condition(allHandlersFinished);
  // The next run would not know a decision or a report that came while this one waited.
  if (job.decision || job.reports > 0) return;
  const { input, progress } = job;
  await continueAsNew<(input: object) => Promise<unknown>>({ ...input, carried: progress });
}

const ACTIONS: Record<Hold['why'], DecisionAction[]> = {
  unknown: ['adopt', 'resubmit', 'abandon'],
  missing: ['adopt', 'resubmit', 'abandon'],
  // The task is known and may still end well, so nothing else applies before the job is abandoned.
  overdue: ['abandon'],
};

/** Attempts and holds of a job share one sequence of numbers. */
export function nextNumber({ progress }: JobContext): number {
  progress.number += 1;
  return progress.number;
}

/** Has the id of the current run: a reset or a continue-as-new changes it. */
export function holdId({ progress }: JobContext): string {
  return holdName(workflowInfo().runId, progress.hold?.n ?? 0);
}

export function describeHold(job: JobContext): HoldState | null {
  const { hold } = job.progress;
  if (!hold) return null;
  const { why, since, reason } = hold;
  const resubmitAfter = job.resubmitAfter?.() ?? null;
  const actions = ACTIONS[why].filter((action) => action !== 'resubmit' || resubmitAfter !== null);
  return {
    ...{ id: holdId(job), why, since, reason, actions },
    resubmitAfter: actions.includes('resubmit') ? resubmitAfter : null,
  };
}

/** Gives the settings of an input, or fails the run with all problems of the input at once. */
export function readSettings<T>(problems: string[], read: (reader: DurationReader) => T): T {
  if (problems.length > 0) throw badInput(problems);
  const reader = new DurationReader();
  const settings = read(reader);
  if (reader.problems.length > 0) throw badInput(reader.problems);
  return settings;
}

export function badInput(problems: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`The job was not started: ${problems.join('; ')}`, FAILURE.badInput);
}

/**
 * Fails a run, before it does anything, whose start could pay or notify twice: the server repeats a run with a retry
 * policy or a cron schedule, and another id than the key's own lets a second run of the same job in. Segue's own starts
 * have a memo and the reuse policy RejectDuplicate; a start without the memo may repeat a closed run of its id.
 */
export function refuseUnsafeStart(key: string, id: string, input: { carried?: object } = {}): void {
  const info = workflowInfo();
  const problems = validateCarried(input);
  if (info.attempt > 1) problems.push('it is a retry; start it without a retry policy');
  if (info.cronSchedule) problems.push('it has a cron schedule; use a Temporal Schedule of Segue');
  if (info.workflowId !== id) problems.push(`its workflow id is ${info.workflowId}, but its key gives ${id}`);
  if (info.memo?.[START_MEMO] === undefined) problems.push(PLAIN_START);
  if (problems.length === 0) return;
  throw ApplicationFailure.nonRetryable(
    `Job ${key} was not started: ${problems.join('; ')}`,
    FAILURE.unsafeStart,
  );
}

const PLAIN_START =
  `without the memo ${START_MEMO} it could repeat a closed run. Use SegueClient or the \`segue\` command, or for a ` +
  `media job start the workflow ${MEDIA_REQUEST_WORKFLOW} with the same input and any workflow id. Other languages start ` +
  'campaigns, transcripts, records and outlooks with this memo and the policies RejectDuplicate and UseExisting. If this ' +
  'key never ran, use a new key: this failed run now occupies its id.';

/** Only continue-as-new may give a state: the UI copies it when somebody starts a workflow like another one. */
export function validateCarried({ carried }: { carried?: object }): string[] {
  if (!carried || workflowInfo().continuedFromExecutionRunId !== undefined) return [];
  return ['its input has `carried`, which only a run that continues as new has; leave it out'];
}
