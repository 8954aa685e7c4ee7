/** Submits the items of a partition, in chunks: one activity, several POSTs at once, an outcome each. */
import { condition, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import {
  type ChunkOutcome,
  HEARTBEAT_TIMEOUT_MS,
  type ItemProgress,
  RECORDING_MARGIN_MS,
  type SegueActivities,
  USUAL_CHUNK,
} from '../../contract';
import { batchTaskQueue } from '../../contract/ids';
import { AT_MOST_ONCE } from '../lib/atMostOnce';
import { senderOf } from '../lib/atMostOnce';
import { withoutOutcome } from '../steps/submit';
import { outcomesOf } from './chunk';
import { leaveHeld } from './leaving';
import {
  endWhenLong,
  type Entry,
  firstEntriesWith,
  isClosing,
  isOver,
  jobKeyOf,
  newPatience,
  type Partition,
} from './run';
import { keepFailure, recordCancelled } from './writing';

/** A service that asks for more is asked again after this, since an hour may change its mind. */
const LONGEST_REST_MS = 3_600_000;
/**
 * Items in chunks on their way at once, of one partition. It is what two workers send at once, with 100 POSTs of batches
 * on the wire each: by itself a partition keeps both busy. More would only wait in the queue, where nothing can call them
 * back.
 */
const MOST_ON_THE_WAY = 200;
const MOST_CHUNKS = 8;

export async function submitItems(run: Partition): Promise<void> {
  // What the service asked for is asked of the next run, too.
  void untilRested(run);
  for (;;) {
    await condition(() => isClosing(run) || nextChunk(run).length > 0);
    if (isClosing(run)) break;
    void sendChunk(run, nextChunk(run));
  }
  await condition(() => run.chunks === 0);
}

/**
 * As many of those that wait as there are places for; one by itself while the service may be in trouble. Those that were
 * tried least come first: one that is denied, time and again, keeps nobody behind it from being tried.
 */
function nextChunk(run: Partition): Entry[] {
  const { window, items } = run.progress;
  // Where few may be at the service, usual ones are soon sent, and leave room for those of others.
  const largest = window.isLarge ? run.chunkItems : Math.min(run.chunkItems, USUAL_CHUNK);
  const most = run.cautious ? 1 : Math.min(MOST_CHUNKS, Math.floor(MOST_ON_THE_WAY / largest));
  if (window.paused || window.cancelled || run.resting || run.chunks >= most) return [];
  const taken = items.filter(({ status }) => status === 'running').length;
  const free = Math.min(run.cautious ? 1 : largest, window.places - taken);
  return free > 0 ? leastTried(run, free) : [];
}

function leastTried(run: Partition, most: number): Entry[] {
  const waiting = run.progress.items.filter(isWaiting);
  const fewest = waiting.reduce((least, { attempts }) => Math.min(least, attempts), Infinity);
  return firstEntriesWith(run, (known) => isWaiting(known) && known.attempts === fewest, most);
}

function isWaiting({ status }: ItemProgress): boolean {
  return status === 'waiting';
}

async function sendChunk(run: Partition, chunk: Entry[]): Promise<void> {
  run.chunks += 1;
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
  // What finds no place goes back at once: the next is no larger than its worker takes.
  for (const outcome of outcomes) run.chunkItems = Math.min(run.chunkItems, roomOf(outcome) ?? Infinity);
  restAfter(
    run,
    outcomes.filter((outcome) => roomOf(outcome) === undefined),
  );
  run.chunks -= 1;
  // Several at once are told together, unless one of them may wait for hours.
  run.hasNews ||= run.chunks === 0 || run.handingOver;
  endWhenLong(run);
}

function submit(run: Partition, chunk: Entry[]): Promise<ChunkOutcome[]> {
  const { submitChunk } = proxyActivities<SegueActivities>({
    summary: `${chunk.length} POSTs, none of them a second time`,
    taskQueue: batchTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: run.settings.submitTimeout + RECORDING_MARGIN_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: AT_MOST_ONCE,
  });
  const submissions = chunk.map(({ place, asked: { tool, request, scope }, known }) => ({
    ...{ key: jobKeyOf(run, place), attempt: known.attempts, item: place },
    ...{ tool, request, scope },
  }));
  const places = chunk.map(({ place }) => place);
  const n = (run.chunksSent += 1);
  return outcomesOf(
    places,
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
      // Its answer may have come by another way, just before.
      if (known.taskId !== undefined) follow(run, entry, known.taskId);
      else leaveHeld(run, entry, { n: known.attempts, at, outcome: 'unknown', reason: outcome.reason });
      return;
    case 'notSent':
      // Not even tried: it does not come after others for that.
      if (outcome.room !== undefined) known.attempts -= 1;
      waitAgain(run, entry);
      return;
    case 'refused':
      if (mayChange(outcome)) waitAgain(run, entry);
      else keepFailure(run, entry, `the service refused it: ${outcome.reason}`);
      return;
    default:
      outcome satisfies never;
  }
}

function follow(run: Partition, { place, known }: Entry, taskId: string): void {
  known.taskId = taskId;
  known.since = new Date().toISOString();
  if (!run.progress.window.cancelled) return;
  known.status = 'cancelled';
  recordCancelled(run, place);
}

function waitAgain(run: Partition, { known }: Entry): void {
  known.status = run.progress.window.cancelled ? 'cancelled' : 'waiting';
}

type Refusal = Extract<ChunkOutcome, { outcome: 'refused' }>;

/** A single job gives up on a denial after a while; a batch waits until the credential is mended. */
function mayChange(outcome: Refusal): boolean {
  return isDenied(outcome) || isTooMuch(outcome);
}

function isDenied(outcome: ChunkOutcome): outcome is Refusal {
  return outcome.outcome === 'refused' && (outcome.status === 401 || outcome.status === 403);
}

function isTooMuch(outcome: ChunkOutcome): outcome is Refusal {
  return outcome.outcome === 'refused' && (outcome.status === 429 || outcome.status === 425);
}

/** How many its worker takes at once, where it had no place for this one. */
function roomOf(outcome: ChunkOutcome): number | undefined {
  return outcome.outcome === 'notSent' ? outcome.room : undefined;
}

function isUnwanted(outcome: ChunkOutcome): boolean {
  return outcome.outcome === 'notSent' && outcome.isUnwanted === true;
}

/** The service looked at it, whatever it thinks of it. What a worker refuses by itself has no status of the service. */
export function isJudged(outcome: ChunkOutcome): boolean {
  if (outcome.outcome === 'refused') return outcome.status !== undefined && !mayChange(outcome);
  return outcome.outcome === 'accepted';
}

/** What the outcomes of what was tried of a chunk, together, tell of the service. */
function restAfter(run: Partition, outcomes: ChunkOutcome[]): void {
  if (outcomes.length === 0) {
    restOnce(run, run.untilSent);
    return;
  }
  const isWell = outcomes.some(isJudged);
  if (isWell) {
    Object.assign(run, newPatience(), { cautious: false });
    run.progress.trouble = null;
  }
  const tooMuch = outcomes.filter(isTooMuch);
  if (tooMuch.length > 0) {
    const asked = tooMuch.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
    if (asked.length > 0) rest(run, Math.max(...asked, 1_000));
    else restOnce(run, run.untilSent);
    return;
  }
  if (isWell) return;
  if (outcomes.some(isUnwanted)) {
    restOnce(run, run.untilWanted);
    return;
  }
  const denied = outcomes.find(isDenied);
  const unsent = outcomes.find(({ outcome }) => outcome === 'notSent' || outcome === 'unknown');
  if (denied) {
    run.progress.trouble = denied.reason;
    restOnce(run, run.untilAllowed);
  } else if (unsent) {
    // One that is unknown has left, and is told of by itself.
    if (unsent.outcome === 'notSent') run.progress.trouble = unsent.reason;
    restOnce(run, run.untilSent);
  }
}

/** Several chunks meet the same trouble: together they are one reason to wait longer, not many. */
function restOnce(run: Partition, patience: { next(): number }): void {
  if (!run.resting) rest(run, patience.next());
}

/** Submits nothing for a while, and then one. What several ask for at once is the longest of it, not the sum. */
function rest(run: Partition, ms: number): void {
  run.cautious = true;
  const { progress } = run;
  progress.restUntil = Math.max(progress.restUntil ?? 0, Date.now() + Math.min(ms, LONGEST_REST_MS));
  if (!run.resting) void untilRested(run);
}

async function untilRested(run: Partition): Promise<void> {
  const left = (): number => (run.progress.restUntil ?? 0) - Date.now();
  run.resting = true;
  while (left() > 0) await sleep(left(), { summary: 'until the service takes more' });
  run.resting = false;
}
