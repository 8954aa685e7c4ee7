/** What every submission and every notification needs: a second attempt may pay or notify a second time. */
import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { isAccessDenied, type NotifyOutcome, type SubmitOutcome } from '../../contract';
import { isRecord } from '../../validation/inputs';

/**
 * An operator can raise the maximum while the activity runs, so the failures after which it may have sent are not
 * retryable either. The activity has its own guards, too.
 */
export const AT_MOST_ONCE: ActivityOptions['retry'] = {
  maximumAttempts: 1,
  nonRetryableErrorTypes: [
    'TemporalTimeout:StartToClose',
    'TemporalTimeout:Heartbeat',
    'WorkerShutdown',
    'PayloadsTooLarge',
  ],
};

/** What a run must know to send something at most once. */
export interface Sender {
  /** Prefix of the request ids; no other run has it. */
  readonly requestName: string;
  readonly progress: { reset: boolean };
}

/**
 * The run id that the activity compares with its own before it sends. A run that was reset does not know what was sent
 * before, so it gives no id and the activity refuses. A branch in the workflow instead would break the replay of what
 * happened before the reset.
 */
export function senderOf({ progress }: Pick<Sender, 'progress'>): string {
  return progress.reset ? 'none: the run was reset' : workflowInfo().originalExecutionRunId;
}

/** Whether this run, or one that it continues, was reset. */
export function wasReset(carried: { reset?: boolean } | undefined): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return (carried?.reset ?? false) || runId !== originalExecutionRunId;
}

/** Whether a request that was provably not accepted may be accepted later. */
export function mayChange(outcome: SubmitOutcome | NotifyOutcome): boolean {
  if (outcome.outcome === 'notSent') return true;
  return outcome.outcome === 'refused' && (isAccessDenied(outcome.status) || isRateLimited(outcome.status));
}

export function isRateLimited(status: number | undefined): boolean {
  return status === 425 || status === 429;
}

/** Of a failed request; undefined when the service gave no complete answer. */
export function httpStatusOf(failure: unknown): number | undefined {
  const details = failure instanceof ApplicationFailure ? failure.details : undefined;
  const [facts] = (details ?? []) as [{ status?: number | null }?];
  return facts?.status ?? undefined;
}

export interface NoOutcome {
  outcome: 'unknown' | 'notSent';
  reason: string;
}

/**
 * A chunk is one activity with several requests; each has an outcome, in the order of `indexes`, however the activity
 * ended. `without` is the outcome of an item that the heartbeats of a failed activity do not name.
 */
export async function outcomesOf<Outcome>(
  indexes: number[],
  send: () => Promise<Outcome[]>,
  without = (failure: ActivityFailure): NoOutcome => ({
    outcome: 'unknown',
    reason: `the chunk gave no outcome: ${failure.cause?.message ?? failure.message}`,
  }),
): Promise<(Outcome | NoOutcome)[]> {
  const nothing: NoOutcome = { outcome: 'unknown', reason: 'the chunk gave no outcome' };
  try {
    const outcomes = await send();
    return indexes.map((_index, at) => outcomes[at] ?? nothing);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const notes = notesOf<Outcome>(error);
    return indexes.map((index) => notes[index] ?? without(error));
  }
}

/** Outcomes in the heartbeats of a worker that died. */
function notesOf<Outcome>({ cause }: ActivityFailure): Record<number, Outcome> {
  const notes: unknown = cause instanceof TimeoutFailure ? cause.lastHeartbeatDetails : undefined;
  return isRecord(notes) ? (notes as Record<number, Outcome>) : {};
}

/** Pauses that double up to a limit. */
export function newBackoff(firstMs = 1_000, mostMs = 60_000): () => number {
  let pause = firstMs / 2;
  return () => (pause = Math.min(pause * 2, mostMs));
}
