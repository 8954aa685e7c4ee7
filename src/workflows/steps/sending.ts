/** Which submits of a run may be on the wire. */
import { type ActivityFailure, setHandler, TimeoutFailure } from '@temporalio/workflow';
import { sendingSignal } from '../../contract';
import { isRecord } from '../../validation/inputs';

export interface Submitter {
  /** The numbers of those whose worker told that it was about to send. */
  readonly sending: Set<unknown>;
}

export function handleSending(run: Submitter): void {
  setHandler(
    sendingSignal,
    (told: unknown) => {
      // Anybody can send a signal, and one that made this throw would stop the run for good.
      if (isRecord(told)) run.sending.add(told.n);
    },
    { description: 'Tells, as the last step before the request, that a submit is being sent: { n }.' },
  );
}

/**
 * The outcome of a submit whose activity gave none. Where the server gave it up before its worker told that it was about
 * to send, nothing was sent, and the run may try again by itself.
 */
export function withoutOutcome(
  run: Submitter,
  n: number,
  { cause, message }: ActivityFailure,
): { outcome: 'unknown' | 'notSent'; reason: string } {
  const isUnsent = cause instanceof TimeoutFailure && !run.sending.has(n);
  return {
    outcome: isUnsent ? 'notSent' : 'unknown',
    reason: `it gave no outcome: ${cause?.message ?? message}`,
  };
}
