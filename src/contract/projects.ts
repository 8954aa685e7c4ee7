/** Changes of projects, and the one run a project that makes them. */
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
  /** What makes it the same change: the same id is applied once, and answered each time. */
  changeId: string;
  change: ProjectChange;
  /** The workflow id that gets the outcome by the signal `changed`. Default: none. */
  replyTo?: string;
  /** Whether the writer also confirms that it has queued the change; a change without room is always answered. */
  receipt?: boolean;
  /** The sub-space to write in, instead of the worker's own. */
  space?: string;
}

export type Changed = { changeId: string } & ChangeOutcome;
/** Whether there was room for a change; nothing is decided by that. */
export interface Receipt {
  changeId: string;
  isKept: boolean;
}

/** Asks the writer of a project for a change, or again after one. Workers and other languages signal with start. */
export const changeSignal = defineSignal<[ChangeRequest]>('change');
/** The same, for those who wait for the outcome. Its update id is the change id. */
export const changeUpdate = defineUpdate<ChangeOutcome, [ChangeRequest]>('change');
export const changedSignal = defineSignal<[Changed | Receipt]>('changed');

export interface ProjectWriterInput extends Continued<WriterProgress> {
  project: ProjectRef;
  /** The workspace's id; part of the workflow id, so that a project has one writer. */
  organization: string;
  /** How long 401 and 403 are waited out before changes are refused. */
  authGrace?: Duration;
}

/** What the writer knows; all of it is handed over when a long run continues as new. */
export interface WriterProgress {
  queue: ChangeRequest[];
  /** The last changes that were settled, oldest first; what was applied has no error. */
  settled: { changeId: string; error?: string }[];
  /** Settled changes whose requester has no answer yet. */
  answers: { changeId: string; replyTo: string }[];
  applied: number;
  refused: number;
  failures: number;
  deniedSince: string | null;
  lastError: string | null;
}

export interface ProjectWriterState
  extends
    Pick<ProjectWriterInput, 'project' | 'organization'>,
    Pick<WriterProgress, 'applied' | 'refused' | 'lastError'> {
  /** Ids of the changes that wait. */
  queued: string[];
}

export const projectWriterStateQuery = defineQuery<ProjectWriterState>('state');
