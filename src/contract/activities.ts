/** What workflows ask of activities. */
import { type PolledKind, type RecordStatus } from '../api/endings';
import { type RequestOf, type ResponseOf } from '../api/operation';
import { type Operations } from '../api/operations';
import { type Notification } from '../api/operations/notify';
import { type NotifyOutcome, type SubmitOutcome } from '../api/outcomes';
import { type Scope } from '../api/scope';
import { type BatchActivities } from './batches';
import { type CampaignActivities, type ReadEndOrder } from './campaigns';
import { type OutlookActivities } from './outlook';
import { type MediaRequestInput, type MediaResult, type RequestedRun } from './media';
import { type ChangeRequest, type ProjectChange, type RefusedChange } from './projects';
import { type CondensedText, type SubtitleFormat } from './records';
import { type ScheduleActivities } from './schedules';
import { type ProjectRef } from './targets';

export interface SubmitOrder {
  key: string;
  /** Grows with each POST tried; part of the request id, and of the `sending` signal. */
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
  /** From then on it comes too late, and is not sent. ISO 8601. */
  sendBefore?: string;
}

/** An alarm for whoever `SEGUE_OPERATOR` names; the worker knows, not the run. */
export interface OperatorOrder {
  notification: Omit<Notification, 'userId' | 'workspaceId'>;
  /** What the service answered where it denies access: other jobs meet the very same, and one tells it for all. */
  denied?: { status?: number; scope?: Scope };
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

/** An activity for each operation that may be repeated, by the operation's name. Only the project writer updates. */
export type CallActivities = {
  [Name in Exclude<keyof Operations, 'updateProject'>]: (
    order: CallOrder<RequestOf<Operations[Name]>>,
  ) => Promise<ResponseOf<Operations[Name]>>;
};

export interface SegueActivities
  extends CallActivities, BatchActivities, CampaignActivities, OutlookActivities, ScheduleActivities {
  submit: (order: SubmitOrder) => Promise<SubmitOutcome>;
  startMedia: (input: MediaRequestInput) => Promise<RequestedRun>;
  /** Null while it runs. */
  readMediaResult: (order: Pick<ReadEndOrder, 'workflowId' | 'isEnding'>) => Promise<MediaResult | null>;
  readRecord: (order: RecordOrder) => Promise<RecordNews>;
  downloadSubtitles: (order: DownloadOrder) => Promise<Download>;
  tellOperator: (order: OperatorOrder) => Promise<NotifyOutcome | { outcome: 'nobody' }>;
  notify: (order: NotifyOrder) => Promise<NotifyOutcome>;
  /** Gives the changes that no writer was asked for, because they are malformed. */
  requestChanges: (order: RequestChangesOrder) => Promise<RefusedChange[]>;
  writeProjects: (order: WriteOrder) => Promise<WriteReport[]>;
}

/** Those of the poll queue. */
export type PollActivities = Pick<
  SegueActivities,
  'getTask' | 'readRecord' | 'downloadSubtitles' | 'pollTasks'
>;

/** Changes in one scope, for any projects. */
export interface RequestChangesOrder {
  scope?: Scope;
  requests: Omit<ChangeRequest, 'space'>[];
  /** The run that may ask for them; default: any. A run that was reset is another. */
  onlyBy?: string;
}

export interface WriteOrder {
  organization: string;
  projects: { project: ProjectRef; space?: string; changes: { changeId: string; change: ProjectChange }[] }[];
}

/** What became of one project's changes, never the project itself. A change in neither list waits for the next write. */
export interface WriteReport {
  applied: string[];
  refused: RefusedChange[];
  /** Why the rest was not settled. */
  trouble?: WriteTrouble;
}

export interface WriteTrouble {
  error: string;
  /** Of the service's answer, if it gave one. */
  status?: number;
  /** As long as the service asked to wait. */
  retryAfterMs?: number;
  /** Until when a PATCH without an ETag may still arrive, in milliseconds since 1970. */
  unsettledUntil?: number;
  /** The project did not answer in the short time that it has beside others. */
  isSlow?: boolean;
}

/** Heartbeat of a write: until when a PATCH without an ETag may arrive, by the project's index in the order. */
export type WriteNotes = Record<number, number>;

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
