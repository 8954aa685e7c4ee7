/** A partition: the run that does some hundred items of a batch, and all that it knows of them. */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import { type Scope } from '../../api/scope';
import { type ChangeAsks } from '../media';
import { type Continued, type JobSettings } from '../settings';
import {
  type ChangeOutcome,
  type NoticeOutcome,
  type NotifyTarget,
  type ProjectRef,
  type WriteTarget,
} from '../targets';

/** A line of a manifest: a media job, without what is the batch's to say. */
export interface BatchItem {
  /** The manifest's own name for it; a digest of scope, tool and request where it gives none. */
  key: string;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  write?: WriteTarget;
  notify?: NotifyTarget;
  /** A task that already runs: it is polled and nothing is submitted. */
  taskId?: string;
}

/** `held`: it goes on as a run of its own, which a person has to look at. */
export type BatchItemStatus = 'waiting' | 'running' | 'succeeded' | 'failed' | 'held' | 'cancelled';

/** What became of an item, in the manifest's order. */
export interface BatchItemResult {
  key: string;
  status: BatchItemStatus;
  taskId: string | null;
  /** What the service made, or how to fetch it where that is too large to keep. */
  info?: unknown;
  error?: string;
  /** Why its project does not have it, if so. */
  unwritten?: string;
  /** What became of telling the user that the item names, if that is known. */
  notified?: NoticeOutcome;
  /** The run that it goes on as. */
  workflowId?: string;
}

/** Items in one partition, at most, and bytes of their JSON: they are one run's input, and travel once more as chunks. */
export const MOST_PARTITION_ITEMS = 500;
export const LARGEST_PARTITION_BYTES = 512 * 1024;
/** Of the `info` of one item; there are hundreds in a partition. */
export const LARGEST_ITEM_INFO_BYTES = 2 * 1024;
/** POSTs that one activity sends at once, at most: each costs the server and the worker less, the more there are. */
export const LARGEST_CHUNK = 50;
/** The same where a batch may have few at the service, or a rate is to be kept, which counts a chunk as this. */
export const USUAL_CHUNK = 25;
/** Of one line of a manifest. */
export const LARGEST_LINE_BYTES = 64 * 1024;

export const BATCH_PART_WORKFLOW = 'batchPart';

export interface PartitionInput extends JobSettings, Continued<PartitionProgress> {
  /** The batch's key. */
  batch: string;
  /** Which partition it is, from 1. */
  n: number;
  /** The number of its first item in the batch, from 1. */
  first: number;
  items: BatchItem[];
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

/** What is to be written to one project. What each item is to say there is made of what is known of it. */
export interface Letter {
  /** Tells it from those to other projects. */
  address: string;
  project: ProjectRef;
  scope?: Scope;
  /** What the project's writer was asked for, and has not answered. Whoever asks again does so by the same name. */
  asked?: AskedChange;
  /** Of what was refused together: each is written by itself. */
  halves: Saved[][];
  /** What was settled since goes with the next. */
  waiting: Saved[];
}

export interface AskedChange extends ChangeAsks {
  changeId: string;
  items: Saved[];
  /** One that came in the last moment of the run before this one. */
  answer?: ChangeOutcome;
}

/** An item that is over, by its place in the partition. */
export interface Saved {
  place: number;
  /** Where it goes in the project, and since when it is over. */
  at: string;
  finishedAt: string;
}

export interface PartitionProgress {
  items: ItemProgress[];
  /** Those that are not written yet. */
  letters: Letter[];
  slotGrant: SlotGrant;
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
export interface SlotGrant {
  /** Grows with each order, so that an older one that comes late changes nothing. */
  order: number;
  slots: number;
  paused: boolean;
  cancelled: boolean;
  /** The batch may have much at the service: chunks may be large. */
  isLarge?: boolean;
}

export type ItemCounts = Record<BatchItemStatus, number>;

export const NO_ITEMS: Readonly<ItemCounts> = {
  waiting: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  held: 0,
  cancelled: 0,
};

/** What a partition tells its batch. */
export interface PartitionNews {
  n: number;
  counts: ItemCounts;
  /** Why it submits nothing or polls in vain, in words, where that is the service's doing. */
  trouble: string | null;
  /** That tasks which take too long keep others from beginning, in words. */
  late: string | null;
  isOver: boolean;
}

export interface PartitionResult {
  n: number;
  counts: ItemCounts;
  items: BatchItemResult[];
}

export const slotGrantSignal = defineSignal<[SlotGrant]>('slotGrant');
/** Task ids that came too late to be a result of their chunk, by the item's place in the partition. */
export interface LateTasks {
  tasks: { item: number; taskId: string }[];
}

export const lateTasksSignal = defineSignal<[LateTasks]>('lateTasks');
export const partitionResultsQuery = defineQuery<BatchItemResult[]>('results');
