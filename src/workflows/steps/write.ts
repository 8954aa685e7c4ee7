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
  type ChangeOutcome,
  FAILURE,
  LONGEST_CALL_MS,
  type ProjectChange,
  type ProjectRef,
  type RequestChangeOrder,
  type Scope,
  type SegueActivities,
} from '../../contract';
import { answerTo, isAnswered, type Mailbox, openMailbox } from '../lib/mailbox';

const [FIRST_PATIENCE_MS, LONGEST_PATIENCE_MS] = [2 * 60_000, 3_600_000];
/** How long it waits, at first, where the writer has no room. Each ask puts the whole change into the history. */
const FULL_PAUSE_MS = 30_000;

/** How long a run that is about to leave waits for the outcome, once the writer has its change. */
const LEAVING_PATIENCE = '1m';

const patiently: ActivityOptions = {
  summary: "asks the project's writer for a change",
  startToCloseTimeout: LONGEST_CALL_MS,
  // The writer drops what it was asked before, so asking again is harmless; what cannot be asked is not retryable.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};
const patient = proxyActivities<SegueActivities>(patiently);
// Given up soon, for once, so that the run can say that it takes long.
const first = proxyActivities<SegueActivities>({ ...patiently, scheduleToCloseTimeout: FIRST_PATIENCE_MS });

export interface WriteOrder {
  project: ProjectRef;
  scope?: Scope;
  change: ProjectChange;
  /** Made by {@link changeIdOf}. */
  changeId: string;
}

export interface WriteOptions {
  /** As in the order: the only run that may ask for it. Where another does, an `Outdated` failure is thrown. */
  onlyBy?: string;
  /** The writer was asked; it may have no room for it. */
  onAsked?: () => void;
  /** The writer has it now, and goes on with it whatever becomes of this run; or has no room, and is asked again. */
  onReceipt?: (isKept: boolean) => void;
  /** Patience ended without an answer; called again and again. */
  onDelay?: () => void;
  /** Kept up to date, for a run that may have to hand over while it waits. */
  asked?: ChangeAsks;
  /** Called before each ask, for a run that may have to continue as new. */
  beforeAsk?: () => Promise<void>;
}

/** Has a change of a project made by its writer, and waits for the outcome, however long the service takes. */
export async function writeToProject(
  mailbox: Mailbox,
  { project, scope, change, changeId }: WriteOrder,
  { onlyBy, onAsked, onReceipt, onDelay, asked = {}, beforeAsk }: WriteOptions = {},
): Promise<ChangeOutcome> {
  const { turnedAway, receipts } = mailbox;
  const isThere = (): boolean => isAnswered(mailbox, changeId);
  openMailbox(mailbox);
  if (onReceipt) receipts.set(changeId, onReceipt);
  const left = timeUntil(asked.nextAt);
  if (left > 0) await condition(isThere, left);
  for (;;) {
    const answer = answerTo(mailbox, changeId);
    if (answer) return answer;
    await beforeAsk?.();
    if (isThere()) continue;
    const { times = 0 } = asked;
    const { requestChange } = times === 0 ? first : patient;
    const patience = Math.min(FIRST_PATIENCE_MS * 2 ** times, LONGEST_PATIENCE_MS);
    asked.times = times + 1;
    // For a run that has to hand over in the middle of this; what was never asked for before is then asked for at once.
    if (times > 0) asked.nextAt = timeIn(patience);
    turnedAway.delete(changeId);
    try {
      const order = { project, scope, change, changeId, onlyBy, receipt: onReceipt !== undefined };
      await ask(mailbox, requestChange, order);
      asked.nextAt = timeIn(patience);
      onAsked?.();
      // The writer may have been lost with its answer; asked again, it drops what it has done and answers once more.
      await condition(() => isThere() || turnedAway.has(changeId), patience);
      if (isThere()) continue;
      if (turnedAway.has(changeId)) {
        const pause = pauseWithoutRoom(asked);
        Object.assign(asked, { times, nextAt: timeIn(pause) });
        onDelay?.();
        await condition(isThere, pause);
        continue;
      }
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      if (isCancellation(error)) throw error;
      if (isOutdated(error.cause)) throw error.cause;
      // Some servers call it a failure like any other when its time is over.
      const isOverdue = error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure;
      // Whatever else took its attempts away: it is not asked again.
      if (!isOverdue) return { ok: false, error: error.cause?.message ?? error.message };
    }
    onDelay?.();
  }
}

/** Soon there may be some: it is less long than for a lost answer, and not all come back at once. */
function pauseWithoutRoom(asked: ChangeAsks): number {
  asked.refusals = (asked.refusals ?? 0) + 1;
  const longest = Math.min(FULL_PAUSE_MS * 2 ** (asked.refusals - 1), LONGEST_PATIENCE_MS);
  return longest * (0.5 + Math.random() / 2);
}

/**
 * For a run that is about to leave: the outcome; undefined where the writer has the change and goes on without this run,
 * which stayed a while to see what becomes of it.
 */
export async function outcomeUnlessKept<Outcome>(
  write: (onReceipt: (isKept: boolean) => void) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  let isKept = false;
  const onReceipt = (isNowKept: boolean): void => {
    isKept = isNowKept;
  };
  return Promise.race([write(onReceipt), untilKept(() => isKept)]);
}

async function untilKept(isKept: () => boolean): Promise<undefined> {
  await condition(isKept);
  await sleep(LEAVING_PATIENCE);
  return undefined;
}

/**
 * Until the writer has it. That may never come to be known, while it has long since made it and answered; what is then
 * still on its way is called back: arriving later, it would undo what was written since.
 */
async function ask(
  mailbox: Mailbox,
  requestChange: SegueActivities['requestChange'],
  order: RequestChangeOrder,
): Promise<void> {
  const asking = new CancellationScope();
  const arrival = asking.run(() => requestChange(order));
  const answer = asking.run(() => condition(() => isAnswered(mailbox, order.changeId)));
  try {
    await Promise.race([arrival, answer]);
  } catch (error) {
    // Called back by the run itself, which is about to ask for something else: nothing of this may come after that.
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

function timeUntil(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time) - Date.now();
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}
