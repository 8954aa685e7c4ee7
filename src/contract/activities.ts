import { type PolledKind, type RecordStatus } from '../api/endings';
import { type RequestOf, type ResponseOf } from '../api/operation';
import { type Operations } from '../api/operations';
import { type Notification } from '../api/operations/notify';
import { type NotifyOutcome, type SubmitOutcome } from '../api/outcomes';
import { type Scope } from '../api/scope';
import { type BatchActivities, type BatchItem } from './batches';
import { type CampaignActivities, type ReadEndOrder } from './campaigns';
import { type OutlookActivities } from './outlook';
import { type RequestedRun, type RunRequest } from './requests';
import { type ChangeRequest, type ProjectChange, type RefusedChange } from './projects';
import { type CondensedText, type RecordInput, type SubtitleFormat } from './records';
import { type ScheduleActivities } from './schedules';
import { type ProjectRef } from './targets';

export interface SubmitOrder extends Pick<BatchItem, 'key' | 'tool' | 'request' | 'scope'> {
  /** Grows with each POST; part of the request id and of the `sending` signal. */
  attempt: number;
  /** Its result is to be written to a project. */
  hasWrite?: boolean;
  /** The only run that may send this: a reset run has another id. */
  runId: string;
}

export interface NotifyOrder extends Pick<SubmitOrder, 'scope' | 'runId'> {
  notification: Notification;
  requestId: string;
  /** From then on it is not sent. */
  sendBefore?: string;
}

/** The worker adds the operator, from `SEGUE_OPERATOR`. */
export interface OperatorOrder extends Pick<SubmitOrder, 'runId'> {
  notification: Omit<Notification, 'userId' | 'workspaceId'>;
  /** The service denies access to this job and to others: one alarm is enough. */
  denied?: { status?: number; scope?: Scope };
  requestId: string;
}

export interface CallOrder<Request> {
  request: Request;
  scope?: Scope;
  /** Default: made from the run and the step. */
  requestId?: string;
}

/** One for each operation that may be repeated. Only the project's writer updates. */
export type CallActivities = {
  [Name in Exclude<keyof Operations, 'updateProject'>]: (
    order: CallOrder<RequestOf<Operations[Name]>>,
  ) => Promise<ResponseOf<Operations[Name]>>;
};

export interface SegueActivities
  extends CallActivities, BatchActivities, CampaignActivities, OutlookActivities, ScheduleActivities {
  submit: (order: SubmitOrder) => Promise<SubmitOutcome>;
  startRequested: (request: RunRequest) => Promise<RequestedRun>;
  /** Null while it runs. */
  readRequested: (order: Pick<ReadEndOrder, 'workflowId' | 'isEnding'>) => Promise<object | null>;
  readRecord: (order: RecordOrder) => Promise<RecordNews>;
  downloadSubtitles: (order: DownloadOrder) => Promise<Download>;
  notifyOperator: (order: OperatorOrder) => Promise<NotifyOutcome | { outcome: 'nobody' }>;
  notify: (order: NotifyOrder) => Promise<NotifyOutcome>;
  /** Gives the changes that no writer was asked for. */
  requestChanges: (order: RequestChangesOrder) => Promise<RefusedChange[]>;
  writeProjects: (order: WriteOrder) => Promise<WriteReport[]>;
}

export type PollActivities = Pick<
  SegueActivities,
  'getTask' | 'readRecord' | 'downloadSubtitles' | 'pollTasks'
>;

/** Changes in one scope, of any projects. */
export interface RequestChangesOrder {
  scope?: Scope;
  requests: Omit<ChangeRequest, 'space'>[];
  /** The run that may ask for them; default: any. One that was reset is another. */
  onlyBy?: string;
}

/** The error of changes that `onlyBy` kept from being asked for. */
export const OUTDATED_CHANGE =
  'the change was not sent: the run was reset after it had seen what it would write, and others may have written since';

export interface WriteOrder {
  /** The workspace's id at the service. */
  organization: string;
  projects: {
    project: ProjectRef;
    space?: string;
    changes: { changeId: string; change: ProjectChange }[];
  }[];
  /** These projects have the whole time limit for an answer; others must not wait for them. */
  isSlow: boolean;
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
  retryAfterMs?: number;
  /** For how long a PATCH without an ETag may still arrive. A duration, because clocks differ between machines. */
  unsettledMs?: number;
  isSlow?: boolean;
}

/** Heartbeat of a write: for how many ms a PATCH without an ETag may still arrive, by the project's index in the order. */
export type WriteNotes = Record<number, number>;

export interface RecordOrder extends Pick<RecordInput, 'id' | 'failOn' | 'scope'> {
  kind: PolledKind;
  requestId: string;
}

export interface RecordNews {
  status: RecordStatus;
  /** Only at the end. */
  record?: unknown;
}

export interface DownloadOrder {
  transcriptionId: string;
  format: SubtitleFormat;
  scope?: Scope;
  requestId: string;
}

/** `text` is null if it is too long to keep. */
export type Download = { ready: false } | ({ ready: true; text: string | null } & CondensedText);
