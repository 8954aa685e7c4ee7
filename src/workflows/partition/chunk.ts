/** A chunk is one activity with several requests; each has an outcome, however the activity ended. */
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import { type ChunkOutcome } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { mayChange } from '../lib/atMostOnce';

interface Without {
  outcome: 'unknown' | 'notSent';
  reason: string;
}

/** In the order of `indexes`. `without` is the outcome of an item that the heartbeats of a failed activity do not name. */
export async function outcomesOf<Outcome>(
  indexes: number[],
  send: () => Promise<Outcome[]>,
  without = (failure: ActivityFailure): Without => ({
    outcome: 'unknown',
    reason: `the chunk gave no outcome: ${failure.cause?.message ?? failure.message}`,
  }),
): Promise<(Outcome | Without)[]> {
  const nothing: Without = { outcome: 'unknown', reason: 'the chunk gave no outcome' };
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

/** The service judged the request. A refusal by the worker itself has no status. */
export function isJudged(outcome: ChunkOutcome): boolean {
  if (outcome.outcome === 'refused') return outcome.status !== undefined && !mayChange(outcome);
  return outcome.outcome === 'accepted';
}

/** How many the worker takes at once, where it had no room for this one. */
export function roomOf(outcome: ChunkOutcome): number | undefined {
  return outcome.outcome === 'notSent' ? outcome.room : undefined;
}
