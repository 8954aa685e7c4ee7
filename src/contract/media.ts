/** A media job: its tool is called once, and its task polled until it ends. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type SubmitOutcome } from '../api/outcomes';
import { type BatchItem } from './batches';
import { type DecisionTaken, type Hold, type HoldState, type PollNow } from './holds';
import { type Continued, type JobSettings } from './settings';
import { type ChangeOutcome, type NotificationStatus } from './targets';

export const MEDIA_WORKFLOW = 'media';
/** In every start through Segue, which never starts a closed key again. A run without it fails. The value names the starter. */
export const START_MEMO = 'segueStart';

export interface Reporting {
  /** Workflow id of the run that gets each stage by the signal `jobNews`. */
  reportTo?: string;
}

export interface MediaInput extends BatchItem, JobSettings, Reporting, Continued<MediaProgress> {
  /**
   * Set by a batch whose item needs a person: its POST of unknown outcome, or the one that gave it its task. The batch
   * has notified the operator, unless `needsAlert`.
   */
  held?: { attempts: SubmitAttempt[]; needsAlert?: boolean };
}

export interface MediaProgress {
  taskId: string | null;
  submittedAt: string | null;
  /** The last number of a POST or a hold. They share one count, so that a decision fits one of them only. */
  number: number;
  attempts: SubmitAttempt[];
  /** Tasks that were known when a person last resubmitted; other tasks came late. */
  knownTasks: string[];
  /** Tasks of submits that are not among the attempts: a reset run forgot them. */
  otherTasks: string[];
  hold: Hold | null;
  /** The last few. */
  decisions: DecisionTaken[];
  deniedSince: string | null;
  polls: number;
  pollingSince: string | null;
  missingSince: string | null;
  /** Workflow ids of the runs that get its stages. */
  listeners: string[];
  /** A run that was ever reset may have forgotten a POST or a notification, so it sends none. */
  reset: boolean;
}

export interface JobResult {
  key: string;
  status: 'succeeded';
  polls: number;
  finishedAt: string;
}

/** Null: it was not asked for. */
export interface DeliveredResult extends Omit<JobResult, 'status'> {
  /** `unsaved`: the project did not take the result, which is kept here. */
  status: 'succeeded' | 'unsaved';
  written: ChangeOutcome | null;
  notified: NotificationStatus | null;
}

export interface MediaResult extends DeliveredResult {
  taskId: string;
  info: unknown;
  submittedAt: string | null;
}

/** In these stages the service may have a task, or get one. */
export const OPEN_STAGES = [
  'submitting',
  'waiting',
  'held',
  'polling',
  'overdue',
  'writing',
  'notifying',
] as const;

export const END_STAGES = ['succeeded', 'unsaved', 'failed', 'abandoned', 'cancelled'] as const;

export const MEDIA_STAGES = [...OPEN_STAGES, ...END_STAGES] as const;
export type MediaStage = (typeof OPEN_STAGES)[number] | (typeof END_STAGES)[number];

export interface SubmitAttempt {
  n: number;
  at: string;
  outcome: SubmitOutcome['outcome'] | 'pending';
  reason?: string;
  /** Known even if the run polls another task. */
  taskId?: string;
}

/** In the memo of a run: its POST of unknown outcome, as {@link UnknownSubmit}. */
export const UNKNOWN_MEMO = 'segueUnknown';

export interface UnknownSubmit {
  submission: string;
  submittedAt: string;
}

export interface PolledState<Stage> extends Pick<MediaProgress, 'decisions' | 'polls'> {
  key: string;
  stage: Stage;
  hold: HoldState | null;
  /** In the past during a poll. */
  nextPollAt: string | null;
  lastError: string | null;
}

/** With the last few attempts. */
export interface MediaState
  extends PolledState<MediaStage>, Pick<MediaProgress, 'taskId' | 'submittedAt' | 'attempts'> {
  tool: string;
}

export const stateQuery = defineQuery<MediaState>('state');
export const pollNowUpdate = defineUpdate<MediaState, [PollNow]>('pollNow');

/** A task id that came too late to be the result of its submit. */
export interface LateAnswer {
  /** `<runId>/<n>`; only n counts, because the run may have continued as new or been reset. */
  hold: string;
  taskId: string;
}

export const acceptedSignal = defineSignal<[LateAnswer]>('accepted');

/** From now on, this submit or chunk may be in flight. */
export interface Sending {
  n: number;
}

export const sendingSignal = defineSignal<[Sending]>('sending');
