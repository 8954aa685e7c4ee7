/** The partitions of a batch: it grants them slots, takes their reports, and checks those that are silent. */
import { condition, getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import {
  type ItemCounts,
  type JobEnd,
  NO_ITEMS,
  partitionNewsSignal,
  type PartitionStanding,
  slotGrantSignal,
} from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { isRecord, isText } from '../../validation/inputs';
import { onSignal } from '../lib/listeners';
import { CHECK_EVERY_MS, LONGEST_LIST, readManyEnds, signalUntilTaken } from '../lib/otherRuns';
import { absence, notifyOnce } from './visibility';
import { type Batch } from './state';

/**
 * Free slots go to the first partitions first, so that a batch is done in the manifest's order. A partition that can use
 * its slots keeps them, unless the concurrency was lowered: its items would stay at the service beside those of others.
 */
export function allocateSlots({ progress, ungranted }: Pick<Batch, 'progress' | 'ungranted'>): void {
  const { partitions, concurrency } = progress;
  for (const partition of partitions) partition.slots = Math.min(partition.slots, needOf(partition));

  let excess = sum(partitions.map(({ slots }) => slots)) - concurrency;
  for (const [index, partition] of [...partitions.entries()].reverse()) {
    const taken = Math.min(Math.max(excess, 0), partition.slots);
    if (taken === 0) continue;
    partition.slots -= taken;
    excess -= taken;
    ungranted.add(index + 1);
  }

  let free = concurrency - sum(partitions.map(({ slots, counts }) => Math.max(slots, counts.running)));
  for (const [index, partition] of partitions.entries()) {
    if (free <= 0) break;
    const { slots, counts } = partition;
    // `free` already includes tasks beyond the partition's slots, so slots for them take none from others.
    const beyond = Math.max(counts.running - slots, 0);
    const more = Math.min(needOf(partition) - slots, beyond + free);
    if (more <= 0) continue;
    partition.slots += more;
    free -= Math.max(more - beyond, 0);
    ungranted.add(index + 1);
  }
}

/** How many of its items are not over. This number only falls. */
function needOf({ isThere, isOver, counts }: PartitionStanding): number {
  return isThere && !isOver ? counts.waiting + counts.running : 0;
}

/** In flight at once: the server fails a workflow task with more than 2,000 pending signals. */
const MOST_GRANTS = 500;

export function sendGrants(run: Batch): void {
  for (const n of run.ungranted) {
    if (run.grantsInFlight >= MOST_GRANTS) return;
    run.ungranted.delete(n);
    run.grantsInFlight += 1;
    void sendGrant(run, n).finally(() => {
      run.grantsInFlight -= 1;
      run.hasWork ||= run.ungranted.size > 0;
    });
  }
}

export function untilGrantsSent(run: Batch): Promise<void> {
  return condition(() => run.grantsInFlight === 0);
}

/** A partition that cannot take a signal now gets the grant that is right when it can. */
async function sendGrant(run: Batch, n: number): Promise<void> {
  // A partition that is over has sent its last report, unless somebody stopped it.
  const isOpen = async (): Promise<boolean> => (await checkPartitions(run, [n]))[0]?.is === 'open';
  await signalUntilTaken(() => signalGrant(run, n), isOpen, 'until a partition takes its slots');
}

function signalGrant({ input, progress, isLarge }: Batch, n: number): Promise<void> {
  const standing = progress.partitions[n - 1];
  // From the clock: numbers of a run after a reset must be higher than those before it.
  progress.orders = Math.max(progress.orders + 1, Date.now());
  const grant = {
    order: progress.orders,
    slots: standing?.slots ?? 0,
    paused: progress.paused !== null,
    cancelled: progress.stage === 'cancelling' || standing?.isOver === true,
    isLarge,
  };
  return getExternalWorkflowHandle(batchPartWorkflowId(input.key, n)).signal(slotGrantSignal, grant);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function handleReports(run: Batch): void {
  const description = 'Status of one of its partitions: { n, counts, trouble, late, isOver }.';
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

/** How long the batch waits for the next partition before it notifies the operator. */
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

async function checkPartitions(run: Batch, numbers: number[]): Promise<JobEnd[]> {
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
