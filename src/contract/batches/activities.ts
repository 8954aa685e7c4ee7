/** What a partition asks of activities. */
import { type Notification } from '../../api/operations/notify';
import { type NotifyOutcome, type SubmitOutcome } from '../../api/outcomes';
import { type Scope } from '../../api/scope';

/** One POST among those that are sent at once. */
export interface ChunkSubmission {
  /** Of the job, for its request id. */
  key: string;
  attempt: number;
  /** Its place in the partition, from 0. */
  item: number;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
}

export interface ChunkOrder {
  /** The key of the batch whose items these are. */
  batch: string;
  /** Which chunk of its run this is, for the `sending` signal. */
  chunk: number;
  submissions: ChunkSubmission[];
  /** The run that may send these. A reset run has another id and must not. */
  runId: string;
}

/**
 * As of a single submission; `isUnwanted` where the batch was paused or cancelled while the chunk waited its turn, `room`
 * where its worker had no place for it: how many it takes at once.
 */
export type ChunkOutcome =
  | Exclude<SubmitOutcome, { outcome: 'notSent' }>
  | { outcome: 'notSent'; reason: string; isUnwanted?: boolean; room?: number };

/** Notifications that are sent at once; `item` is the place in the partition. */
export interface NotifyChunkOrder {
  notices: { item: number; notification: Notification; requestId: string }[];
  /** As in {@link ChunkOrder}. */
  runId: string;
}

export interface PollTasksOrder {
  tasks: { item: number; taskId: string; scope?: Scope; requestId: string }[];
}

/** Of the tasks that there is news of; the others run, or could not be asked after. */
export interface TasksNews {
  over: { item: number; status: 'SUCCESS' | 'FAILURE'; info: unknown }[];
  /** Those that the service does not know. */
  missing: number[];
  /** Of those that it knows. */
  known: number[];
  /** What kept the others from being asked after, where something did. */
  trouble: string | null;
  /** Those that were asked after and gave no answer of any kind, and those that it did not come to. */
  unanswered?: number[];
  notPolled?: number[];
}

export interface BatchActivities {
  /** Sends all of them at once, each at most once. The outcomes are in the order of the submissions. */
  submitChunk: (order: ChunkOrder) => Promise<ChunkOutcome[]>;
  pollTasks: (order: PollTasksOrder) => Promise<TasksNews>;
  /** As `submitChunk`, for notifications. */
  notifyChunk: (order: NotifyChunkOrder) => Promise<NotifyOutcome[]>;
}
