/** What a batch knows of its partitions, and what it does at the moment. */
import {
  type BatchInput,
  type BatchProgress,
  type BatchStatus,
  DEFAULT_BATCH_CONCURRENCY,
  type ItemCounts,
  type PartitionFacts,
  type PartitionStanding,
} from '../../contract';
import { batchWorkflowId } from '../../ids';
import { type Sender, wasReset } from '../following';

export interface Batch extends Sender {
  readonly input: BatchInput;
  readonly progress: BatchProgress;
  /** Something has changed that may need an answer. */
  hasWork: boolean;
  /** Numbers of the partitions that do not know their window yet. */
  readonly untold: Set<number>;
  /** Windows that are being told. */
  windows: number;
  /** Notifications on their way; those that only wait to be tried again are not. */
  notices: number;
}

export function startBatch(input: BatchInput): Batch {
  const { carried, manifest } = input;
  const now = new Date().toISOString();
  return {
    input,
    progress: {
      stage: 'running',
      since: now,
      startedAt: now,
      concurrency: input.concurrency ?? DEFAULT_BATCH_CONCURRENCY,
      paused: null,
      partitions: manifest.partitions.map(newStanding),
      orders: 0,
      told: { held: false, trouble: false },
      notices: [],
      troubles: 0,
      heard: [],
      incomplete: null,
      listeners: [],
      ...carried,
      reset: wasReset(carried),
    },
    subject: { requestName: batchWorkflowId(input.key) },
    // What came to the run before this one, and was not acted on yet.
    hasWork: carried !== undefined,
    untold: new Set(),
    ...{ windows: 0, notices: 0 },
  };
}

function newStanding({ items }: PartitionFacts): PartitionStanding {
  const counts = { ...NOTHING, waiting: items };
  return { isThere: false, counts, places: 0, trouble: null, late: null, isOver: false };
}

/** What was not handed over will not be done. */
export function giveUpAbsent({ progress }: Batch): void {
  for (const standing of progress.partitions) {
    if (standing.isThere) continue;
    const { waiting, ...others } = standing.counts;
    standing.counts = { ...others, waiting: 0, cancelled: others.cancelled + waiting };
    standing.isOver = true;
  }
}

const NOTHING: ItemCounts = { waiting: 0, running: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0 };

export function isAllOver({ progress }: Batch): boolean {
  return progress.partitions.every(({ isOver }) => isOver);
}

/** Of all partitions together. */
export function countsOf({ progress }: Batch): ItemCounts {
  const counts = { ...NOTHING };
  const names = Object.keys(counts) as (keyof ItemCounts)[];
  for (const partition of progress.partitions)
    for (const name of names) counts[name] += partition.counts[name];
  return counts;
}

/** What keeps some of it from getting on, by the first that says so. */
export function troubleOf({ progress }: Batch): string | null {
  return progress.partitions.find(({ trouble, isOver }) => trouble !== null && !isOver)?.trouble ?? null;
}

/** That tasks which take too long keep others from beginning, by the first that says so. */
export function lateOf({ progress }: Batch): string | null {
  return progress.partitions.find(({ late, isOver }) => late !== null && !isOver)?.late ?? null;
}

export function describe(run: Batch): BatchStatus {
  const { input, progress } = run;
  const { stage, since, startedAt, concurrency, paused, partitions, incomplete } = progress;
  const counts = countsOf(run);
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
    trouble: troubleOf(run) ?? lateOf(run),
    incomplete,
  };
}
