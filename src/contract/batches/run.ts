/** A batch: what it takes, where it is, what it gives back. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type Scope } from '../../api/scope';
import { type Continued, type JobSettings } from '../settings';
import { type NoticeOutcome, type NotifyTarget } from '../targets';
import { type ItemCounts, type PartitionNews } from './partition';

export const BATCH_WORKFLOW = 'batch';

/** Default of how many tasks of a batch are at the service at once. */
export const DEFAULT_BATCH_CONCURRENCY = 200;

/** More would be one batch's alone to be limited by. */
export const MOST_BATCH_CONCURRENCY = 10_000;
/** All of them are known to one run, and handed over when it continues as new. */
export const MOST_PARTITIONS = 4_000;

/** A partition as the first reading of the manifest fixed it. */
export interface PartitionFacts {
  items: number;
  /** The line of the manifest where it begins, from 1. */
  firstLine: number;
  digest: string;
}

export interface BatchManifest {
  digest: string;
  items: number;
  partitions: PartitionFacts[];
}

export interface BatchInput extends JobSettings, Continued<CarriedBatch> {
  key: string;
  manifest: BatchManifest;
  /** Where the manifest was read, without what is signed or secret in that; only firings of schedules say so. */
  source?: string;
  concurrency?: number;
  /** For the batch's own notification. */
  scope?: Scope;
  /** Who is told of its end, once. */
  notify?: NotifyTarget;
}

export const BATCH_STAGES = [
  'running',
  'paused',
  'cancelling',
  'completed',
  'attention',
  'cancelled',
] as const;
export type BatchStage = (typeof BATCH_STAGES)[number];

export interface BatchPause {
  by: string;
  reason: string;
  since: string;
}

export interface BatchOrder {
  by: string;
  reason?: string;
}

/** Items whose partition ended without them, though nobody cancelled the batch. */
export interface StoppedItems {
  /** They were at the service, and nobody asks after them any more. They count as held. */
  unfollowed: number;
  /** They count as cancelled. */
  undone: number;
  /** How their partition ended. */
  reason: string;
}

/** What a batch knows of one of its partitions. */
export interface PartitionStanding extends Omit<PartitionNews, 'n'> {
  /** Whether its run was handed over, and told so. */
  isThere: boolean;
  slots: number;
  stopped?: StoppedItems;
}

/** What the operator is notified of, mostly once. */
export type BatchEvent = 'held' | 'incomplete' | 'stopped' | 'absent' | 'trouble' | 'late';

/** What the operator is to be told, until it is known what became of that. */
export interface BatchNotice {
  words: { event: string; title: string; message: string; body?: string };
  /** When it was first tried, and when it is tried again. ISO 8601. */
  since: string;
  nextAt?: string;
}

export interface BatchProgress {
  stage: BatchStage;
  since: string;
  startedAt: string;
  concurrency: number;
  paused: BatchPause | null;
  partitions: PartitionStanding[];
  /** The last number given to a slot grant. */
  orders: number;
  /** What the operator was notified of. */
  notified: BatchEvent[];
  notices: BatchNotice[];
  /** How often the service was in trouble; part of the name of what is told of it. */
  troubles: number;
  /** Since when it is not any more, where it was. */
  wellSince?: string;
  /** When partitions are checked next. */
  nextCheckAt: string;
  /** When the last of its partitions came; none did where it is not there. */
  arrivedAt?: string;
  /** Why the rest of the manifest is not handed over, if so. */
  incomplete: string | null;
  /** Ids of the runs that are told its end. */
  listeners: string[];
  reset: boolean;
}

/** A standing without what is nothing, and with few words: there may be thousands. */
export type CarriedStanding = Partial<Omit<PartitionStanding, 'counts'>> & { counts: Partial<ItemCounts> };

export type CarriedBatch = Omit<BatchProgress, 'partitions'> & { partitions: CarriedStanding[] };

/** Answer of the `status` query. */
export interface BatchStatus extends Pick<
  BatchProgress,
  'stage' | 'since' | 'startedAt' | 'concurrency' | 'paused'
> {
  key: string;
  /** Of the manifest. */
  digest: string;
  items: number;
  counts: ItemCounts;
  /** Of the items that are over. */
  percent: number;
  partitions: { total: number; handedOver: number; over: number };
  /** What keeps it from getting on, in words, where that is the service's doing. */
  trouble: string | null;
  /** That tasks which take too long keep others from beginning, in words. */
  late: string | null;
  /** Why the rest of the manifest is not handed over, if so: those items count as cancelled. */
  incomplete: string | null;
  /** Of all partitions that were stopped, if any. */
  stopped: StoppedItems | null;
}

/** What a batch knows of one of its partitions, also when Temporal does not keep that one's run any more. */
export type KnownPartition = Pick<PartitionStanding, 'isThere' | 'isOver' | 'counts'>;

export interface BatchResult {
  key: string;
  /** `attention`: some items are held: they go on as runs of their own, unless their partition was stopped. */
  status: 'completed' | 'attention' | 'cancelled';
  /** Of the manifest; batches that ended long ago do not tell it. */
  digest?: string;
  items: number;
  counts: ItemCounts;
  startedAt: string;
  finishedAt: string;
  notified: NoticeOutcome | null;
  /** As in {@link BatchStatus}. */
  incomplete: string | null;
  /** As in {@link BatchStatus}; batches that ended long ago do not tell it. */
  stopped?: StoppedItems | null;
}

export const batchStatusQuery = defineQuery<BatchStatus>('status');
/** All partitions, in their order. */
export const batchPartitionsQuery = defineQuery<KnownPartition[]>('partitions');
export const batchPauseUpdate = defineUpdate<BatchStatus, [BatchOrder]>('pause');
export const batchResumeUpdate = defineUpdate<BatchStatus, [BatchOrder]>('resume');
export const batchCancelUpdate = defineUpdate<BatchStatus, [BatchOrder]>('cancel');
export const batchConcurrencyUpdate = defineUpdate<BatchStatus, [BatchOrder & { concurrency: number }]>(
  'concurrency',
);
export const partitionNewsSignal = defineSignal<[PartitionNews]>('partitionNews');
/** Partitions that are not there will not come; those that are go on. */
export const endHandOverSignal = defineSignal<[{ reason: string }]>('endHandOver');
