/**
 * What crosses the boundary between starters, workflows and activities.
 *
 * Everything here travels as JSON and is written by other languages too, so durations are strings (`15s`) and
 * times are ISO 8601.
 */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import { type RequestOf, type ResponseOf } from './api/operation';
import { type Operations } from './api/operations';
import { type Notification } from './api/operations/notify';
import { type NotifyOutcome, type SubmitOutcome } from './api/outcomes';
import { type Scope } from './api/scope';
import { type Duration } from './durations';

export type { Notification, NotifyOutcome, Scope, SubmitOutcome };

export const MEDIA_WORKFLOW = 'media';

export interface PollSettings {
  min: Duration;
  max: Duration;
  /** After this long without an end the run is `overdue`: it says so and polls more slowly. */
  deadline: Duration;
  /** After this long the run ends as failed, with the task id in the failure. */
  giveUp: Duration;
}

export interface SubmitSettings {
  /** How long the service may take to answer the POST. */
  timeout: Duration;
  /** How long 401 and 403 are waited out before the job fails: keys get rotated. */
  authGrace: Duration;
}

export const DEFAULT_POLL: PollSettings = { min: '15s', max: '20s', deadline: '1h', giveUp: '7d' };
export const DEFAULT_SUBMIT: SubmitSettings = { timeout: '60s', authGrace: '1h' };

export interface MediaInput {
  key: string;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
  /** A task that already runs: it is polled and nothing is submitted. */
  taskId?: string;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: Progress;
}

/** What a run has done so far; all of it is handed over when a long run continues as new. Times are ISO 8601. */
export interface Progress {
  taskId: string | null;
  submittedAt: string | null;
  /** POSTs tried; the last few with their outcome. */
  submits: number;
  attempts: SubmitAttempt[];
  /** Since when the service denies access, if it does. */
  deniedSince: string | null;
  polls: number;
  pollingSince: string | null;
  /** Whether the run was ever reset. Then a POST may be out that it does not know of, and it sends none itself. */
  reset: boolean;
}

export interface MediaResult {
  key: string;
  status: 'succeeded';
  taskId: string;
  info: unknown;
  polls: number;
  submittedAt: string | null;
  finishedAt: string;
}

export type MediaStage = 'submitting' | 'waiting' | 'held' | 'polling' | 'overdue' | 'succeeded' | 'failed';

export interface SubmitAttempt {
  n: number;
  at: string;
  outcome: SubmitOutcome['outcome'] | 'pending';
  reason?: string;
}

/** Answer of the `state` query: what the run is doing, for programs and people. */
export interface MediaState {
  key: string;
  tool: string;
  stage: MediaStage;
  /** Names the open question while the run is held: `<runId>/<n>`. */
  hold: string | null;
  taskId: string | null;
  submittedAt: string | null;
  /** The last few POSTs tried. */
  attempts: SubmitAttempt[];
  polls: number;
  nextPollAt: string | null;
  lastError: string | null;
}

export const stateQuery = defineQuery<MediaState>('state');

/** What a worker tells a run when it learned a task id too late to give it as a result. */
export interface LateAnswer {
  /** `<runId>/<n>`, of which n tells: the run may have continued as new or been reset since. */
  hold: string;
  taskId: string;
}

export const acceptedSignal = defineSignal<[LateAnswer]>('accepted');

export interface SubmitOrder {
  key: string;
  /** Grows with each POST tried; part of the request id. */
  attempt: number;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  /** The run that may send this. A reset run has another id and must not. */
  runId: string;
}

export interface NotifyOrder {
  notification: Notification;
  scope?: Scope;
  requestId: string;
  /** As in {@link SubmitOrder}. */
  runId: string;
}

/** Any other operation: what it is asked, and for whom. */
export interface CallOrder<Request> {
  request: Request;
  scope?: Scope;
  /** Made from the run and the step when left out. */
  requestId?: string;
}

/** An activity for each operation that can be asked again, by the operation's name. */
export type CallActivities = {
  [Name in keyof Operations]: (
    order: CallOrder<RequestOf<Operations[Name]>>,
  ) => Promise<ResponseOf<Operations[Name]>>;
};

export interface SegueActivities extends CallActivities {
  submit: (order: SubmitOrder) => Promise<SubmitOutcome>;
  notify: (order: NotifyOrder) => Promise<NotifyOutcome>;
}

/** Types of the failures that a run can end with. */
export const FAILURE = {
  taskFailed: 'TaskFailed',
  refused: 'Refused',
  givenUp: 'GivenUp',
  badInput: 'BadInput',
  unsafeStart: 'UnsafeStart',
} as const;

/** How much longer a submit activity may take than its POST, so that the outcome is recorded. */
export const RECORDING_MARGIN_MS = 10_000;

/** A submit shows this often that its worker lives, so that a dead one is noticed long before the POST's limit. */
export const HEARTBEAT_EVERY_MS = 1_000;
export const HEARTBEAT_TIMEOUT_MS = 10_000;

/** No call but a submit takes longer than this; most have less, by their activity's own limit. */
export const LONGEST_CALL_MS = 30_000;
