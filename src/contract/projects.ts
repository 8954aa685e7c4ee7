/** Changes of projects, and the runs that make them: one writer for each shard of a workspace. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type Duration } from './durations';
import { type Continued } from './settings';
import { type ChangeOutcome, type ProjectRef } from './targets';

export const PROJECT_WRITER_WORKFLOW = 'projectWriter';

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

export interface ChangeRequest {
  project: ProjectRef;
  /** What makes it the same change: the same id is applied once, and answered each time. */
  changeId: string;
  /** Left out when the change is asked for again: the writer knows it then, or answers that it does not. */
  change?: ProjectChange;
  /** The sub-space to write in, instead of the worker's own. */
  space?: string;
}

export interface ChangeRequests {
  requests: ChangeRequest[];
  /** The workflow id that gets the outcomes by the signal `changed`. Default: none. */
  replyTo?: string;
}

/** Kept across continue-as-new: a run without it would ask again at once. */
export interface ChangeAsks {
  times?: number;
  /** When it was requested for the first time. */
  firstAt?: string;
  /** The writer got the whole change, so its id is enough. */
  isKnown?: boolean;
  /** How often the writer had no room for it, or did not know it. */
  rejections?: number;
  /** When it is requested again without an answer. */
  nextAt?: string;
}

export interface RefusedChange {
  changeId: string;
  error: string;
  /** Other changes of this project would fail for the same reason, so parts of this one are not tried. */
  wholeProject?: true;
}

/** The outcomes of the changes of one run, by change id. */
export interface WriterReply {
  applied: string[];
  refused: RefusedChange[];
  /** The writer has no room for them now: ask again later, with the change. */
  noRoom: string[];
  /** Asked for again, and not known: ask again, with the change. */
  unknown: string[];
}

/** `waiting`: not settled yet, ask again. `unknown`: ask again, with the change. */
export type UpdateOutcome = ChangeOutcome | 'waiting' | 'unknown';

/** Asks the writer of a shard for changes. Workers and other languages signal with start. */
export const changesSignal = defineSignal<[ChangeRequests]>('changes');
/** The same for one change, for those who wait for the outcome. Its update id is `<change id>/<n>`. */
export const changeUpdate = defineUpdate<UpdateOutcome, [ChangeRequest]>('change');
export const changedSignal = defineSignal<[WriterReply]>('changed');

export interface ProjectWriterInput extends Continued<WriterProgress> {
  /** The workspace's id at the service. With the shard it is the workflow id, so that a project has one writer. */
  organization: string;
  shard: number;
  /** How long 401 and 403 are waited out before changes are refused. */
  authGrace?: Duration;
}

/** What the writer knows; all of it is handed over when a long run continues as new. */
export interface WriterProgress {
  projects: QueuedProject[];
  /** Settled changes of the last hour, oldest first. */
  seen: SeenChange[];
  /** Outcomes that are not signalled yet. */
  replies: { replyTo: string; reply: WriterReply }[];
  applied: number;
  refused: number;
}

/** A digest of project and change id, the minute since 1970, and the error of a refused change. */
export type SeenChange = [digest: string, minute: number, error?: string];

export interface QueuedChange extends Pick<ChangeRequest, 'changeId' | 'space'> {
  change: ProjectChange;
  replyTo?: string;
}

export interface QueuedProject {
  project: ProjectRef;
  changes: QueuedChange[];
  /** Since the last write failed. */
  trouble?: ProjectTrouble;
}

/** Times are ISO 8601. */
export interface ProjectTrouble {
  since: string;
  lastError: string;
  /** Writes that failed in a row. */
  failures: number;
  /** The project is not written before. */
  notBefore: string;
  deniedSince?: string;
  /** It did not answer in the short time that it has beside others. */
  isSlow: boolean;
  isReported: boolean;
}

export interface ProjectWriterState
  extends Pick<ProjectWriterInput, 'organization' | 'shard'>, Pick<WriterProgress, 'applied' | 'refused'> {
  /** Projects with changes that wait. */
  waiting: number;
  projects: {
    project: ProjectRef;
    /** Ids of the changes that wait, in order. */
    queued: string[];
    trouble: Pick<ProjectTrouble, 'since' | 'lastError' | 'notBefore'> | null;
  }[];
}

/** Of all projects that wait, or of one. */
export const projectWriterStateQuery = defineQuery<ProjectWriterState, [ProjectRef?]>('state');
