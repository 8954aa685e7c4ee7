/** How a run asks the project's writer for a change, and learns the outcome. */
import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  type ChangeAsks,
  changedSignal,
  type ChangeOutcome,
  FAILURE,
  LONGEST_CALL_MS,
  type RequestChangeOrder,
  type SegueActivities,
} from '../../contract';
import { isText } from '../../validation/inputs';
import { onSignal } from '../lib/listeners';

const [FIRST_PATIENCE_MS, LONGEST_PATIENCE_MS] = [2 * 60_000, 3_600_000];
/** The first pause when the writer has no room. Each request puts the whole change into the history. */
const FULL_PAUSE_MS = 30_000;

/** How long a cancelled run waits for the outcome after the writer has its change. */
const LEAVING_PATIENCE = '1m';

const REQUEST_OPTIONS: ActivityOptions = {
  summary: "asks the project's writer for a change",
  startToCloseTimeout: LONGEST_CALL_MS,
  // The writer ignores a change that it knows, so a retry is harmless.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};
const laterRequests = proxyActivities<SegueActivities>(REQUEST_OPTIONS);
// The first request times out soon, so that the run can show the delay.
const firstRequest = proxyActivities<SegueActivities>({
  ...REQUEST_OPTIONS,
  scheduleToCloseTimeout: FIRST_PATIENCE_MS,
});

export interface WriteOptions {
  /** The only run that may ask for the change; any other gets an `Outdated` failure. */
  onlyBy?: string;
  /** The writer has got the request; it may have no room. */
  onAsked?: () => void;
  /** The writer has queued the change, also for a run that ends now; or it has no room, and is asked again. */
  onAck?: (isKept: boolean) => void;
  /** Called each time the wait for an answer ends without one. */
  onDelay?: () => void;
  /** Updated in place; a run that continues as new carries it over. */
  asked?: ChangeAsks;
  /** Called before each request; the run may continue as new there. */
  beforeAsk?: () => Promise<void>;
}

/** Asks the writer for a change and waits for the outcome, however long the service takes. */
export async function writeToProject(
  replies: WriterReplies,
  order: Omit<RequestChangeOrder, 'onlyBy' | 'receipt'>,
  { onlyBy, onAsked, onAck, onDelay, asked = {}, beforeAsk }: WriteOptions = {},
): Promise<ChangeOutcome> {
  const { changeId } = order;
  const { answers, rejectedForCapacity, acks } = replies;
  const hasAnswer = (): boolean => answers.has(changeId);
  handleWriterReplies(replies);
  if (onAck) acks.set(changeId, onAck);
  const left = asked.nextAt === undefined ? 0 : Date.parse(asked.nextAt) - Date.now();
  if (left > 0) await condition(hasAnswer, left);
  for (;;) {
    const answer = answers.get(changeId);
    if (answer) return answer;
    await beforeAsk?.();
    if (hasAnswer()) continue;
    const { times = 0 } = asked;
    const { requestChange } = times === 0 ? firstRequest : laterRequests;
    const patience = Math.min(FIRST_PATIENCE_MS * 2 ** times, LONGEST_PATIENCE_MS);
    asked.times = times + 1;
    // For a run that continues as new during the request. A change that was never requested is then requested at once.
    if (times > 0) asked.nextAt = timeIn(patience);
    rejectedForCapacity.delete(changeId);
    try {
      await sendRequest(replies, requestChange, { ...order, onlyBy, receipt: onAck !== undefined });
      asked.nextAt = timeIn(patience);
      onAsked?.();
      // The answer may be lost; asked again, the writer answers without writing twice.
      await condition(() => hasAnswer() || rejectedForCapacity.has(changeId), patience);
      if (hasAnswer()) continue;
      if (rejectedForCapacity.has(changeId)) {
        const pause = pauseWithoutRoom(asked);
        Object.assign(asked, { times, nextAt: timeIn(pause) });
        onDelay?.();
        await condition(hasAnswer, pause);
        continue;
      }
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      if (isOutdated(error.cause)) throw error.cause;
      // Some servers report the timeout as an ordinary failure.
      const isOverdue = error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure;
      // Not retryable.
      if (!isOverdue) return { ok: false, error: error.cause?.message ?? error.message };
    }
    onDelay?.();
  }
}

/** Shorter than for a lost answer, and random, so that not all requesters come back at once. */
function pauseWithoutRoom(asked: ChangeAsks): number {
  asked.refusals = (asked.refusals ?? 0) + 1;
  const longest = Math.min(FULL_PAUSE_MS * 2 ** (asked.refusals - 1), LONGEST_PATIENCE_MS);
  return longest * (0.5 + Math.random() / 2);
}

/** For a run that is about to end: undefined when the writer has queued the change and gives no outcome soon. */
export async function outcomeUnlessKept<Outcome>(
  write: (onAck: (isKept: boolean) => void) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  let isKept = false;
  const onAck = (isNowKept: boolean): void => {
    isKept = isNowKept;
  };
  return Promise.race([write(onAck), untilKept(() => isKept)]);
}

async function untilKept(isKept: () => boolean): Promise<undefined> {
  await condition(isKept);
  await sleep(LEAVING_PATIENCE);
  return undefined;
}

/**
 * Sends the request until the writer has got it or has answered. A request that is still on its way after the answer is
 * cancelled: arriving later, it would overwrite newer changes.
 */
async function sendRequest(
  { answers }: WriterReplies,
  requestChange: SegueActivities['requestChange'],
  order: RequestChangeOrder,
): Promise<void> {
  const asking = new CancellationScope();
  const arrival = asking.run(() => requestChange(order));
  const answer = asking.run(() => condition(() => answers.has(order.changeId)));
  try {
    await Promise.race([arrival, answer]);
  } catch (error) {
    // The run may request another change next, so this request must be over first.
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => arrival.catch(() => undefined));
    throw error;
  } finally {
    for (const left of [arrival, answer]) left.catch(() => undefined);
    asking.cancel();
  }
}

export function isOutdated(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === FAILURE.outdated;
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** What the writers of projects signalled to a run. */
export interface WriterReplies {
  /** By change id. */
  readonly answers: Map<string, ChangeOutcome>;
  /** Changes for which the writer had no room at the last request. */
  readonly rejectedForCapacity: Set<string>;
  /** Called when the writer tells whether it has queued a change. */
  readonly acks: Map<string, (isKept: boolean) => void>;
}

export function newWriterReplies(): WriterReplies {
  return { answers: new Map(), rejectedForCapacity: new Set(), acks: new Map() };
}

/** Malformed signals are ignored. */
function handleWriterReplies({ answers, rejectedForCapacity, acks }: WriterReplies): void {
  const description = 'Tells the outcome of a change that this run asked for: { changeId, ok, error }.';
  onSignal(changedSignal, description, ({ changeId, isKept, ok, error }) => {
    if (!isText(changeId)) return;
    if (typeof isKept === 'boolean') {
      if (!isKept) rejectedForCapacity.add(changeId);
      acks.get(changeId)?.(isKept);
    } else if (ok === true) answers.set(changeId, { ok });
    else if (ok === false && typeof error === 'string') answers.set(changeId, { ok, error });
  });
}
