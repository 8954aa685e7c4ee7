/** A partition: the run that does some hundred items of a batch, and all that it knows of them. */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import { type Scope } from '../../api/scope';
import { type ChangeState } from '../media';
import { type PollSettings, type SubmitSettings } from '../settings';
import { type ChangeOutcome, type NoticeOutcome, type ProjectRef } from '../targets';
import { type BatchItem, type BatchItemResult, type BatchItemStatus } from './items';

export const BATCH_PART_WORKFLOW = 'batchPart';

export interface PartitionInput {
  /** The batch's key. */
  batch: string;
  /** Which partition it is, from 1. */
  n: number;
  /** The number of its first item in the batch, from 1. */
  first: number;
  items: BatchItem[];
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: PartitionProgress;
}

/** What is known of an item, as short as it can be: there are hundreds, and all are handed over from run to run. */
export interface ItemProgress {
  status: BatchItemStatus;
  taskId?: string;
  /** POSTs tried so far; part of the next one's request id. */
  attempts: number;
  /** Since when its task is polled. ISO 8601. */
  since?: string;
  /** Since when the service does not know its task, if it does not. */
  missingSince?: string;
  info?: unknown;
  error?: string;
  unwritten?: string;
  /** Of the item's own user: what became of telling him, or since when he is to be told. */
  notice?: NoticeOutcome | { due: string; tries?: number };
  workflowId?: string;
}

/** What is to be written to one project. The text for each item is made from its state. */
export interface PendingWrite {
  /** Names project and scope. */
  address: string;
  project: ProjectRef;
  scope?: Scope;
  /** The change that the project's writer has not answered yet. */
  asked?: AskedChange;
  /** Of a change that was refused: each half is written by itself. */
  halves: Saved[][];
  /** Goes with the next change. */
  waiting: Saved[];
}

export interface AskedChange {
  changeId: string;
  items: Saved[];
  state: ChangeState;
  /** It came in the last moment of the run before this one. */
  answer?: ChangeOutcome;
}

/** An item that is over, by its place in the partition. */
export interface Saved {
  item: number;
  /** Where it goes in the project, and since when it is over. */
  at: string;
  finishedAt: string;
}

export interface PartitionProgress {
  items: ItemProgress[];
  /** Those that are not written yet. */
  pendingWrites: PendingWrite[];
  window: PartitionWindow;
  polls: number;
  /** As the batch is told. */
  late: string | null;
  /** Why nothing is submitted, where that is the service's doing. */
  trouble?: string | null;
  /** Nothing is submitted before this, in milliseconds since 1970: the service asked for it. */
  restUntil?: number;
  /** Polls in a row of which none told of any task, and what the last one met. */
  silence?: { polls: number; reason: string } | null;
  /** Whose turn it is at the next poll. */
  turns?: PollTurns;
  /** Whether the run was ever reset. Then a POST may be out that it does not know of, and it sends none itself. */
  reset: boolean;
}

/** Places of items in the partition: those that are asked after before all others, and those that are after them. */
export interface PollTurns {
  first: number[];
  last: number[];
}

/** How many of the items may be at the service at once; the batch says so, and takes it back. */
export interface PartitionWindow {
  /** Grows with each order, so that an older one that comes late changes nothing. */
  order: number;
  places: number;
  paused: boolean;
  cancelled: boolean;
  /** The batch may have much at the service: chunks may be large. */
  isLarge?: boolean;
}

export type ItemCounts = Record<BatchItemStatus, number>;

/** What a partition tells its batch. */
export interface PartitionNews {
  n: number;
  counts: ItemCounts;
  /** Why it submits nothing, in words, where that is the service's doing. */
  trouble: string | null;
  /** Why it learns nothing of its tasks, in words. */
  silence: string | null;
  /** That tasks which take too long keep others from beginning, in words. */
  late: string | null;
  isOver: boolean;
}

export interface PartitionResult {
  n: number;
  counts: ItemCounts;
  items: BatchItemResult[];
}

export const windowSignal = defineSignal<[PartitionWindow]>('window');
/** Task ids that came too late to be a result of their chunk, by the item's place in the partition. */
export interface LateTasks {
  tasks: { item: number; taskId: string }[];
}

export const lateTasksSignal = defineSignal<[LateTasks]>('lateTasks');
export const partitionResultsQuery = defineQuery<BatchItemResult[]>('results');
