import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type Scope } from '../../api/scope';
import { type Pause, type PauseOrder } from '../holds';
import { type Continued, type JobSettings } from '../settings';
import { type NotificationStatus, type NotifyTarget } from '../targets';
import { type ItemCounts, type PartitionNews } from './partition';

export const BATCH_WORKFLOW = 'batch';

/** How many tasks of a batch are at the service at once. */
export const DEFAULT_BATCH_CONCURRENCY = 200;
export const MOST_BATCH_CONCURRENCY = 10_000;
/** One run keeps all of them in its state. */
export const MOST_PARTITIONS = 4_000;

export interface PartitionFacts {
  items: number;
  /** In the manifest, from 1. */
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
  /** The address of the manifest without its query, which may be signed; only firings set it. */
  source?: string;
  concurrency?: number;
  /** Of the batch itself, for its notification; items have their own. */
  scope?: Scope;
  /** Notified once, at the end. */
  notify?: NotifyTarget;
}

export const BATCH_STAGES = [
  'running',
  'paused',
  'cancelling',
  'completed',
  'unsaved',
  'attention',
  'cancelled',
] as const;
export type BatchStage = (typeof BATCH_STAGES)[number];

/** Items whose partition was stopped before them, without a cancellation of the batch. */
export interface StoppedItems {
  /** They are at the service, and nobody polls them. They count as held. */
  unfollowed: number;
  /** They count as cancelled. */
  undone: number;
  reason: string;
}

export interface PartitionStanding extends Omit<PartitionNews, 'n'> {
  isThere: boolean;
  slots: number;
  stopped?: StoppedItems;
}

export interface BatchProgress {
  stage: BatchStage;
  since: string;
  startedAt: string;
  concurrency: number;
  paused: Pause | null;
  partitions: PartitionStanding[];
  orders: number;
  /** Events that the operator was notified of. */
  notified: string[];
  nextCheckAt: string;
  arrivedAt?: string;
  /** Why the rest of the manifest is not handed over: those items count as cancelled. */
  incomplete: string | null;
  listeners: string[];
  reset: boolean;
}

/** Short, because there may be thousands. */
export type CarriedStanding = Partial<Omit<PartitionStanding, 'counts'>> & { counts: Partial<ItemCounts> };

export type CarriedBatch = Omit<BatchProgress, 'partitions'> & { partitions: CarriedStanding[] };

export interface BatchStatus
  extends
    Pick<BatchProgress, 'stage' | 'since' | 'startedAt' | 'concurrency' | 'paused' | 'incomplete'>,
    Pick<PartitionNews, 'counts' | 'trouble' | 'late'> {
  key: string;
  digest: string;
  items: number;
  percent: number;
  partitions: { total: number; handedOver: number; over: number };
  stopped: StoppedItems | null;
}

export type KnownPartition = Pick<PartitionStanding, 'isThere' | 'isOver' | 'counts'>;

export interface BatchResult extends Pick<
  BatchStatus,
  'key' | 'items' | 'counts' | 'startedAt' | 'incomplete' | 'digest' | 'stopped'
> {
  /** `attention`: held items continue as separate jobs, a partition was stopped, or lines were not handed over. */
  status: 'completed' | 'unsaved' | 'attention' | 'cancelled';
  finishedAt: string;
  notified: NotificationStatus | null;
}

/** What needs a person comes first. */
export function endStage({
  counts,
  stopped,
  incomplete,
}: Pick<BatchResult, 'counts' | 'stopped' | 'incomplete'>): Exclude<BatchResult['status'], 'cancelled'> {
  if (counts.held > 0 || stopped || incomplete) return 'attention';
  return counts.unsaved > 0 ? 'unsaved' : 'completed';
}

export const batchStatusQuery = defineQuery<BatchStatus>('status');
export const batchPartitionsQuery = defineQuery<KnownPartition[]>('partitions');
export const batchPauseUpdate = defineUpdate<BatchStatus, [PauseOrder]>('pause');
export const batchResumeUpdate = defineUpdate<BatchStatus, [PauseOrder]>('resume');
export const batchCancelUpdate = defineUpdate<BatchStatus, [PauseOrder]>('cancel');
export const batchConcurrencyUpdate = defineUpdate<BatchStatus, [PauseOrder & { concurrency: number }]>(
  'concurrency',
);
export const partitionNewsSignal = defineSignal<[PartitionNews]>('partitionNews');
/** The missing partitions will not come; the others continue. */
export const endHandOverSignal = defineSignal<[{ reason: string }]>('endHandOver');
