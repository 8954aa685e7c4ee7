import { cancellationSignal } from '@temporalio/activity';
import { type CallOptions } from '../api/client';
import { type Scope } from '../contract';
import { callOptions } from './calls';
import { type Patience, patientFailure } from './failures';
import { Pulse } from './atMostOnce/heartbeat';

/** What an activity has that asks the service many times. */
export interface Reading {
  /** How the next question is asked; throws when nobody waits for the answers any more. */
  next: () => CallOptions;
  /** What the next attempt is told, should this one end early. */
  note: (progress: unknown) => void;
}

/** Runs an activity that only reads, shows that it lives, and casts its errors. */
export async function manyReads<T>(
  name: string,
  { scope, ...patience }: { scope?: Scope } & Patience,
  read: (reading: Reading) => Promise<T>,
): Promise<T> {
  const options = callOptions(name, { scope });
  const pulse = new Pulse();
  let calls = 0;
  try {
    return await read({
      next: () => {
        cancellationSignal().throwIfAborted();
        return { ...options, requestId: `${options.requestId}.${++calls}` };
      },
      note: (progress) => {
        pulse.note(progress);
      },
    });
  } catch (error) {
    // The SDK tells a cancellation by its own error.
    throw cancellationSignal().aborted ? error : patientFailure(error, patience);
  } finally {
    pulse.stop();
  }
}
