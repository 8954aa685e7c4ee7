/** Partitions report by signal; those that were stopped do not, and are checked every hour. */
import { setHandler, sleep } from '@temporalio/workflow';
import { type ItemCounts, type JobEnd, partitionNewsSignal, type PartitionStanding } from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { isRecord, isText } from '../../validation/inputs';
import { readEnd } from '../lib/otherRuns';
import { notifyAbsent } from './notify';
import { type Batch } from './state';

const CHECK_EVERY_MS = 3_600_000;

export function handleReports(run: Batch): void {
  setHandler(
    partitionNewsSignal,
    (news: unknown) => {
      if (isRecord(news)) takeReport(run, news);
    },
    { description: 'How one of its partitions stands: { n, counts, trouble, silence, late, isOver }.' },
  );
}

/** Anybody can send a signal: one that is no partition's report changes nothing. */
function takeReport(run: Batch, report: Record<string, unknown>): void {
  const { n, counts, trouble, silence, late, isOver } = report;
  if (typeof n !== 'number' || !isCounts(counts)) return;
  const standing = run.progress.partitions[n - 1];
  if (!standing) return;
  if (standing.isOver) {
    // It started after the batch gave it up: a grant with `cancelled` ends it.
    if (isOver !== true) {
      run.ungranted.add(n);
      run.hasWork = true;
    }
    return;
  }
  if (!standing.isThere) run.progress.arrivedAt = new Date().toISOString();
  standing.isThere = true;
  standing.counts = counts;
  standing.trouble = isText(trouble) ? trouble : null;
  standing.silence = isText(silence) ? silence : null;
  standing.late = isText(late) ? late : null;
  standing.isOver = isOver === true;
  // Somebody cancelled this partition alone.
  if (counts.cancelled > 0 && run.progress.stage !== 'cancelling')
    standing.stopped = {
      unfollowed: 0,
      undone: counts.cancelled,
      reason: `partition ${n} was cancelled`,
    };
  const { heard } = run.progress;
  if (!heard.includes(n)) heard.push(n);
  run.hasWork = true;
}

const NAMES: (keyof ItemCounts)[] = ['waiting', 'running', 'succeeded', 'failed', 'held', 'cancelled'];

function isCounts(counts: unknown): counts is ItemCounts {
  return (
    isRecord(counts) && NAMES.every((name) => Number.isInteger(counts[name]) && Number(counts[name]) >= 0)
  );
}

/** Partitions that only wait hold no slots; what became of them shows when they are granted some. */
export async function supervise(run: Batch): Promise<void> {
  const { progress } = run;
  for (;;) {
    // A check that the previous run did not finish is continued.
    if (!progress.look) await untilNextCheck(run);
    await checkSilent(run);
    await checkAbsent(run);
    progress.look = undefined;
    await waitForContinueAsNew(run);
  }
}

async function untilNextCheck({ progress }: Batch): Promise<void> {
  progress.nextLookAt ??= new Date(Date.now() + CHECK_EVERY_MS).toISOString();
  const pause = Math.max(Date.parse(progress.nextLookAt) - Date.now(), 1);
  await sleep(pause, { summary: 'until silent partitions are looked at' });
  progress.nextLookAt = undefined;
  progress.look = { next: 1, heard: progress.heard };
  progress.heard = [];
}

async function checkSilent(run: Batch): Promise<void> {
  const { look, partitions } = run.progress;
  if (!look) return;
  const heard = new Set(look.heard);
  for (const [index, standing] of partitions.entries()) {
    const n = index + 1;
    if (n < look.next || heard.has(n) || !isHoldingSlots(standing)) continue;
    await checkPartition(run, n);
    look.next = n + 1;
    await waitForContinueAsNew(run);
  }
}

/** A check of thousands of partitions takes more than one history. */
async function waitForContinueAsNew(run: Batch): Promise<void> {
  while (run.isLong) {
    run.hasWork = true;
    // The main loop continues as new when no notification is being sent.
    await sleep('1m', { summary: 'until the next run goes on looking' });
  }
}

/** Partitions are handed over in order: when so many in a row are missing or open, no later one has ended. */
const ENOUGH_ABSENT = 10;
/** Between two partitions. */
const LONGEST_HAND_OVER_MS = 1_800_000;

/** A partition may have ended before its first report; the operator is told of those that nobody handed over. */
async function checkAbsent(run: Batch): Promise<void> {
  const { progress } = run;
  let [awaited, gone] = [0, 0];
  for (const n of run.absent) {
    const { is } = await checkPartition(run, n);
    await waitForContinueAsNew(run);
    if (is === 'gone') gone += 1;
    if (is === 'gone' || is === 'open') awaited += 1;
    if (awaited >= ENOUGH_ABSENT) break;
  }
  const since = Date.parse(progress.arrivedAt ?? progress.startedAt);
  if (gone > 0 && Date.now() - since >= LONGEST_HAND_OVER_MS) notifyAbsent(run);
}

/** A task at the service takes a slot, granted or not. A partition whose items are all over may still write. */
function isHoldingSlots({ isThere, isOver, places, counts }: PartitionStanding): boolean {
  return isThere && !isOver && (places > 0 || counts.running > 0 || counts.waiting === 0);
}

/** In the result of a partition. */
const COUNTS_AT = '/counts';

export async function checkPartition(run: Batch, n: number): Promise<JobEnd> {
  const workflowId = batchPartWorkflowId(run.input.key, n);
  const end = await readEnd({ workflowId, pointers: [COUNTS_AT] });
  const standing = run.progress.partitions[n - 1];
  // A partition reports before it completes; where the report was lost, its result says the same.
  const counts = end.is === 'succeeded' ? end.values[COUNTS_AT] : undefined;
  if (standing && counts && 'value' in counts) takeReport(run, { n, counts: counts.value, isOver: true });
  // A partition that was never there may still come.
  const isLost = end.is === 'gone' ? standing?.isThere : end.is !== 'open' && end.is !== 'succeeded';
  if (standing && !standing.isOver && isLost) {
    markStopped(run, standing, stopReason(n, end));
    run.hasWork = true;
  }
  return end;
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
