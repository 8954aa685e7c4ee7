/** A partition: the run of up to 500 items of a batch. */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import { type Scope } from '../../api/scope';
import { type ChangeAsks } from '../projects';
import { type Continued, type JobSettings } from '../settings';
import { type NotificationStatus, type NotifyTarget, type ProjectRef, type WriteTarget } from '../targets';

/** What is asked of a media job, as in a line of a manifest. */
export interface BatchItem {
  /** Default in a manifest: a digest of scope, tool and request. */
  key: string;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  write?: WriteTarget;
  notify?: NotifyTarget;
  /** A task that already runs: it is polled and nothing is submitted. */
  taskId?: string;
}

/** `unsaved`: its project did not take the result. `held`: it continues as a separate job, which needs a person. */
export const ITEM_STATUSES = [
  'waiting',
  'running',
  'succeeded',
  'unsaved',
  'failed',
  'held',
  'cancelled',
] as const;
export type BatchItemStatus = (typeof ITEM_STATUSES)[number];

export interface BatchItemResult extends Pick<
  ItemProgress,
  'status' | 'info' | 'error' | 'unwritten' | 'workflowId'
> {
  key: string;
  taskId: string | null;
  notified?: NotificationStatus;
}

/** The items are the input of one run, and are sent again as chunks. */
export const MOST_PARTITION_ITEMS = 500;
export const LARGEST_PARTITION_BYTES = 512 * 1024;
export const LARGEST_ITEM_INFO_BYTES = 2 * 1024;
/** POSTs of one activity. Large chunks cost the server and the worker less. */
export const LARGEST_CHUNK = 50;
/** The largest chunk of a batch with few slots or a rate; the rate counts each chunk as this many POSTs. */
export const USUAL_CHUNK = 25;
export const LARGEST_LINE_BYTES = 64 * 1024;

export const BATCH_PART_WORKFLOW = 'batchPart';

export interface PartitionInput extends JobSettings, Continued<PartitionProgress> {
  batch: string;
  n: number;
  /** The number of its first item in the batch, from 1. */
  first: number;
  items: BatchItem[];
}

/** Kept short: continue-as-new hands over hundreds of them. */
export interface ItemProgress {
  status: BatchItemStatus;
  taskId?: string;
  /** POSTs so far; part of the next request id. */
  attempts: number;
  since?: string;
  missingSince?: string;
  /** The service's result, or how to fetch one that is too large to keep. */
  info?: unknown;
  error?: string;
  /** Why the project does not have the result or the failure. */
  unwritten?: string;
  /** Of the item's user: the outcome, or since when the notification is due. */
  notice?: NotificationStatus | { due: string; tries?: number };
  workflowId?: string;
}

/** What a partition still has to write to one project. */
export interface PendingWrite {
  /** Different for each project and scope. */
  address: string;
  project: ProjectRef;
  scope?: Scope;
  /** The change that the project's writer has not answered. It is requested again with the same id. */
  asked?: AskedChange;
  /** Parts of a refused change: it is halved until the bad item is alone. */
  halves: Saved[][];
  /** These go with the next change. */
  waiting: Saved[];
}

export interface AskedChange extends ChangeAsks {
  changeId: string;
  items: Saved[];
}

export interface Saved {
  /** Its index in the partition. */
  item: number;
  /** JSON pointer into the project's data. */
  at: string;
  finishedAt: string;
}

export interface PartitionProgress extends Pick<PartitionNews, 'late'> {
  items: ItemProgress[];
  pendingWrites: PendingWrite[];
  slotGrant: SlotGrant;
  polls: number;
  /** The index of the first item that the last poll did not reach. */
  pollFrom?: number;
  /** Why the service takes no submits. */
  trouble?: string | null;
  /** The service asked for no submits before this, in milliseconds since 1970. */
  restUntil?: number;
  /** Polls in a row without news of any task, and the last reason. */
  silence?: { polls: number; reason: string } | null;
  reset: boolean;
}

export interface SlotGrant {
  /** Grows with each grant; an older one that comes late changes nothing. */
  order: number;
  slots: number;
  paused: boolean;
  cancelled: boolean;
  /** The batch has many slots, so chunks may be large. */
  isLarge?: boolean;
}

export type ItemCounts = Record<BatchItemStatus, number>;

export const NO_ITEMS = Object.fromEntries(
  ITEM_STATUSES.map((status) => [status, 0]),
) as Readonly<ItemCounts>;

/** The report of a partition to its batch. Texts are for people. */
export interface PartitionNews {
  n: number;
  counts: ItemCounts;
  /** Why the service keeps it from submits, polls or writes. */
  trouble: string | null;
  /** Tasks that take too long keep others from beginning. */
  late: string | null;
  isOver: boolean;
}

export interface PartitionResult extends Pick<PartitionNews, 'n' | 'counts'> {
  items: BatchItemResult[];
}

export const slotGrantSignal = defineSignal<[SlotGrant]>('slotGrant');
/** Task ids that came too late to be a result of their chunk; `item` is the index in the partition. */
export interface LateTasks {
  tasks: { item: number; taskId: string }[];
}

export const lateTasksSignal = defineSignal<[LateTasks]>('lateTasks');
export const partitionResultsQuery = defineQuery<BatchItemResult[]>('results');
