import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import {
  type Decision,
  type FollowProgress,
  type MediaStage,
  type NotifyTarget,
  type Scope,
  type TranscriptStage,
  type WriteTarget,
} from '../../contract';
import { type PollTimes } from '../../validation/times';
import { type Mailbox, newMailbox } from '../lib/mailbox';

export type Stage = MediaStage | TranscriptStage;

/**
 * What every run knows that follows something at the service: a task, a transcription, an asset. Waiting, questions to
 * people and endings need no more than this.
 */
export interface Following {
  readonly input: { key: string; scope?: Scope; write?: WriteTarget; notify?: NotifyTarget };
  readonly settings: PollTimes;
  readonly progress: FollowProgress;
  readonly subject: Subject;
  readonly mailbox: Mailbox;
  stage: Stage;
  /** What a person decided of the hold, until the run acts on it. */
  decision: Decision | null;
  /** Somebody does not want to wait for the next poll. */
  pollAsked: boolean;
  /** News that are being told to those who wait for this run. */
  reports: number;
  /** Alarms that are being told; a run that continued as new before would forget to tell them. */
  alarms: number;
  nextPollAt: string | null;
  lastError: string | null;
  /** Whether the operator knows already, from a batch, of the first question that this run asks. */
  toldByBatch: boolean;
  /** From when on it can be submitted again, if at all; not there where nothing is submitted. */
  resubmitAfter?: () => string | null;
}

/** What a run follows, as people and programs are told of it. */
export interface Subject {
  /** What is done, as lists show it: `remove-background`, `transcript`, `asset`. */
  tool: string;
  /** How its user calls it: `media job`, `transcript`. */
  noun: string;
  /** How the whole is called in a sentence: `job k`, `transcript k`. */
  name: string;
  /** What the service calls it: `task`, `transcription`. */
  kind: string;
  id: () => string | null;
  /** The thing, and what it is followed for: `task t-1 of job k`. */
  inFull: () => string;
  /** Stands before the request ids of the run, and before those of no other. */
  requestName: string;
  /** What it is for programs: in failures, logs, results and notifications. */
  facts: () => Record<string, string | null>;
  /** What may be at the service although no id of it is known; null where that is nothing. */
  unknown?: () => Record<string, string | null> | null;
  /** The tasks that it has at the service, the one that is followed first; not there where it is none. */
  tasks?: () => string[];
  /** What the run says of itself at its stage, in Markdown. */
  details: () => string;
  /** What the service said of it last; null where that was nothing new. */
  lastWords: () => string | null;
}

/** What a run is doing at its start; nothing of it outlives the run. */
export function atStart() {
  return {
    mailbox: newMailbox(),
    decision: null,
    pollAsked: false,
    alarms: 0,
    reports: 0,
    nextPollAt: null,
    lastError: null,
    toldByBatch: false,
  };
}

/** Whether this run, or one that it continues, was reset. */
export function wasReset(carried: { reset?: boolean } | undefined): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return (carried?.reset ?? false) || runId !== originalExecutionRunId;
}

/** What a run must know to tell somebody something at most once. */
export interface Sender {
  readonly subject: Pick<Subject, 'requestName'>;
  readonly progress: { reset: boolean };
}

/**
 * The run in whose name something is sent that must not be sent twice. One that was reset does not know what was sent
 * before, and names none: the activity then refuses, and what it was to send is uncertain. Compared there, because a
 * branch in the workflow would break the replay of what happened before the reset.
 */
export function senderOf({ progress }: Pick<Sender, 'progress'>): string {
  return progress.reset ? 'none: the run was reset' : workflowInfo().originalExecutionRunId;
}

/**
 * Continues as new before the history grows past what the server takes. It returns when there is no need, or when
 * somebody is still being told something: there is room enough until the next time.
 */
export async function continueWhenLong(run: Following): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested || run.alarms > 0 || run.reports > 0) return;
  await condition(allHandlersFinished);
  // Taken in the meantime: this run acts on it, since the next one would not know. What is being told would be lost.
  if (run.decision || run.reports > 0) return;
  const { input, progress } = run;
  await continueAsNew<(input: object) => Promise<unknown>>({ ...input, carried: progress });
}

/** `task t-1` */
export function thingOf({ subject }: Following): string {
  return `${subject.kind} ${subject.id() ?? ''}`;
}

/** What is known of it, without what is not known yet. */
export function knownFacts({ subject }: Following): [string, string][] {
  return Object.entries(subject.facts()).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}
