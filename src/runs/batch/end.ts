import { type BatchResult, type FiredEnd } from '../../contract';

type End = Pick<BatchResult, 'status' | 'counts' | 'incomplete' | 'stopped'>;

/** Held items outweigh failed ones, because they need a decision. */
export function endOfBatch({ status, counts, incomplete, stopped }: End): FiredEnd {
  if (status === 'cancelled') return { status: 'cancelled', error: 'it was cancelled' };
  const { unfollowed, undone, reason } = stopped ?? { unfollowed: 0, undone: 0, reason: '' };
  const held = counts.held - unfollowed;
  const problems = [
    ...(held > 0 ? [`${held} items continue as separate jobs, or need a person`] : []),
    ...(unfollowed > 0 ? [`${unfollowed} items are at the service, and nobody polls them: ${reason}`] : []),
    ...(counts.unsaved > 0 ? [`the results of ${counts.unsaved} items are not saved in their projects`] : []),
    ...(counts.failed > 0 ? [`${counts.failed} items failed`] : []),
    ...(undone > 0 ? [`${undone} items were not done: ${reason}`] : []),
    ...(stopped && unfollowed + undone === 0
      ? [`a part of it was stopped before everything was written and notified: ${reason}`]
      : []),
    ...(incomplete ? [`${counts.cancelled - undone} items were not handed over: ${incomplete}`] : []),
  ];
  if (problems.length === 0) return { status: 'succeeded', error: null };
  const isOnlyUnsaved = counts.unsaved > 0 && problems.length === 1;
  const withoutHeld = isOnlyUnsaved ? 'unsaved' : 'failed';
  return { status: counts.held > 0 ? 'held' : withoutHeld, error: problems.join('; ') };
}
