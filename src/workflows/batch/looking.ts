/** Partitions tell how they stand; those that were stopped do not, and are looked at. */
import { setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import { type ItemCounts, type JobEnd, partitionNewsSignal, type PartitionStanding } from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { isRecord, isText } from '../../validation/inputs';
import { readEnd } from '../lib/otherRuns';
import { tellOfAbsent } from './notices';
import { absentOf, type Batch } from './run';

const LOOK_EVERY_MS = 3_600_000;

export function handleNews(run: Batch): void {
  setHandler(
    partitionNewsSignal,
    (news: unknown) => {
      if (isRecord(news)) takeNews(run, news);
    },
    { description: 'How one of its partitions stands: { n, counts, trouble, silence, late, isOver }.' },
  );
}

/** Anybody can send a signal; what is no partition's word changes nothing. */
function takeNews(run: Batch, news: Record<string, unknown>): void {
  const { n, counts, trouble, silence, late, isOver } = news;
  const standing = run.progress.partitions[Number(n) - 1];
  if (!standing || !isCounts(counts)) return;
  if (standing.isOver) {
    // It came when it was no longer waited for, and would wait for places for ever.
    if (isOver !== true) tellToStop(run, Number(n));
    return;
  }
  if (!standing.isThere) run.progress.arrivedAt = new Date().toISOString();
  standing.isThere = true;
  standing.counts = counts;
  standing.trouble = isText(trouble) ? trouble : null;
  standing.silence = isText(silence) ? silence : null;
  standing.late = isText(late) ? late : null;
  standing.isOver = isOver === true;
  // Somebody cancelled it alone.
  if (counts.cancelled > 0 && run.progress.stage !== 'cancelling')
    standing.stopped = {
      unfollowed: 0,
      undone: counts.cancelled,
      reason: `partition ${Number(n)} was cancelled`,
    };
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
    // One that the run before this one did not come to the end of is gone on with.
    if (!progress.look) await untilNextLook(run);
    await lookAtSilent(run);
    await lookAtAbsent(run);
    progress.look = undefined;
    await handOverWhenLong(run);
  }
}

async function untilNextLook({ progress }: Batch): Promise<void> {
  progress.nextLookAt ??= new Date(Date.now() + LOOK_EVERY_MS).toISOString();
  const pause = Math.max(Date.parse(progress.nextLookAt) - Date.now(), 1);
  await sleep(pause, { summary: 'until silent partitions are looked at' });
  progress.nextLookAt = undefined;
  progress.look = { next: 1, heard: progress.heard };
  progress.heard = [];
}

async function lookAtSilent(run: Batch): Promise<void> {
  const { look, partitions } = run.progress;
  if (!look) return;
  const heard = new Set(look.heard);
  for (const [index, standing] of partitions.entries()) {
    const n = index + 1;
    if (n < look.next || heard.has(n) || !isKeepingPlaces(standing)) continue;
    await lookAt(run, n);
    look.next = n + 1;
    await handOverWhenLong(run);
  }
}

/** Of thousands of partitions, a look is longer than one history may be. */
async function handOverWhenLong(run: Batch): Promise<void> {
  while (workflowInfo().continueAsNewSuggested) {
    run.hasWork = true;
    // Where somebody is being told something, that comes first.
    await sleep('1m', { summary: 'until the next run goes on looking' });
  }
}

/** They are handed over in their order, a few at a time: when so many of them are not over, the others are not either. */
const ENOUGH_ABSENT = 10;
/** Between two that are handed over. */
const LONGEST_HAND_OVER_MS = 1_800_000;

/** One that ended before its first word will not come; of one that nobody handed over a person is told. */
async function lookAtAbsent(run: Batch): Promise<void> {
  const { progress } = run;
  let [awaited, gone] = [0, 0];
  for (const n of absentOf(run)) {
    const { is } = await lookAt(run, n);
    await handOverWhenLong(run);
    if (is === 'gone') gone += 1;
    if (is === 'gone' || is === 'open') awaited += 1;
    if (awaited >= ENOUGH_ABSENT) break;
  }
  const since = Date.parse(progress.arrivedAt ?? progress.startedAt);
  if (gone > 0 && Date.now() - since >= LONGEST_HAND_OVER_MS) tellOfAbsent(run);
}

/** A task at the service takes a place, whether or not it was given one. One whose items are all over may still write. */
function isKeepingPlaces({ isThere, isOver, places, counts }: PartitionStanding): boolean {
  return isThere && !isOver && (places > 0 || counts.running > 0 || counts.waiting === 0);
}

/** In the result of a partition. */
const COUNTS_AT = '/counts';

export async function lookAt(run: Batch, n: number): Promise<JobEnd> {
  const workflowId = batchPartWorkflowId(run.input.key, n);
  const end = await readEnd({ workflowId, pointers: [COUNTS_AT] });
  const standing = run.progress.partitions[n - 1];
  // One that ended well has told so before, unless that word was lost: then its result says the same.
  const counts = end.is === 'succeeded' ? end.values[COUNTS_AT] : undefined;
  if (standing && counts && 'value' in counts) takeNews(run, { n, counts: counts.value, isOver: true });
  // One that is not there may still come.
  const isLost = end.is === 'gone' ? standing?.isThere : end.is !== 'open' && end.is !== 'succeeded';
  if (standing && !standing.isOver && isLost) {
    loseSightOf(run, standing, wordsOfEnd(n, end));
    run.hasWork = true;
  }
  return end;
}

function wordsOfEnd(n: number, end: JobEnd): string {
  if (!('error' in end)) return `partition ${n} is not known to the Temporal server any more`;
  return `partition ${n} ${end.is === 'failed' ? 'failed' : `was ${end.is}`}: ${end.error}`;
}

/** What it had at the service goes on there, and only a person can find out what becomes of it. */
function loseSightOf({ progress }: Batch, standing: PartitionStanding, reason: string): void {
  const { counts } = standing;
  // Of a batch that is cancelled, they would not be done anyway.
  const isCancelling = progress.stage === 'cancelling';
  const undone = isCancelling ? 0 : counts.cancelled + counts.waiting;
  // With every item over it may have had something to write, or to tell.
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
