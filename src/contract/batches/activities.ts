import { type Notification } from '../../api/operations/notify';
import { type NotifyOutcome, type SubmitOutcome } from '../../api/outcomes';
import { type Scope } from '../../api/scope';
import { type SubmitOrder } from '..';

/** `item` is always the index in the partition, from 0. */
export interface ChunkSubmission extends Omit<SubmitOrder, 'runId'> {
  item: number;
}

export interface ChunkOrder extends Pick<SubmitOrder, 'runId'> {
  batch: string;
  /** The number of the chunk in its run, for the `sending` signal. */
  chunk: number;
  submissions: ChunkSubmission[];
}

/** `isUnwanted`: the batch has been paused or cancelled. `room`: the worker takes only this many at once. */
export type ChunkOutcome =
  | Exclude<SubmitOutcome, { outcome: 'notSent' }>
  | { outcome: 'notSent'; reason: string; isUnwanted?: boolean; room?: number };

export interface NotifyChunkOrder extends Pick<SubmitOrder, 'runId'> {
  notices: { item: number; notification: Notification; requestId: string }[];
}

export interface PollTasksOrder {
  tasks: { item: number; taskId: string; scope?: Scope; requestId: string }[];
}

export interface TasksNews {
  over: { item: number; status: 'SUCCESS' | 'FAILURE'; info: unknown }[];
  missing: number[];
  known: number[];
  /** Why others were not polled. */
  trouble: string | null;
  /** In the order of the tasks. */
  notPolled?: number[];
}

export interface BatchActivities {
  /** Sends each at most once. The outcomes are in the order of the submissions. */
  submitChunk: (order: ChunkOrder) => Promise<ChunkOutcome[]>;
  pollTasks: (order: PollTasksOrder) => Promise<TasksNews>;
  /** As `submitChunk`, for notifications. */
  notifyChunk: (order: NotifyChunkOrder) => Promise<NotifyOutcome[]>;
}
