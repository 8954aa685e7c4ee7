import { setTimeout as sleep } from 'node:timers/promises';
import { Context, log } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  type Client,
  WorkflowNotFoundError,
} from '@temporalio/client';

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

/** The calls of an activity's client end with the activity's cancellation. This call must go on: it may begin after it. */
async function detached<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withAbortSignal(new AbortController().signal, () =>
    client.withDeadline(Date.now() + LONGEST_CALL_MS, call),
  );
}
