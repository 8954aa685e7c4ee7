/**
 * What crosses the boundary between starters, workflows and activities.
 *
 * Everything here travels as JSON and is written by other languages too, so durations are strings (`15s`) and
 * times are ISO 8601.
 */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type PolledKind, type RecordStatus } from './api/endings';
import { type RequestOf, type ResponseOf } from './api/operation';
import { type Operations } from './api/operations';
import { type Notification } from './api/operations/notify';
import { type NotifyOutcome, type SubmitOutcome } from './api/outcomes';
import { type Scope } from './api/scope';
import { type Duration } from './durations';

export type { Notification, NotifyOutcome, PolledKind, RecordStatus, Scope, SubmitOutcome };

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

/** Where a job's result is set in a project's data. */
export interface WriteTarget {
  project: ProjectRef;
  /** JSON pointer into the project's data. */
  at: string;
}

/** Of what a person is told: that a job is done, that it failed, that it waits for a decision. */
export const NOTIFY_EVENTS = ['completed', 'failed', 'needsInput'] as const;
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

export interface NotifyTarget {
  userId: string;
  workspaceId: string;
  threadId?: string;
  link?: string;
  ctaLabel?: string;
  /** All of them unless told. */
  on?: NotifyEvent[];
}

export interface MediaInput {
  key: string;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
  write?: WriteTarget;
  notify?: NotifyTarget;
  /** A task that already runs: it is polled and nothing is submitted. */
  taskId?: string;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: Progress;
}

/** What a run has done so far; all of it is handed over when a long run continues as new. Times are ISO 8601. */
export interface Progress {
  taskId: string | null;
  submittedAt: string | null;
  /** The last number given to a POST or a hold. They share one count, so that no decision is taken for another's. */
  number: number;
  /** The last few POSTs tried. */
  attempts: SubmitAttempt[];
  hold: Hold | null;
  /** The last few decisions of people. */
  decisions: DecisionTaken[];
  /** Since when the service denies access, if it does. */
  deniedSince: string | null;
  polls: number;
  pollingSince: string | null;
  /** Since when the service does not know the task, if it does not. */
  missingSince: string | null;
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
  /** Null where nothing was to be written. */
  written: ChangeOutcome | null;
  /** Null where nobody was to be told. */
  notified: NoticeOutcome | null;
}

/** What became of a notification. `uncertain` may have been sent, and is not sent again. */
export interface NoticeOutcome {
  status: 'sent' | 'uncertain' | 'refused' | 'notSent';
  reason?: string;
}

/** Where a run is; at its end, how it ended. */
export const MEDIA_STAGES = [
  'submitting',
  'waiting',
  'held',
  'polling',
  'overdue',
  'writing',
  'notifying',
  'succeeded',
  'failed',
  'abandoned',
  'cancelled',
] as const;
export type MediaStage = (typeof MEDIA_STAGES)[number];

/** Stages in which a task may be alive at the service, or may become so. */
export const OPEN_STAGES: readonly MediaStage[] = [
  'submitting',
  'waiting',
  'held',
  'polling',
  'overdue',
  'writing',
  'notifying',
];

/**
 * A question that only a person can answer. `unknown`: a POST may have been accepted; `missing`: the service does not
 * know the task; `overdue`: it never says that the task is over.
 */
export interface Hold {
  n: number;
  why: 'unknown' | 'missing' | 'overdue';
  since: string;
  reason: string;
}

export type DecisionAction = 'adopt' | 'resubmit' | 'abandon';

/** What a person decides of a held run. */
export interface Decision {
  /** The hold it answers, as `state` shows it. */
  hold: string;
  action: DecisionAction;
  /** The task to adopt. */
  taskId?: string;
  /** Adopts although the service cannot be asked about the task. */
  force?: boolean;
  by: string;
  reason: string;
}

export interface DecisionTaken extends Omit<Decision, 'force'> {
  at: string;
}

/** Answer to a decision. One that comes late, or twice, is not applied and does no harm. */
export interface DecisionReceipt {
  applied: boolean;
  stage: MediaStage | TranscriptStage;
  taskId: string | null;
}

export interface SubmitAttempt {
  n: number;
  at: string;
  outcome: SubmitOutcome['outcome'] | 'pending';
  reason?: string;
  /** What the service made of it, as soon as that is known, even where the run follows another task. */
  taskId?: string;
}

/** An open question, as people and programs see it. */
export interface HoldState extends Omit<Hold, 'n'> {
  /** Names it: `<runId>/<n>`. */
  id: string;
  /** What can be decided. */
  actions: DecisionAction[];
  /** From when on it can be submitted again: what is still on its way has arrived by then. */
  resubmitAfter: string | null;
}

/** Answer of the `state` query: what the run is doing, for programs and people. */
export interface MediaState {
  key: string;
  tool: string;
  stage: MediaStage;
  /** The open question, if a person has to decide. */
  hold: HoldState | null;
  taskId: string | null;
  submittedAt: string | null;
  /** The last few POSTs tried. */
  attempts: SubmitAttempt[];
  /** The last few decisions of people. */
  decisions: DecisionTaken[];
  polls: number;
  nextPollAt: string | null;
  lastError: string | null;
}

export const stateQuery = defineQuery<MediaState>('state');
export const resolveUpdate = defineUpdate<DecisionReceipt, [Decision]>('resolve');
/** Nothing can be told yet, but every handler takes one object. */
export type PollNow = Record<string, never>;
export const pollNowUpdate = defineUpdate<MediaState, [PollNow]>('pollNow');

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

/** An alarm for whoever `SEGUE_OPERATOR` names; the worker knows, not the run. */
export interface OperatorOrder {
  notification: Omit<Notification, 'userId' | 'workspaceId'>;
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
  readRecord: (order: RecordOrder) => Promise<RecordNews>;
  downloadSubtitles: (order: DownloadOrder) => Promise<Download>;
  tellOperator: (order: OperatorOrder) => Promise<NotifyOutcome | { outcome: 'nobody' }>;
  notify: (order: NotifyOrder) => Promise<NotifyOutcome>;
  requestChange: (order: RequestChangeOrder) => Promise<void>;
  writeProject: (order: WriteOrder) => Promise<WriteReport>;
}

/** Types of the failures that a run or an Update can end with. */
export const FAILURE = {
  taskFailed: 'TaskFailed',
  recordFailed: 'RecordFailed',
  missing: 'Missing',
  notConfigured: 'NotConfigured',
  refused: 'Refused',
  givenUp: 'GivenUp',
  abandoned: 'Abandoned',
  badDecision: 'BadDecision',
  badInput: 'BadInput',
  unsafeStart: 'UnsafeStart',
  badChange: 'BadChange',
  askAgain: 'AskAgain',
} as const;

/** How much longer a submit activity may take than its POST, so that the outcome is recorded. */
export const RECORDING_MARGIN_MS = 10_000;

/** A submit shows this often that its worker lives, so that a dead one is noticed long before the POST's limit. */
export const HEARTBEAT_EVERY_MS = 1_000;
export const HEARTBEAT_TIMEOUT_MS = 10_000;

/** No call but a submit takes longer than this; most have less, by their activity's own limit. */
export const LONGEST_CALL_MS = 30_000;

export const PROJECT_WRITER_WORKFLOW = 'projectWriter';

export interface ProjectRef {
  resourcetype: string;
  id: string;
}

/** One step of a change; `at` is a JSON pointer into the project's data. */
export type Step =
  /** Puts the value there, null too; missing parents are made as objects. */
  | { at: string; set: unknown }
  /** Merges by RFC 7396: null removes, lists are replaced. */
  | { at: string; merge: Record<string, unknown> }
  | { at: string; remove: true };

/** What somebody wants changed in a project: its data step by step, or fields beside it. All of it, or nothing. */
export interface ProjectChange {
  steps?: Step[];
  fields?: { title?: string; description?: string; primary_type?: string };
}

export type ChangeOutcome = { ok: true } | { ok: false; error: string };

export interface ChangeRequest {
  /** What makes it the same change: the same id is applied once, and answered each time. */
  changeId: string;
  change: ProjectChange;
  /** The workflow id that is told the outcome by signal `changed`; nobody when left out. */
  replyTo?: string;
  /** The sub-space to write in, instead of the worker's own. */
  space?: string;
}

/** Answers a request for a change. */
export type Changed = { changeId: string } & ChangeOutcome;

/** Asks the writer of a project for a change, or again after one. Workers and other languages signal with start. */
export const changeSignal = defineSignal<[ChangeRequest]>('change');
/** The same, for those who wait for the outcome. Its update id is the change id. */
export const changeUpdate = defineUpdate<ChangeOutcome, [ChangeRequest]>('change');
export const changedSignal = defineSignal<[Changed]>('changed');

export interface ProjectWriterInput {
  project: ProjectRef;
  /** The workspace's id; part of the workflow id, so that a project has one writer. */
  organization: string;
  /** How long 401 and 403 are waited out before changes are refused. */
  authGrace?: Duration;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: WriterProgress;
}

/** What the writer knows; all of it is handed over when a long run continues as new. */
export interface WriterProgress {
  queue: ChangeRequest[];
  /** The last changes that were settled, oldest first; what was applied has no error. */
  settled: { changeId: string; error?: string }[];
  /** Who is still to be told of which settled change. */
  answers: { changeId: string; replyTo: string }[];
  applied: number;
  refused: number;
  /** Writes that failed in a row. */
  failures: number;
  /** Since when the service denies access, if it does. */
  deniedSince: string | null;
  lastError: string | null;
}

/** Answer of the writer's `state` query. */
export interface ProjectWriterState {
  project: ProjectRef;
  organization: string;
  /** Ids of the changes that wait, in order. */
  queued: string[];
  applied: number;
  refused: number;
  lastError: string | null;
}

export const projectWriterStateQuery = defineQuery<ProjectWriterState>('state');

export interface RequestChangeOrder {
  project: ProjectRef;
  scope?: Scope;
  changeId: string;
  change: ProjectChange;
}

export interface WriteOrder {
  project: ProjectRef;
  scope: Scope;
  changes: Pick<ChangeRequest, 'changeId' | 'change'>[];
}

/** What became of the changes, never the project itself. A change in neither list was not settled and is asked again. */
export interface WriteReport {
  applied: string[];
  refused: { changeId: string; error: string }[];
  /** PATCHes that went out. */
  patches: number;
}

export const TRANSCRIPT_WORKFLOW = 'transcript';

export const SUBTITLE_FORMATS = ['srt', 'vtt'] as const;
export type SubtitleFormat = (typeof SUBTITLE_FORMATS)[number];

/** What is known of something that is asked after again and again, in every workflow that does so. */
export type FollowProgress = Pick<
  Progress,
  'number' | 'hold' | 'decisions' | 'polls' | 'pollingSince' | 'missingSince'
>;

/** The same of a record of the service. */
export interface RecordProgress extends FollowProgress {
  /** What the service said last, known to Segue or not; null as long as it said nothing. */
  status: RecordStatus | null;
}

export interface TranscriptProgress extends RecordProgress {
  /** When the service said that it is done; from then on its file is downloaded. */
  doneAt: string | null;
  /** Since when the service says that it is done, and gives an empty file. */
  emptySince: string | null;
}

export interface TranscriptInput {
  key: string;
  transcriptionId: string;
  /** `srt` unless told. */
  format?: SubtitleFormat;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  write?: WriteTarget;
  notify?: NotifyTarget;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: TranscriptProgress;
}

/** Stands for a text that is too long to keep: what it was, and how to get it. */
export interface CondensedText {
  /** In bytes. */
  size: number;
  /** `sha256:…`, of the text as UTF-8. */
  digest: string;
  /** The command that fetches it. */
  fetch: string;
}

export interface TranscriptResult {
  key: string;
  status: 'succeeded';
  transcriptionId: string;
  format: SubtitleFormat;
  text: string | CondensedText;
  /** There where the service is done and its file is empty all the same. */
  empty?: true;
  polls: number;
  finishedAt: string;
  /** Null where nothing was to be written. */
  written: ChangeOutcome | null;
  /** Null where nobody was to be told. */
  notified: NoticeOutcome | null;
}

/** Where a run is that follows a record; at its end, how it ended. */
export type RecordStage = 'polling' | 'overdue' | 'succeeded' | 'failed' | 'abandoned' | 'cancelled';
export type TranscriptStage = RecordStage | 'downloading' | 'writing' | 'notifying';

/** Answer of the `state` query of a transcript. */
export interface TranscriptState {
  key: string;
  transcriptionId: string;
  format: SubtitleFormat;
  stage: TranscriptStage;
  hold: HoldState | null;
  /** As the service said it last; one that Segue does not know means that it still runs. */
  jobStatus: string | null;
  /** The last few decisions of people. */
  decisions: DecisionTaken[];
  polls: number;
  nextPollAt: string | null;
  lastError: string | null;
}

export const transcriptStateQuery = defineQuery<TranscriptState>('state');
export const transcriptPollNowUpdate = defineUpdate<TranscriptState, [PollNow]>('pollNow');

export const RECORD_WORKFLOW = 'record';

export const RECORD_KINDS = ['asset', 'run', 'video'] as const satisfies PolledKind[];
/** What can be waited for as it is: an asset, a workflow run of the service, a video. */
export type RecordKind = (typeof RECORD_KINDS)[number];

export interface RecordInput {
  kind: RecordKind;
  id: string;
  /** Statuses that end the wait as failed, beside those that the service has for that. */
  failOn?: RecordStatus[];
  scope?: Scope;
  poll?: Partial<PollSettings>;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: RecordProgress;
}

export interface RecordResult {
  key: string;
  status: 'succeeded';
  kind: RecordKind;
  id: string;
  recordStatus: RecordStatus;
  /** The record as the service gave it. */
  record: unknown;
  polls: number;
  finishedAt: string;
}

/** Answer of the `state` query of a wait. */
export interface RecordState {
  key: string;
  kind: RecordKind;
  id: string;
  stage: RecordStage;
  hold: HoldState | null;
  /** As the service said it last; one that Segue does not know means that it still runs. */
  recordStatus: RecordStatus | null;
  /** The last few decisions of people. */
  decisions: DecisionTaken[];
  polls: number;
  nextPollAt: string | null;
  lastError: string | null;
}

export const recordStateQuery = defineQuery<RecordState>('state');
export const recordPollNowUpdate = defineUpdate<RecordState, [PollNow]>('pollNow');

export interface RecordOrder {
  kind: PolledKind;
  id: string;
  failOn?: RecordStatus[];
  scope?: Scope;
  requestId: string;
}

/** What the service says of a record: its status, and all of it only when that is the end. */
export interface RecordNews {
  status: RecordStatus;
  record?: unknown;
}

export interface DownloadOrder {
  transcriptionId: string;
  format: SubtitleFormat;
  scope?: Scope;
  requestId: string;
}

/** A subtitle file. Its text is null where it is too long to keep. */
export type Download = { ready: false } | ({ ready: true; text: string | null } & CondensedText);
