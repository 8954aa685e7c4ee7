import { type BatchResult, type FiredEnd } from '../../contract';

export function countItems(count: number): string {
  return `${count} item${count === 1 ? '' : 's'}`;
}

type End = Pick<BatchResult, 'status' | 'counts' | 'incomplete' | 'stopped'>;

/** Held items outweigh failed ones, because they need a decision. */
export function endOfBatch({ status, counts, incomplete, stopped }: End): FiredEnd {
  if (status === 'cancelled') return { status: 'cancelled', error: 'it was cancelled' };
  const { unfollowed, undone, reason } = stopped ?? { unfollowed: 0, undone: 0, reason: '' };
  const held = counts.held - unfollowed;
  const problems = [
    ...(held > 0 ? [`${countItems(held)} held (see segue held)`] : []),
    ...(unfollowed > 0 ? [`${countItems(unfollowed)} at the service, not polled: ${reason}`] : []),
    ...(counts.unsaved > 0 ? [`${countItems(counts.unsaved)} unsaved`] : []),
    ...(counts.failed > 0 ? [`${countItems(counts.failed)} failed`] : []),
    ...(undone > 0 ? [`${countItems(undone)} not done: ${reason}`] : []),
    ...(stopped && unfollowed + undone === 0
      ? [`a part of it was stopped before everything was written and notified: ${reason}`]
      : []),
    ...(incomplete ? [`${countItems(counts.cancelled - undone)} not handed over: ${incomplete}`] : []),
  ];
  if (problems.length === 0) return { status: 'succeeded', error: null };
  const isOnlyUnsaved = counts.unsaved > 0 && problems.length === 1;
  const withoutHeld = isOnlyUnsaved ? 'unsaved' : 'failed';
  return { status: counts.held > 0 ? 'held' : withoutHeld, error: problems.join('; ') };
}
