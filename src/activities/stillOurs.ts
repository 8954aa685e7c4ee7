import { Context, log } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityPausedError,
  ActivityResetError,
  type Client,
} from '@temporalio/client';
import { HEARTBEAT_TIMEOUT_MS } from '../contract';
import { insist } from './insist';

/**
 * Asks the server whether it still waits for this attempt, and leaves `details` with it. A process that was stopped
 * while it polled finds a task in its socket that was given up long ago, and nothing in the task tells. Where the server
 * does not answer, the attempt is as good as given up.
 */
export async function isStillOurs(details?: unknown): Promise<boolean> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return true;
  const { taskToken } = context.info;
  try {
    await insist(client, HEARTBEAT_TIMEOUT_MS / 2, () => beat(client, taskToken, details));
    return true;
  } catch (error) {
    log.warn('nothing is sent: the server does not wait for this attempt any more', { error });
    return false;
  }
}

async function beat(client: Client, taskToken: Uint8Array, details: unknown): Promise<void> {
  try {
    await client.activity.heartbeat(taskToken, details);
  } catch (error) {
    // Cancelled, paused or reset: whatever comes of that, it waits for this attempt.
    if (!STILL_WAITS.some((answer) => error instanceof answer)) throw error;
  }
}

const STILL_WAITS = [ActivityCancelledError, ActivityPausedError, ActivityResetError];

/** None where there is no server: in a MockActivityEnvironment. */
export function clientOf(context: Context): Client | undefined {
  try {
    return context.client;
  } catch {
    return undefined;
  }
}
