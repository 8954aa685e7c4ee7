/** What a closed run may have left at the service, and the key of the run that continues it. */
import { FAILURE, UNKNOWN_MEMO, type UnknownSubmit } from '../../contract';
import { isGivenKey } from '../../contract/ids';
import { searchAttributes } from '../../contract/searchAttributes';
import { digest } from '../../platform/digest';
import { type Listed } from '../../runs/find';
import { entryOf } from '../report';

export type Leftovers =
  /** Nothing that still costs or can still give a result. */
  | { is: 'nothing' }
  /** A task that the service may be working on, or may have finished. */
  | { is: 'task'; taskId: string }
  /** A POST that may have been accepted; the id it was sent with, where that is known. */
  | { is: 'unknown'; requestId: string | null };

/** For a run that ended before its task: cancelled, terminated, timed out, abandoned. */
export function leftoversOfStopped(run: Listed): Leftovers {
  const { stage, taskId } = entryOf(run);
  // In this stage, a listed task id belongs to an earlier submission.
  if (stage === 'submitting') return { is: 'unknown', requestId: null };
  const unknown = run.memo?.[UNKNOWN_MEMO] as UnknownSubmit | undefined;
  if (unknown) return { is: 'unknown', requestId: unknown.submission };
  if (taskId !== null) return { is: 'task', taskId };
  const isSettled = stage === 'waiting' || stage === 'cancelled';
  return isSettled ? { is: 'nothing' } : { is: 'unknown', requestId: null };
}

/** Failures after which the service does not work on the last submission: it said so itself, or was never asked. */
const NOT_RUNNING: readonly unknown[] = [FAILURE.taskFailed, FAILURE.refused, FAILURE.badInput];

/**
 * Of a run that ended itself, by the type of its failure. UnsafeStart is not in NOT_RUNNING: it may be a server retry of
 * a run that had a task.
 */
export function leftoversOfFailed(failureType: string | null | undefined, run: Listed): Leftovers {
  if (!NOT_RUNNING.includes(failureType)) return leftoversOfStopped(run);
  const tasks = run.typedSearchAttributes.get(searchAttributes.taskIds) ?? [];
  // The task that failed is the first one; any other is of an earlier submission, and may still run.
  const [taskId] = failureType === FAILURE.taskFailed ? tasks.slice(1) : tasks;
  return taskId === undefined ? { is: 'nothing' } : { is: 'task', taskId };
}

const SUFFIX = '-next';

/** The key of the run that continues a stopped one: the same each time, and one that a person may give. */
export function successorKey(key: string): string {
  return `${isGivenKey(key) && key.length + SUFFIX.length <= 120 ? key : digest(key)}${SUFFIX}`;
}
