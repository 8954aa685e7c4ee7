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

/** Asks Temporal until it answers, for at most `patienceMs`, or until the worker has to end. */
export async function insist<T>(client: Client, patienceMs: number, ask: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    try {
      return await apart(client, ask);
    } catch (error) {
      const ending = Context.current().cancellationDetails?.workerShutdown ?? false;
      if (isAnswer(error) || ending || Date.now() >= giveUpAt) throw error;
      log.warn('Temporal did not answer and is asked again', { error });
    }
    await sleep(PAUSE_MS);
  }
}

/** What is asked after is gone, or was called back: asking again would tell the same. */
function isAnswer(error: unknown): boolean {
  return [ActivityNotFoundError, ActivityCancelledError, WorkflowNotFoundError].some(
    (answer) => error instanceof answer,
  );
}

/** Not tied to the activity's cancellation, as its client's calls are: what is asked here begins when that is over. */
async function apart<T>(client: Client, ask: () => Promise<T>): Promise<T> {
  return client.withAbortSignal(new AbortController().signal, () =>
    client.withDeadline(Date.now() + LONGEST_CALL_MS, ask),
  );
}
