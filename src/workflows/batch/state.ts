/** The state of a batch: what outlives the run (`progress`), what it does at the moment, and what follows from both. */
import { workflowInfo } from '@temporalio/workflow';
import {
  type BatchInput,
  type BatchProgress,
  type BatchStatus,
  type CarriedBatch,
  type CarriedStanding,
  DEFAULT_BATCH_CONCURRENCY,
  type ItemCounts,
  NO_ITEMS,
  type PartitionFacts,
  type PartitionStanding,
  type StoppedItems,
} from '../../contract';
import { truncateBytes } from '../../api/json';
import { isText } from '../../validation/inputs';
import { type Sender, wasReset } from '../lib/atMostOnce';
import { CHECK_EVERY_MS } from '../lib/otherRuns';

export class Batch implements Sender {
  readonly requestName = workflowInfo().workflowId;
  readonly progress: BatchProgress;
  /** Something has changed that the main loop must act on. */
  hasWork: boolean;
  /** Numbers of the partitions that do not know their current slot grant. */
  readonly ungranted = new Set<number>();
  grantsInFlight = 0;
  noticesInFlight = 0;
  /** Events that the service did not take before the history was long. */
  readonly unsent = new Set<string>();

  constructor(readonly input: BatchInput) {
    const { carried, manifest } = input;
    const now = new Date().toISOString();
    this.progress = {
      stage: 'running',
      since: now,
      startedAt: now,
      concurrency: input.concurrency ?? DEFAULT_BATCH_CONCURRENCY,
      paused: null,
      orders: 0,
      notified: [],
      nextCheckAt: new Date(Date.now() + CHECK_EVERY_MS).toISOString(),
      incomplete: null,
      listeners: [],
      ...carried,
      partitions: (carried?.partitions ?? manifest.partitions.map(newStanding)).map(restoreStanding),
      reset: wasReset(carried),
    };
    // A signal may have reached the previous run after its last pass.
    this.hasWork = carried !== undefined;
  }

  get isOpen(): boolean {
    return this.progress.stage === 'running' || this.progress.stage === 'paused';
  }

  /** Whether so much is at the service at once that large chunks leave room for others. */
  get isLarge(): boolean {
    return this.progress.concurrency > DEFAULT_BATCH_CONCURRENCY;
  }

  /** Numbers of the partitions that are expected and have never reported. */
  get absent(): number[] {
    return this.numbersOf(({ isThere, isOver }) => !isThere && !isOver);
  }

  numbersOf(isWanted: (standing: PartitionStanding) => boolean): number[] {
    return this.progress.partitions.flatMap((standing, index) => (isWanted(standing) ? [index + 1] : []));
  }

  /** Items of partitions that were not handed over will not run. */
  cancelAbsent(): void {
    for (const standing of this.progress.partitions) {
      if (standing.isThere) continue;
      const { waiting, ...others } = standing.counts;
      standing.counts = { ...others, waiting: 0, cancelled: others.cancelled + waiting };
      standing.isOver = true;
    }
  }

  get counts(): ItemCounts {
    const counts = { ...NO_ITEMS };
    const names = Object.keys(counts) as (keyof ItemCounts)[];
    for (const partition of this.progress.partitions)
      for (const name of names) counts[name] += partition.counts[name];
    return counts;
  }

  get countsLine(): string {
    const parts = Object.entries(this.counts).flatMap(([status, count]) =>
      count > 0 ? [`${count} ${status}`] : [],
    );
    return `Of ${this.input.manifest.items} items: ${parts.join(', ')}.`;
  }

  /** Why a partition submits or writes nothing, or gets no answer to polls; the first one that reports a reason. */
  get trouble(): string | null {
    return (
      this.progress.partitions.find(({ trouble, isOver }) => trouble !== null && !isOver)?.trouble ?? null
    );
  }

  get late(): string | null {
    return lateOf(this.progress.partitions);
  }

  /** The sum over all stopped partitions, with the reason of the first. */
  get stopped(): StoppedItems | null {
    const all = this.progress.partitions.flatMap(({ stopped }) => stopped ?? []);
    const [first, ...others] = all;
    if (!first) return null;
    return {
      unfollowed: all.reduce((total, { unfollowed }) => total + unfollowed, 0),
      undone: all.reduce((total, { undone }) => total + undone, 0),
      reason: others.length === 0 ? first.reason : `${first.reason} (and ${others.length} more)`,
    };
  }

  /** Held items that are separate jobs. */
  get heldJobs(): number {
    return this.counts.held - (this.stopped?.unfollowed ?? 0);
  }

  describe(): BatchStatus {
    const { input, counts } = this;
    const { stage, since, startedAt, concurrency, paused, partitions, incomplete } = this.progress;
    const { digest, items } = input.manifest;
    const open = counts.waiting + counts.running;
    return {
      key: input.key,
      ...{ stage, since, startedAt, digest, items, counts },
      percent: Math.floor((100 * (items - open)) / items),
      partitions: {
        total: partitions.length,
        handedOver: partitions.filter(({ isThere }) => isThere).length,
        over: partitions.filter(({ isOver }) => isOver).length,
      },
      ...{ concurrency, paused },
      ...{ trouble: this.trouble, late: this.late, incomplete, stopped: this.stopped },
    };
  }
}

function newStanding({ items }: PartitionFacts): CarriedStanding {
  return { counts: { waiting: items } };
}

/**
 * The text of the first partition whose overdue tasks keep new items from starting. A partition without slots counts only
 * when every partition is stuck: otherwise it waits for the slots of others.
 */
export function lateOf(partitions: PartitionStanding[]): string | null {
  const open = partitions.filter(({ isOver }) => !isOver);
  const isStuck = open.every(({ late, slots, counts }) => isText(late) || slots + counts.running === 0);
  return open.find(({ late, slots }) => isText(late) && (slots > 0 || isStuck))?.late ?? null;
}

/** The state for the next run is one payload for all partitions, and the server takes up to 2 MB: texts are truncated. */
export function carriedOf(progress: BatchProgress): CarriedBatch {
  return { ...progress, partitions: progress.partitions.map(compactStanding) };
}

function compactStanding(standing: PartitionStanding): CarriedStanding {
  const { trouble, late, stopped, counts, ...others } = standing;
  const texts = { trouble: trouble && compact(trouble), late: late && compact(late) };
  return {
    ...withoutEmpty({ ...others, ...(others.isOver ? {} : texts) }),
    counts: withoutEmpty(counts),
    ...(stopped ? { stopped: { ...stopped, reason: compact(stopped.reason) } } : {}),
  };
}

/** Of one text of one partition, in bytes of JSON. */
const LONGEST_TEXT = 100;

function compact(text: string): string {
  return truncateBytes(text, LONGEST_TEXT);
}

export function restoreStanding({ counts, ...standing }: CarriedStanding): PartitionStanding {
  return {
    ...{ isThere: false, slots: 0, trouble: null, late: null, isOver: false },
    ...standing,
    counts: { ...NO_ITEMS, ...counts },
  };
}

function withoutEmpty<T extends object>(all: T): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => Boolean(value))) as Partial<T>;
}
