/** What a batch knows of its partitions, and what it does at the moment. */
import {
  type BatchInput,
  type BatchProgress,
  type BatchStatus,
  DEFAULT_BATCH_CONCURRENCY,
  type ItemCounts,
  type PartitionFacts,
  type PartitionStanding,
  type StoppedItems,
} from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { isText } from '../../validation/inputs';
import { type Sender, wasReset } from '../lib/atMostOnce';
import { takenOver } from './carrying';

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
      orders: 0,
      told: { held: false, trouble: false },
      notices: [],
      troubles: 0,
      heard: [],
      incomplete: null,
      listeners: [],
      ...carried,
      partitions: carried?.partitions.map(takenOver) ?? manifest.partitions.map(newStanding),
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

/** Numbers of the partitions that are waited for and were never heard of. */
export function absentOf({ progress }: Batch): number[] {
  return progress.partitions.flatMap(({ isThere, isOver }, index) => (isThere || isOver ? [] : [index + 1]));
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

/** Why some of it submits nothing, by the first that says so. */
export function troubleOf({ progress }: Batch): string | null {
  return progress.partitions.find(({ trouble, isOver }) => trouble !== null && !isOver)?.trouble ?? null;
}

/** Why some of it learns nothing of its tasks, by the first that says so. */
export function silenceOf({ progress }: Batch): string | null {
  return progress.partitions.find(({ silence, isOver }) => isText(silence) && !isOver)?.silence ?? null;
}

/** For so long it must be well before another trouble is another one: what comes and goes is told once. */
const CALM_MS = 600_000;

/** Whether a person is to be told that it is in trouble, in this moment. */
export function isNewTrouble(
  progress: Pick<BatchProgress, 'told' | 'wellSince'>,
  isTroubled: boolean,
  now: number,
): boolean {
  if (!isTroubled) {
    progress.wellSince ??= new Date(now).toISOString();
    return false;
  }
  const isCalm = progress.wellSince !== undefined && now - Date.parse(progress.wellSince) >= CALM_MS;
  const isNew = !progress.told.trouble || isCalm;
  progress.told.trouble = true;
  progress.wellSince = undefined;
  return isNew;
}

/**
 * That tasks which take too long keep others from beginning, by the first that says so. One that has no places says so,
 * too: it may wait for those of others, unless such tasks are all that is at the service.
 */
export function lateOf({ progress }: Batch): string | null {
  const open = progress.partitions.filter(({ isOver }) => !isOver);
  const isStuck = open.every(({ late, places, counts }) => isText(late) || places + counts.running === 0);
  return open.find(({ late, places }) => isText(late) && (places > 0 || isStuck))?.late ?? null;
}

/** Of all partitions that were stopped together, with the reason of the first. */
export function stoppedOf({ progress }: Batch): StoppedItems | null {
  const all = progress.partitions.flatMap(({ stopped }) => stopped ?? []);
  const [first, ...others] = all;
  if (!first) return null;
  return {
    unfollowed: all.reduce((total, { unfollowed }) => total + unfollowed, 0),
    undone: all.reduce((total, { undone }) => total + undone, 0),
    reason: others.length === 0 ? first.reason : `${first.reason} (and ${others.length} more)`,
  };
}

/** Those that are runs of their own. */
export function countOfHeld(run: Batch): number {
  return countsOf(run).held - (stoppedOf(run)?.unfollowed ?? 0);
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
    trouble: troubleOf(run) ?? silenceOf(run),
    late: lateOf(run),
    incomplete,
    stopped: stoppedOf(run),
  };
}
