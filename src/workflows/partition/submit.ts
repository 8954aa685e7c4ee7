/** Submits the items of a partition, in chunks: one activity, several POSTs at once, an outcome each. */
import { condition, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import {
  type ChunkOutcome,
  HEARTBEAT_TIMEOUT_MS,
  RECORDING_MARGIN_MS,
  type SegueActivities,
  USUAL_CHUNK,
} from '../../contract';
import { batchTaskQueue } from '../../contract/ids';
import { AT_MOST_ONCE, isRateLimited, mayChange, newBackoff, outcomesOf, senderOf } from '../lib/atMostOnce';
import { withoutOutcome } from '../steps/submit';
import { promoteHeld } from './promote';
import { type Entry, isOver, type Partition } from './state';
import { keepEnd, recordCancelled } from './finish';

/** A longer Retry-After is cut to this. */
const LONGEST_BACKOFF_MS = 3_600_000;
/** Items of one partition in flight: as many as two workers send. Queued chunks cannot be recalled. */
const MOST_IN_FLIGHT = 200;
const MOST_CHUNKS = 8;

export async function submitItems(run: Partition): Promise<void> {
  // A Retry-After binds the next run, too.
  void untilBackoffEnds(run);
  const isClosing = (): boolean => run.handingOver || run.left !== 'items';
  for (;;) {
    await condition(() => isClosing() || nextChunk(run).length > 0);
    if (isClosing()) break;
    void sendChunk(run, nextChunk(run));
  }
  await condition(() => run.chunksInFlight === 0);
}

/** As many waiting items as there are slots, and one while the service may be in trouble. */
function nextChunk(run: Partition): Entry[] {
  const { slotGrant, items } = run.progress;
  // Usual chunks are sent soon, and leave room for those of other batches.
  const largest = slotGrant.isLarge ? run.chunkItems : Math.min(run.chunkItems, USUAL_CHUNK);
  const most = run.isProbing ? 1 : Math.min(MOST_CHUNKS, Math.floor(MOST_IN_FLIGHT / largest));
  if (slotGrant.paused || slotGrant.cancelled || run.isBackingOff || run.chunksInFlight >= most) return [];
  const taken = items.filter(({ status }) => status === 'running').length;
  const free = Math.min(run.isProbing ? 1 : largest, slotGrant.slots - taken);
  if (free <= 0) return [];
  return run.leastTried(
    ({ status }) => status === 'waiting',
    ({ attempts }) => attempts,
    free,
  );
}

async function sendChunk(run: Partition, chunk: Entry[]): Promise<void> {
  run.chunksInFlight += 1;
  for (const { known } of chunk) {
    known.status = 'running';
    known.attempts += 1;
  }
  const at = new Date().toISOString();
  const outcomes = await submit(run, chunk);
  for (const [index, entry] of chunk.entries()) {
    const outcome = outcomes[index];
    if (outcome) settle(run, entry, outcome, at);
  }
  // Items that the worker had no room for were not sent: the next chunk is no larger than its room.
  for (const outcome of outcomes) run.chunkItems = Math.min(run.chunkItems, roomOf(outcome) ?? Infinity);
  backOffAfter(
    run,
    outcomes.filter((outcome) => roomOf(outcome) === undefined),
  );
  run.chunksInFlight -= 1;
  // One report for all chunks in flight, except where one of them may wait for hours.
  run.isReportDue ||= run.chunksInFlight === 0 || run.handingOver;
  run.handOverWhenLong();
}

function submit(run: Partition, chunk: Entry[]): Promise<ChunkOutcome[]> {
  const { submitChunk } = proxyActivities<SegueActivities>({
    summary: `${chunk.length} POSTs, none of them a second time`,
    taskQueue: batchTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: run.settings.submitTimeout + RECORDING_MARGIN_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: AT_MOST_ONCE,
  });
  const submissions = chunk.map(({ index, asked: { tool, request, scope, write }, known }) => ({
    ...{ key: run.jobKey(index), attempt: known.attempts, item: index },
    ...{ tool, request, scope, hasWrite: write ? true : undefined },
  }));
  const indexes = chunk.map(({ index }) => index);
  const n = (run.chunksSent += 1);
  return outcomesOf(
    indexes,
    () => submitChunk({ batch: run.input.batch, chunk: n, submissions, runId: senderOf(run) }),
    (failure) => withoutOutcome(run, n, failure),
  );
}

function settle(run: Partition, entry: Entry, outcome: ChunkOutcome, at: string): void {
  const { known } = entry;
  if (isOver(known)) return;
  switch (outcome.outcome) {
    case 'accepted':
      follow(run, entry, outcome.taskId);
      return;
    case 'unknown':
      // The task id may have come by signal just before.
      if (known.taskId !== undefined) follow(run, entry, known.taskId);
      else promoteHeld(run, entry, { n: known.attempts, at, outcome: 'unknown', reason: outcome.reason });
      return;
    case 'notSent':
      // It was not attempted, and keeps its turn.
      if (outcome.room !== undefined) known.attempts -= 1;
      waitAgain(run, entry);
      return;
    case 'refused':
      if (mayChange(outcome)) waitAgain(run, entry);
      else keepEnd(run, entry, { status: 'failed', error: `the service refused it: ${outcome.reason}` });
      return;
    default:
      outcome satisfies never;
  }
}

function follow(run: Partition, { index, known }: Entry, taskId: string): void {
  known.taskId = taskId;
  known.since = new Date().toISOString();
  if (!run.progress.slotGrant.cancelled) return;
  known.status = 'cancelled';
  recordCancelled(run, index);
}

function waitAgain(run: Partition, { known }: Entry): void {
  known.status = run.progress.slotGrant.cancelled ? 'cancelled' : 'waiting';
}

/** `outcomes` are those of the items that were attempted. */
function backOffAfter(run: Partition, outcomes: ChunkOutcome[]): void {
  const isWell = outcomes.some(isJudged);
  if (isWell) {
    run.backoff = newBackoff();
    run.isProbing = false;
    run.progress.trouble = null;
  }
  const refused = outcomes.filter((outcome) => outcome.outcome === 'refused');
  const limited = refused.filter(({ status }) => isRateLimited(status));
  const asked = limited.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const unsent = outcomes.filter((outcome) => outcome.outcome === 'unknown' || mayChange(outcome));
  if (asked.length > 0) backOff(run, Math.max(...asked, 1_000));
  // Chunks in flight together that meet the same trouble lengthen the backoff once.
  else if (outcomes.length === 0 || limited.length > 0 || (!isWell && unsent.length > 0)) {
    if (!run.isBackingOff) backOff(run, run.backoff());
  }
  if (!isWell && limited.length === 0) run.progress.trouble = troubleIn(unsent) ?? run.progress.trouble;
}

/** A pause of the batch is no trouble, and an unknown outcome is a held job, which is notified by itself. */
function troubleIn(unsent: ChunkOutcome[]): string | undefined {
  const denied = unsent.find((outcome) => outcome.outcome === 'refused');
  const notSent = unsent.filter((outcome) => outcome.outcome === 'notSent');
  return notSent.some(({ isUnwanted }) => isUnwanted) ? undefined : (denied ?? notSent[0])?.reason;
}

/** The service judged the request. A refusal by the worker itself has no status. */
export function isJudged(outcome: ChunkOutcome): boolean {
  if (outcome.outcome === 'refused') return outcome.status !== undefined && !mayChange(outcome);
  return outcome.outcome === 'accepted';
}

/** How many the worker takes at once, where it had no room for this one. */
function roomOf(outcome: ChunkOutcome): number | undefined {
  return outcome.outcome === 'notSent' ? outcome.room : undefined;
}

/** Submits nothing for a while, and then one item. Several backoffs at once end with the longest of them. */
function backOff(run: Partition, ms: number): void {
  run.isProbing = true;
  const { progress } = run;
  progress.restUntil = Math.max(progress.restUntil ?? 0, Date.now() + Math.min(ms, LONGEST_BACKOFF_MS));
  if (!run.isBackingOff) void untilBackoffEnds(run);
}

async function untilBackoffEnds(run: Partition): Promise<void> {
  const left = (): number => (run.progress.restUntil ?? 0) - Date.now();
  run.isBackingOff = true;
  while (left() > 0) await sleep(left(), { summary: 'until the service takes more' });
  run.isBackingOff = false;
}
