/** What a closed run may have left at the service. */
import { FAILURE, type MediaStage, type MediaState } from '../../contract';
import { submitRequestId } from '../../ids';

export type Remains =
  /** Nothing that still costs or could still give a result. */
  | { is: 'nothing' }
  /** A task that the service may be working on, or may have finished. */
  | { is: 'task'; taskId: string }
  /** A POST that may have been accepted; the id it was sent with, where that is known. */
  | { is: 'unknown'; requestId: string | null };

export interface LastKnown {
  key: string;
  /** As the run's list entry has it. */
  stage: MediaStage | null;
  taskId: string | null;
  /** What the run says of itself; undefined where no worker answers. */
  state: MediaState | undefined;
}

/** Of a run that ended before its task did: cancelled, terminated, timed out, abandoned. */
export function remainsOfStopped({ key, stage, taskId, state }: LastKnown): Remains {
  const last = state?.attempts.at(-1);
  const task = state?.taskId ?? taskId;
  // The one that is known is of a submission before: a person has it submitted again since.
  const isDoubtful =
    last?.taskId === undefined && (last?.outcome === 'unknown' || last?.outcome === 'pending');
  if (task !== null && !isDoubtful) return { is: 'task', taskId: task };
  if (!state) {
    // Between two attempts, of which the last was provably not accepted.
    return stage === 'waiting' ? { is: 'nothing' } : { is: 'unknown', requestId: null };
  }
  if (!last || last.outcome === 'refused' || last.outcome === 'notSent') return { is: 'nothing' };
  return { is: 'unknown', requestId: submitRequestId(key, last.n) };
}

/** Failures after which the service surely has nothing of it: it said so itself, or was never asked. */
const NOTHING_LEFT: readonly unknown[] = [FAILURE.taskFailed, FAILURE.refused, FAILURE.badInput];

/**
 * Of a run that ended itself, by the type of its failure. One that was started unsafely may be the server's repetition
 * of a run that had a task.
 */
export function remainsOfFailed(failureType: string | null | undefined, last: LastKnown): Remains {
  return NOTHING_LEFT.includes(failureType) ? { is: 'nothing' } : remainsOfStopped(last);
}
