/** What a partition and its batch tell each other: slot grants come, reports go. */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { partitionNewsSignal, windowSignal } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { doubling } from '../lib/atMostOnce';
import { readEnd } from '../lib/otherRuns';
import { isRecord } from '../../validation/inputs';
import { isOver, type Partition } from './state';
import { recordCancelled } from './write';

/** Says how many items may be at the service at once. Cancelling the run has the effect of a grant with `cancelled`. */
export function handleSlotGrant(run: Partition): void {
  setHandler(
    windowSignal,
    (grant: unknown) => {
      // A partition without slots only takes signals: they alone may make its history long.
      run.handOverWhenLong();
      const { window } = run.progress;
      if (!isRecord(grant) || typeof grant.order !== 'number' || grant.order <= window.order) return;
      const places = typeof grant.places === 'number' ? Math.max(0, Math.trunc(grant.places)) : 0;
      const cancelled = window.cancelled || grant.cancelled === true;
      const [paused, isLarge] = [grant.paused === true, grant.isLarge === true];
      run.progress.window = { order: grant.order, places, paused, cancelled, isLarge };
      run.orderBackoff = doubling(1_000, 60_000);
      if (cancelled) cancelItems(run);
    },
    {
      description:
        'How many items may be at the service at once: { order, places, paused, cancelled, isLarge }.',
    },
  );
  void CancellationScope.current().cancelRequested.catch(() => {
    run.progress.window.cancelled = true;
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
    await condition(() => isSettled(run) || run.isReportDue);
    if (isSettled(run)) return;
    await reportToBatch(run);
  }
}

/** Reports continue while notifications are due: the batch gives the slots to others. */
function isSettled(run: Partition): boolean {
  return run.isHandedOver() || (run.isAtEnd() && !run.hasDueNotices());
}

/** Long: thousands of partitions of a large batch wait. */
const REPORT_EVERY = '6h';

/** A partition learns only by its report that the batch was terminated, and would wait for slots for ever. */
export async function keepAlive(run: Partition): Promise<void> {
  for (;;) {
    await sleep(REPORT_EVERY, { summary: 'until the batch is told again how it stands' });
    run.isReportDue = true;
    run.handOverWhenLong();
  }
}

/** Returns false where the batch is over. A batch that cannot take a signal now gets the report later. */
export async function reportToBatch(run: Partition): Promise<boolean> {
  const pause = doubling(1_000, 60_000);
  while (!(await signalReport(run))) {
    const { is } = await readEnd({ workflowId: batchWorkflowId(run.input.batch) });
    if (is !== 'open') {
      cancelWaiting(run);
      return false;
    }
    await sleep(pause.next(), { summary: 'until the batch takes news again' });
  }
  return true;
}

async function signalReport(run: Partition): Promise<boolean> {
  run.isReportDue = false;
  const { batch, n } = run.input;
  const { late } = run.progress;
  const trouble = isSubmitting(run) ? (run.progress.trouble ?? null) : null;
  const silence = run.silence;
  const isOver = run.isDone() && !run.isWriting() && !run.hasDueNotices() && run.promoting === 0;
  const news = { n, counts: run.counts, trouble, silence, late, isOver };
  try {
    await getExternalWorkflowHandle(batchWorkflowId(batch)).signal(partitionNewsSignal, news);
    return true;
  } catch {
    return false;
  }
}

/** Submit trouble concerns only a partition that still submits. */
function isSubmitting({ progress }: Partition): boolean {
  return progress.items.some(
    ({ status, taskId }) => status === 'waiting' || (status === 'running' && !taskId),
  );
}

/** Nobody grants slots any more. Tasks at the service are polled to their end. */
function cancelWaiting({ progress }: Partition): void {
  for (const known of progress.items) {
    if (known.status !== 'waiting') continue;
    known.status = 'cancelled';
    known.error = 'the batch was stopped before it was submitted';
  }
}
