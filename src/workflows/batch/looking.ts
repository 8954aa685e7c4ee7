/** Partitions tell how they stand; those that were stopped do not, and are looked at. */
import { proxyActivities, setHandler, sleep } from '@temporalio/workflow';
import {
  type ItemCounts,
  partitionNewsSignal,
  type PartitionStanding,
  type SegueActivities,
} from '../../contract';
import { batchPartWorkflowId } from '../../ids';
import { isRecord, isText } from '../../rules/inputs';
import { type Batch } from './run';

/** Reads of the Temporal server alone. */
const { readEnd } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const LOOK_EVERY_MS = 3_600_000;

export function handleNews(run: Batch): void {
  setHandler(
    partitionNewsSignal,
    (news: unknown) => {
      if (isRecord(news)) takeNews(run, news);
    },
    { description: 'How one of its partitions stands: { n, counts, trouble, late, isOver }.' },
  );
}

/** Anybody can send a signal; what is no partition's word changes nothing. */
function takeNews(run: Batch, { n, counts, trouble, late, isOver }: Record<string, unknown>): void {
  const standing = run.progress.partitions[Number(n) - 1];
  if (!standing || !isCounts(counts)) return;
  if (standing.isOver) {
    // It came when it was no longer waited for, and would wait for places for ever.
    if (isOver !== true) tellToStop(run, Number(n));
    return;
  }
  standing.isThere = true;
  standing.counts = counts;
  standing.trouble = isText(trouble) ? trouble : null;
  standing.late = isText(late) ? late : null;
  standing.isOver = isOver === true;
  const { heard } = run.progress;
  if (!heard.includes(Number(n))) heard.push(Number(n));
  run.hasWork = true;
}

function tellToStop(run: Batch, n: number): void {
  run.untold.add(n);
  run.hasWork = true;
}

const NAMES: (keyof ItemCounts)[] = ['waiting', 'running', 'succeeded', 'failed', 'held', 'cancelled'];

function isCounts(counts: unknown): counts is ItemCounts {
  return isRecord(counts) && NAMES.every((name) => Number.isInteger(counts[name]));
}

/**
 * For as long as the batch lasts, whichever of its runs that is; one timer an hour. Those that only wait keep nothing
 * from anybody; what became of them shows when they are given places.
 */
export async function lookNowAndThen(run: Batch): Promise<void> {
  const { progress } = run;
  for (;;) {
    progress.nextLookAt ??= new Date(Date.now() + LOOK_EVERY_MS).toISOString();
    const pause = Math.max(Date.parse(progress.nextLookAt) - Date.now(), 1);
    await sleep(pause, { summary: 'until silent partitions are looked at' });
    const heard = new Set(progress.heard);
    progress.heard = [];
    progress.nextLookAt = undefined;
    for (const [index, standing] of progress.partitions.entries())
      if (isKeepingPlaces(standing) && !heard.has(index + 1)) await lookAt(run, index + 1);
  }
}

/** A task at the service takes a place, whether or not it was given one. One whose items are all over may still write. */
function isKeepingPlaces({ isThere, isOver, places, counts }: PartitionStanding): boolean {
  return isThere && !isOver && (places > 0 || counts.running > 0 || counts.waiting === 0);
}

export async function lookAt(run: Batch, n: number): Promise<void> {
  const end = await readEnd({ workflowId: batchPartWorkflowId(run.input.key, n) });
  const standing = run.progress.partitions[n - 1];
  // One that ended well has told so itself.
  if (!standing || standing.isOver || end.is === 'open' || end.is === 'succeeded') return;
  loseSightOf(standing);
  run.hasWork = true;
}

/** What it had at the service goes on there, and only a person can find out what becomes of it. */
function loseSightOf(standing: PartitionStanding): void {
  const { counts } = standing;
  standing.counts = {
    ...counts,
    held: counts.held + counts.running,
    cancelled: counts.cancelled + counts.waiting,
    ...{ waiting: 0, running: 0 },
  };
  standing.isOver = true;
}
