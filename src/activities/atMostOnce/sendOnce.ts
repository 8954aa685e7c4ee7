import { activityInfo, Context, heartbeat, type Info, log } from '@temporalio/activity';
import { isRecord } from '../../api/json';
import {
  HEARTBEAT_EVERY_MS,
  HEARTBEAT_TIMEOUT_MS,
  RECORDING_MARGIN_MS,
  type Sending,
  sendingSignal,
  type SubmitOutcome,
} from '../../contract';
import { clientOf, isStillActive, retryTemporalCall } from './server';

export interface GuardOptions {
  /** Off only on the time-skipping test server, which reports both times wrongly. */
  checkScheduledTime?: boolean;
  /** `SEGUE_HOLD_SUBMITS_BEFORE`. */
  holdBefore?: Date;
}

/**
 * Why this execution of a submit must not send, or undefined when it may.
 *
 * `maximumAttempts: 1` alone does not keep a submit from running twice. Each of these guards is needed:
 * - attempt > 1: pause, fail and unpause, or a raised maximum, runs the activity again;
 * - scheduled again: unpause with reset attempts puts the count back to 1;
 * - another run: a workflow reset schedules the activity again in a run with another id;
 * - scheduled before a time that an operator gave: a server restored from a backup schedules again what was sent after
 *   the backup was made, and nothing else in the activity shows it.
 */
export function reasonNotToSend(
  info: Pick<
    Info,
    'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs' | 'workflowExecution'
  >,
  orderedByRun: string,
  { checkScheduledTime = true, holdBefore }: GuardOptions,
): string | undefined {
  if (info.attempt > 1) return `this is attempt ${info.attempt}; an earlier one may have been accepted`;
  if (checkScheduledTime && info.currentAttemptScheduledTimestampMs > info.scheduledTimestampMs) {
    return 'it was scheduled again; an earlier attempt may have been accepted';
  }
  if (info.workflowExecution?.runId !== orderedByRun) {
    return 'the run was reset; the submission of the run before it may have been accepted';
  }
  if (holdBefore && info.scheduledTimestampMs < holdBefore.getTime()) {
    const [ordered, before] = [new Date(info.scheduledTimestampMs), holdBefore].map((time) =>
      time.toISOString(),
    );
    return `it was ordered at ${ordered}, before SEGUE_HOLD_SUBMITS_BEFORE (${before}); it may have been accepted before Temporal was restored`;
  }
  return undefined;
}

export interface SendPermit {
  timeoutMs: number;
  sendBefore: number;
  /** Call directly before the request. False: do not send. Later calls return the first answer. See {@link markSending}. */
  mark: (n: number) => Promise<boolean>;
}

/** This execution sent nothing; an earlier one may have. */
export type NotBegun = Extract<SubmitOutcome, { outcome: 'notSent' | 'unknown' }>;

export const NOT_ACTIVE: NotBegun & { outcome: 'notSent' } = {
  outcome: 'notSent',
  reason: 'not sent: Temporal did not confirm that this attempt is still active',
};

/**
 * Runs `send` unless an earlier execution of this activity may have sent; whatever happens around it, it sends at most
 * once. Every heartbeat carries `details`, which the server keeps should the worker die.
 */
export async function sendOnce<Outcome>(
  orderedByRun: string,
  guards: GuardOptions,
  send: (permit: SendPermit) => Promise<Outcome>,
  details: () => unknown = () => undefined,
): Promise<Outcome | NotBegun> {
  const info = activityInfo();
  const refusal = reasonNotToSend(info, orderedByRun, guards);
  if (refusal) return { outcome: 'unknown', reason: `not sent again: ${refusal}` };

  // The outcome must be recorded before the server gives the activity up, so the POST gets less time than the activity.
  const timeoutMs = Math.max(1, info.startToCloseTimeoutMs - RECORDING_MARGIN_MS);
  const heartbeats = setInterval(() => {
    heartbeat(details());
  }, HEARTBEAT_EVERY_MS);
  try {
    let marking: Promise<boolean> | undefined;
    const mark = (n: number): Promise<boolean> => (marking ??= markSending(n, details()));
    // The POST does not get the activity's cancellation: that fires on worker shutdown too, and a POST cut off is unknown.
    return await send({ timeoutMs, sendBefore: Date.now() + timeoutMs, mark });
  } finally {
    clearInterval(heartbeats);
  }
}

/**
 * Signals the run, whose history keeps the signal, that submit `n` may be in flight from now on; then asks the server
 * whether it still waits for this attempt. Signal first, then ask: if the server times the attempt out, either the run
 * already has the signal or the question fails. Heartbeat details cannot hold this mark: an operator who unpauses an
 * activity and resets its heartbeats wipes them.
 */
async function markSending(n: number, details: unknown): Promise<boolean> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return true;
  const { workflowId = '', runId } = context.info.workflowExecution ?? {};
  const run = client.workflow.getHandle(workflowId, runId);
  try {
    await retryTemporalCall(client, HEARTBEAT_TIMEOUT_MS / 2, () =>
      run.signal<[Sending]>(sendingSignal.name, { n }),
    );
  } catch (error) {
    log.warn('not sent: the run could not be signalled', { error });
    return false;
  }
  return isStillActive(details);
}

/** Outcomes that come close together share a heartbeat: each heartbeat is a write at the server. */
const GATHERED_MS = 100;

/**
 * Sends all items at once, each at most once: an item that queued here would have an unknown outcome after a crash
 * although it was never sent. A heartbeat carries the outcomes to the server soon after they came, so that a worker that
 * dies loses only those without an answer. Outcomes are returned in the order of `items`; those `known` from the start
 * are in the first heartbeat.
 */
export async function sendChunkOnce<Item extends { item: number }, Outcome>(
  items: Item[],
  orderedByRun: string,
  guards: GuardOptions,
  send: (item: Item, permit: SendPermit) => Promise<Outcome>,
  known: Readonly<Record<number, Outcome>> = {},
): Promise<(Outcome | NotBegun)[]> {
  const outcomes: Record<number, Outcome> = { ...known };
  let nextHeartbeat: NodeJS.Timeout | undefined;
  const sendHeartbeat = (): void => {
    nextHeartbeat = undefined;
    heartbeat(outcomes);
  };
  const sendAll = (permit: SendPermit): Promise<Outcome[]> =>
    Promise.all(
      items.map(async (one) => {
        const outcome = await send(one, permit);
        outcomes[one.item] = outcome;
        nextHeartbeat ??= setTimeout(sendHeartbeat, GATHERED_MS);
        return outcome;
      }),
    ).finally(() => {
      // The activity's result holds all outcomes.
      clearTimeout(nextHeartbeat);
    });
  const sent = await sendOnce(orderedByRun, guards, sendAll, () => outcomes);
  if (Array.isArray(sent)) return sent;
  // A guard refused the whole chunk. The outcomes in the heartbeat of an earlier attempt still hold.
  const details: unknown = activityInfo().heartbeatDetails;
  const earlier = isRecord(details) ? (details as Record<number, Outcome>) : {};
  return items.map(({ item }) => earlier[item] ?? sent);
}
