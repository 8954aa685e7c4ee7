/** How a batch ended, in the words of the command contract. */
import { type BatchResult, type FiredEnd } from '../../contract';

/** Held items outweigh failed ones: somebody has to decide. */
export function endOfBatch({
  status,
  counts,
  incomplete,
}: Pick<BatchResult, 'status' | 'counts'> & Partial<Pick<BatchResult, 'incomplete'>>): FiredEnd {
  if (status === 'cancelled') return { status: 'cancelled', error: 'it was cancelled' };
  const problems = [
    ...(counts.held > 0 ? [`${counts.held} items need a person`] : []),
    ...(counts.failed > 0 ? [`${counts.failed} items failed`] : []),
    ...(incomplete ? [`${counts.cancelled} items were not handed over: ${incomplete}`] : []),
  ];
  if (problems.length === 0) return { status: 'succeeded', error: null };
  return { status: counts.held > 0 ? 'held' : 'failed', error: problems.join('; ') };
}
