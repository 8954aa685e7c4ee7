/** The items of a batch: what a line of its manifest asks for, and what became of it. */
import { type Scope } from '../../api/scope';
import { type NoticeOutcome, type NotifyTarget, type WriteTarget } from '../targets';

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
