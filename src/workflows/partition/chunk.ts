/** What is known of a chunk, however its activity ended. */
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import { isRecord } from '../../validation/inputs';

interface Without {
  outcome: 'unknown' | 'notSent';
  reason: string;
}

/**
 * The outcomes of what was sent for these places of the partition, in their order. `without` is that of a place that
 * nothing was told of when the activity failed.
 */
export async function outcomesOf<Outcome>(
  places: number[],
  send: () => Promise<Outcome[]>,
  without = (failure: ActivityFailure): Without => ({
    outcome: 'unknown',
    reason: `the chunk gave no outcome: ${failure.cause?.message ?? failure.message}`,
  }),
): Promise<(Outcome | Without)[]> {
  const nothing: Without = { outcome: 'unknown', reason: 'the chunk gave no outcome' };
  try {
    const outcomes = await send();
    return places.map((_place, index) => outcomes[index] ?? nothing);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const notes = notesOf<Outcome>(error);
    return places.map((place) => notes[place] ?? without(error));
  }
}

/** What a worker that died had told of it. */
function notesOf<Outcome>({ cause }: ActivityFailure): Record<number, Outcome> {
  const notes: unknown = cause instanceof TimeoutFailure ? cause.lastHeartbeatDetails : undefined;
  return isRecord(notes) ? (notes as Record<number, Outcome>) : {};
}
