/** Changes of projects, and the runs that make them: one writer for each shard of a workspace. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type Duration } from './durations';
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
  /** The workflow id that gets the outcomes by signal `changed`; nobody when left out. */
  replyTo?: string;
}

export interface RefusedChange {
  changeId: string;
  error: string;
}

/** What a writer signals to a run: the outcomes of its changes, by change id. */
export interface WriterReply {
  applied: string[];
  refused: RefusedChange[];
  /** No room for them now: ask again later, with the change. */
  noRoom: string[];
  /** Asked for again, and not known: ask again, with the change. */
  unknown: string[];
}

/** Asks the writer of a shard for changes. Workers and other languages signal with start. */
export const changesSignal = defineSignal<[ChangeRequests]>('changes');
/** The same for one change and those who wait for its outcome; null while it is not known. */
export const changeUpdate = defineUpdate<ChangeOutcome | null, [ChangeRequest]>('change');
export const changedSignal = defineSignal<[WriterReply]>('changed');

export interface ProjectWriterInput {
  /** The workspace's id. With the shard it is the workflow id, so that a project has one writer. */
  organization: string;
  shard: number;
  /** How long 401 and 403 are waited out before changes are refused. */
  authGrace?: Duration;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: WriterProgress;
}

/** What the writer knows; the next run gets all of it when a long run continues as new. */
export interface WriterProgress {
  projects: QueuedProject[];
  /** Settled changes of the last hour, oldest first. */
  seen: SeenChange[];
  /** Outcomes that are not signalled yet. */
  replies: { replyTo: string; reply: WriterReply }[];
  applied: number;
  refused: number;
}

/** The digest of the change id, the minute since 1970, and the error of a refused change. */
export type SeenChange = [digest: string, minute: number, error?: string];

export interface QueuedChange {
  changeId: string;
  change: ProjectChange;
  space?: string;
  replyTo?: string;
}

/** A project whose changes wait. */
export interface QueuedProject {
  project: ProjectRef;
  /** When the oldest change came. ISO 8601. */
  since: string;
  changes: QueuedChange[];
  /** Writes that failed in a row. */
  failures: number;
  /** Not written before. ISO 8601. */
  notBefore?: string;
  /** Since when the service denies access, if it does. */
  deniedSince?: string;
  lastError?: string;
  /** It did not answer in time together with others, so it is written alone. */
  isSlow?: boolean;
  /** The operator is notified of its trouble. */
  isReported?: boolean;
}

/** Answer of the writer's `state` query. */
export interface ProjectWriterState {
  organization: string;
  shard: number;
  projects: (Pick<QueuedProject, 'project' | 'since' | 'notBefore' | 'lastError'> & {
    /** Ids of the changes that wait, in order. */
    queued: string[];
  })[];
  applied: number;
  refused: number;
}

export const projectWriterStateQuery = defineQuery<ProjectWriterState>('state');
