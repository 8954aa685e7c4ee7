/** What is known of a chunk, however its activity ended. */
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import { isRecord } from '../../rules/inputs';

interface Unknown {
  outcome: 'unknown';
  reason: string;
}

/** The outcomes of what was sent for these places of the partition, in their order. */
export async function outcomesOf<Outcome>(
  places: number[],
  send: () => Promise<Outcome[]>,
): Promise<(Outcome | Unknown)[]> {
  const nothing: Unknown = { outcome: 'unknown', reason: 'the chunk gave no outcome' };
  try {
    const outcomes = await send();
    return places.map((_place, index) => outcomes[index] ?? nothing);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const notes = notesOf<Outcome>(error);
    const reason = `the chunk gave no outcome: ${error.cause?.message ?? error.message}`;
    return places.map((place) => notes[place] ?? { outcome: 'unknown', reason });
  }
}

/** What a worker that died had told of it. */
function notesOf<Outcome>({ cause }: ActivityFailure): Record<number, Outcome> {
  const notes: unknown = cause instanceof TimeoutFailure ? cause.lastHeartbeatDetails : undefined;
  return isRecord(notes) ? (notes as Record<number, Outcome>) : {};
}
