/** Calls of the Temporal server by an activity that must not send twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CompleteAsyncError, Context, log } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  type Client,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { HEARTBEAT_TIMEOUT_MS } from '../../contract';

const LONGEST_CALL_MS = 10_000;
const PAUSE_MS = 1_000;

/** Repeats a call of Temporal until it is answered, for at most `retryForMs`, or until the worker shuts down. */
export async function retryTemporalCall<T>(
  client: Client,
  retryForMs: number,
  call: () => Promise<T>,
): Promise<T> {
  const giveUpAt = Date.now() + retryForMs;
  for (;;) {
    try {
      return await detached(client, call);
    } catch (error) {
      const isShuttingDown = Context.current().cancellationDetails?.workerShutdown ?? false;
      if (isAnswer(error) || isShuttingDown || Date.now() >= giveUpAt) throw error;
      log.warn('Temporal did not answer; the call is repeated', { error });
    }
    await sleep(PAUSE_MS);
  }
}

/** The activity or workflow is gone or cancelled: a repeated call would get the same answer. */
function isAnswer(error: unknown): boolean {
  return [ActivityNotFoundError, ActivityCancelledError, WorkflowNotFoundError].some(
    (answer) => error instanceof answer,
  );
}

/** The calls of an activity's client end with the activity's cancellation. This call must not: it may start after the cancellation. */
async function detached<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withAbortSignal(new AbortController().signal, () =>
    client.withDeadline(Date.now() + LONGEST_CALL_MS, call),
  );
}

type HeartbeatAnswer = typeof ActivityCancelledError | typeof ActivityPausedError | typeof ActivityResetError;

/**
 * Asks the server, by a heartbeat with `details`, whether it still waits for this attempt; cancelled, paused or reset, it
 * does. A frozen process can receive a task that the server timed out long ago; only the server knows. Where the
 * server does not answer, the attempt counts as given up.
 */
export function isStillActive(details?: unknown): Promise<boolean> {
  return isAwaited(details, [ActivityCancelledError, ActivityPausedError, ActivityResetError]);
}

/** The same, for work that must not be done any more once its run has cancelled it. */
export function isActiveAndNotCancelled(): Promise<boolean> {
  return isAwaited(undefined, [ActivityPausedError, ActivityResetError]);
}

async function isAwaited(details: unknown, stillAwaited: HeartbeatAnswer[]): Promise<boolean> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return true;
  try {
    await retryTemporalCall(client, HEARTBEAT_TIMEOUT_MS / 2, async () => {
      try {
        await client.activity.heartbeat(context.info.taskToken, details);
      } catch (error) {
        if (!stillAwaited.some((answer) => error instanceof answer)) throw error;
      }
    });
    return true;
  } catch (error) {
    log.warn('not sent: this attempt timed out or was cancelled, or Temporal did not answer', { error });
    return false;
  }
}

/** Undefined where there is no server: in a MockActivityEnvironment. */
export function clientOf(context: Context): Client | undefined {
  try {
    return context.client;
  } catch {
    return undefined;
  }
}

/**
 * Completes the activity by a separate call, and so learns whether the server took the result.
 *
 * When an activity returns, the SDK reports its result: it says nothing when the server has given the activity up (the
 * process was stopped, the connection lost), and drops the result when the server is away for ten seconds. For a task
 * id that is too little: the work is paid for, and only this process knows the id.
 */
export async function completeExplicitly<Result>(
  result: Result,
  onTooLate: () => Promise<void>,
): Promise<Result> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return result;
  if (!(await isTaken(client, context, result))) await onTooLate();
  // The SDK then reports no result.
  throw new CompleteAsyncError();
}

async function isTaken(client: Client, { info }: Context, result: unknown): Promise<boolean> {
  const serializationContext = {
    type: 'activity' as const,
    namespace: info.namespace,
    workflowId: info.workflowExecution?.workflowId,
    activityId: info.activityId,
    isLocal: false,
  };
  try {
    // The server does not wait longer than this either.
    await retryTemporalCall(client, info.startToCloseTimeoutMs, () =>
      client.activity.complete(info.taskToken, result, { serializationContext }),
    );
    return true;
  } catch (error) {
    const why = error instanceof ActivityNotFoundError ? 'the server has given this activity up' : error;
    log.warn('the outcome came too late', { why });
    return false;
  }
}
