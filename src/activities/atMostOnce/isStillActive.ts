import { Context, log } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityPausedError,
  ActivityResetError,
  type Client,
} from '@temporalio/client';
import { HEARTBEAT_TIMEOUT_MS } from '../../contract';
import { insist } from './retryTemporalCall';

/**
 * Asks the server whether it still waits for this attempt, and leaves `details` with it. A process that was stopped
 * while it polled finds a task in its socket that was given up long ago, and nothing in the task tells. Where the server
 * does not answer, the attempt is as good as given up.
 */
export function isStillOurs(details?: unknown): Promise<boolean> {
  return isWaitedFor(details, STILL_WAITS);
}

/** The same for what is not to be done any more once its run has called it back. */
export function isStillWanted(): Promise<boolean> {
  return isWaitedFor(undefined, [ActivityPausedError, ActivityResetError]);
}

async function isWaitedFor(details: unknown, stillWaits: readonly Answer[]): Promise<boolean> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return true;
  const { taskToken } = context.info;
  try {
    await insist(client, HEARTBEAT_TIMEOUT_MS / 2, () => beat(client, taskToken, details, stillWaits));
    return true;
  } catch (error) {
    log.warn('nothing is sent: the server does not wait for this attempt any more', { error });
    return false;
  }
}

async function beat(
  client: Client,
  taskToken: Uint8Array,
  details: unknown,
  stillWaits: readonly Answer[],
): Promise<void> {
  try {
    await client.activity.heartbeat(taskToken, details);
  } catch (error) {
    if (!stillWaits.some((answer) => error instanceof answer)) throw error;
  }
}

type Answer = typeof ActivityCancelledError | typeof ActivityPausedError | typeof ActivityResetError;

/** Cancelled, paused or reset: whatever comes of that, the server waits for this attempt. */
const STILL_WAITS: readonly Answer[] = [ActivityCancelledError, ActivityPausedError, ActivityResetError];

/** None where there is no server: in a MockActivityEnvironment. */
export function clientOf(context: Context): Client | undefined {
  try {
    return context.client;
  } catch {
    return undefined;
  }
}
