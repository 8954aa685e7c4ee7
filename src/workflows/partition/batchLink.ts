/** Signals between a partition and its batch: slot grants in, reports out. */
import { CancellationScope, condition, getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import { type PartitionNews, partitionNewsSignal, slotGrantSignal } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { onSignal } from '../lib/listeners';
import { readEnd, signalUntilTaken } from '../lib/otherRuns';
import { isOver, type Partition } from './state';
import { recordCancelled } from './finish';

/** Says how many items may be at the service at once. Cancelling the run has the effect of a grant with `cancelled`. */
export function handleSlotGrant(run: Partition): void {
  const description =
    'How many items may be at the service at once: { order, slots, paused, cancelled, isLarge }.';
  onSignal(slotGrantSignal, description, (grant) => {
    // A partition without slots only takes signals: they alone may make its history long.
    run.handOverWhenLong();
    const { slotGrant } = run.progress;
    if (typeof grant.order !== 'number' || grant.order <= slotGrant.order) return;
    const slots = typeof grant.slots === 'number' ? Math.max(0, Math.trunc(grant.slots)) : 0;
    const cancelled = slotGrant.cancelled || grant.cancelled === true;
    const [paused, isLarge] = [grant.paused === true, grant.isLarge === true];
    run.progress.slotGrant = { order: grant.order, slots, paused, cancelled, isLarge };
    if (cancelled) cancelItems(run);
  });
  void CancellationScope.current().cancelRequested.catch(() => {
    run.progress.slotGrant.cancelled = true;
    cancelItems(run);
  });
}

/** Items in a chunk in flight are cancelled when their outcome is known. */
function cancelItems(run: Partition): void {
  for (const [index, known] of run.progress.items.entries()) {
    const isInFlight = known.status === 'running' && known.taskId === undefined;
    if (isOver(known) || isInFlight) continue;
    known.status = 'cancelled';
    recordCancelled(run, index);
  }
  run.isReportDue = true;
}

export async function sendReports(run: Partition): Promise<void> {
  for (;;) {
    await condition(() => run.isFinished || run.isReportDue);
    if (run.isFinished) return;
    await reportToBatch(run);
  }
}

/** Long: thousands of partitions of a large batch wait. */
const REPORT_EVERY = '6h';

/** A partition learns only by its report that the batch was terminated, and would wait for slots for ever. */
export async function keepAlive(run: Partition): Promise<void> {
  for (;;) {
    await sleep(REPORT_EVERY, { summary: 'until the next report to the batch' });
    run.isReportDue = true;
    run.handOverWhenLong();
  }
}

/** Returns false where the batch is over. A batch that cannot take a signal now gets the report later. */
export async function reportToBatch(run: Partition): Promise<boolean> {
  const workflowId = batchWorkflowId(run.input.batch);
  const isOpen = async (): Promise<boolean> => (await readEnd({ workflowId })).is === 'open';
  const send = (): Promise<void> => {
    run.isReportDue = false;
    run.isDelayReported = run.delay !== null;
    return getExternalWorkflowHandle(workflowId).signal(partitionNewsSignal, newsOf(run));
  };
  const isTaken = await signalUntilTaken(send, isOpen, 'until the batch takes reports again');
  if (!isTaken) cancelWaiting(run);
  return isTaken;
}

function newsOf(run: Partition): PartitionNews {
  const { n } = run.input;
  const { items, late } = run.progress;
  const isSubmitting = items.some(
    ({ status, taskId }) => status === 'waiting' || (status === 'running' && !taskId),
  );
  // Submit trouble concerns only a partition that still submits.
  const trouble = (isSubmitting ? run.progress.trouble : null) ?? run.silence ?? run.delay;
  const isOver = run.left === null && run.promoting === 0;
  return { n, counts: run.counts, trouble, late, isOver };
}

/** Nobody grants slots any more. Tasks at the service are polled to their end. */
function cancelWaiting({ progress }: Partition): void {
  for (const known of progress.items) {
    if (known.status !== 'waiting') continue;
    known.status = 'cancelled';
    known.error = 'the batch was stopped before it was submitted';
  }
}
