import { Context, log } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityPausedError,
  ActivityResetError,
  type Client,
} from '@temporalio/client';
import { HEARTBEAT_TIMEOUT_MS } from '../../contract';
import { retryTemporalCall } from './retryTemporalCall';

type HeartbeatAnswer = typeof ActivityCancelledError | typeof ActivityPausedError | typeof ActivityResetError;

/**
 * Asks the server, by a heartbeat with `details`, whether it still waits for this attempt; cancelled, paused or reset, it
 * does. A frozen process can receive a task that the server timed out long ago; only the server can tell. Where the
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
