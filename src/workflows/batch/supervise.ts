/** Partitions report by signal; those that were stopped do not, so partitions are checked every hour. */
import { sleep } from '@temporalio/workflow';
import {
  type ItemCounts,
  type JobEnd,
  NO_ITEMS,
  partitionNewsSignal,
  type PartitionStanding,
} from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { isRecord, isText } from '../../validation/inputs';
import { onSignal } from '../lib/listeners';
import { CHECK_EVERY_MS, LONGEST_LIST, readManyEnds } from '../lib/otherRuns';
import { absence } from './concerns';
import { notifyOnce } from './notify';
import { type Batch } from './state';

export function handleReports(run: Batch): void {
  const description = 'How one of its partitions stands: { n, counts, trouble, late, isOver }.';
  onSignal(partitionNewsSignal, description, (news) => {
    takeReport(run, news);
  });
}

/** Anybody can send a signal: one that is no partition's report changes nothing. */
function takeReport(run: Batch, report: Record<string, unknown>): void {
  const { n, counts, trouble, late, isOver } = report;
  if (typeof n !== 'number' || !isCounts(counts)) return;
  const standing = run.progress.partitions[n - 1];
  if (!standing) return;
  run.hasWork = true;
  if (standing.isOver) {
    // It started after the batch gave it up: a grant with `cancelled` ends it.
    if (isOver !== true) run.ungranted.add(n);
    return;
  }
  if (!standing.isThere) run.progress.arrivedAt = new Date().toISOString();
  standing.isThere = true;
  standing.counts = { ...NO_ITEMS, ...counts };
  standing.trouble = isText(trouble) ? trouble : null;
  standing.late = isText(late) ? late : null;
  standing.isOver = isOver === true;
  // Somebody cancelled this partition alone.
  if (counts.cancelled > 0 && run.progress.stage !== 'cancelling')
    standing.stopped = {
      unfollowed: 0,
      undone: counts.cancelled,
      reason: `partition ${n} was cancelled`,
    };
}

function isCounts(counts: unknown): counts is ItemCounts {
  const isCount = (count: unknown): boolean => Number.isInteger(count) && Number(count) >= 0;
  return isRecord(counts) && Object.keys(NO_ITEMS).every((name) => isCount(counts[name] ?? 0));
}

/** For the next partition to be handed over. */
const LONGEST_HAND_OVER_MS = 1_800_000;

/** Partitions that only wait are not checked; what became of them shows when they are granted slots. */
export async function supervise(run: Batch): Promise<void> {
  const { progress } = run;
  for (;;) {
    const pause = Math.max(Date.parse(progress.nextCheckAt) - Date.now(), 1);
    await sleep(pause, { summary: 'until partitions are checked' });
    await checkPartitions(run, run.numbersOf(isHoldingSlots));
    // A partition may have ended before its first report. They are handed over in order.
    const ends = await checkPartitions(run, run.absent.slice(0, LONGEST_LIST));
    const since = Date.parse(progress.arrivedAt ?? progress.startedAt);
    const isLate = Date.now() - since >= LONGEST_HAND_OVER_MS;
    if (isLate && ends.some(({ is }) => is === 'gone')) notifyOnce(run, absence(run));
    // After the check: the next run repeats one that this run did not finish.
    progress.nextCheckAt = new Date(Date.now() + CHECK_EVERY_MS).toISOString();
    run.hasWork = true;
  }
}

/** A task at the service takes a slot, granted or not. A partition whose items are all over may still write. */
function isHoldingSlots({ isThere, isOver, slots, counts }: PartitionStanding): boolean {
  return isThere && !isOver && (slots > 0 || counts.running > 0 || counts.waiting === 0);
}

/** In the result of a partition. */
const COUNTS_AT = '/counts';

export async function checkPartitions(run: Batch, numbers: number[]): Promise<JobEnd[]> {
  const orders = numbers.map((n) => ({
    workflowId: batchPartWorkflowId(run.input.key, n),
    pointers: [COUNTS_AT],
  }));
  // Before the read: a partition that starts during the read is not lost.
  const wereThere = numbers.map((n) => run.progress.partitions[n - 1]?.isThere === true);
  const ends = await readManyEnds(orders);
  for (const [index, end] of ends.entries())
    takeEnd(run, numbers[index] ?? 0, end, wereThere[index] === true);
  return ends;
}

function takeEnd(run: Batch, n: number, end: JobEnd, wasThere: boolean): void {
  const standing = run.progress.partitions[n - 1];
  // A partition reports before it completes; where the report was lost, its result says the same.
  const counts = end.is === 'succeeded' ? end.values[COUNTS_AT] : undefined;
  if (counts && 'value' in counts) takeReport(run, { n, counts: counts.value, isOver: true });
  // A partition that was never there may still come.
  const isLost = end.is === 'gone' ? wasThere : end.is !== 'open' && end.is !== 'succeeded';
  if (!standing || standing.isOver || !isLost) return;
  markStopped(run, standing, stopReason(n, end));
  run.hasWork = true;
}

function stopReason(n: number, end: JobEnd): string {
  if (!('error' in end)) return `partition ${n} is not known to the Temporal server any more`;
  return `partition ${n} ${end.is === 'failed' ? 'failed' : `was ${end.is}`}: ${end.error}`;
}

/** Its tasks continue at the service, and only a person can find out how they end. */
function markStopped({ progress }: Batch, standing: PartitionStanding, reason: string): void {
  const { counts } = standing;
  // A cancelled batch would not run them anyway.
  const isCancelling = progress.stage === 'cancelling';
  const undone = isCancelling ? 0 : counts.cancelled + counts.waiting;
  // With every item over, writes or notifications may be missing.
  if (!isCancelling || counts.running > 0) standing.stopped = { unfollowed: counts.running, undone, reason };
  standing.counts = {
    ...counts,
    held: counts.held + counts.running,
    cancelled: counts.cancelled + counts.waiting,
    ...{ waiting: 0, running: 0 },
  };
  standing.isThere = true;
  standing.isOver = true;
}
