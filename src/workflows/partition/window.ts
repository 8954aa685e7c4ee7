/** How many items may be at the service at once: the batch's to say, or whoever cancels the run. */
import { CancellationScope, setHandler } from '@temporalio/workflow';
import { windowSignal } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { endWhenLong, isOver, newPatienceForOrders, type Partition } from './run';
import { recordCancelled } from './writing';

export function handleWindow(run: Partition): void {
  setHandler(
    windowSignal,
    (order: unknown) => {
      // One that waits for places does nothing else, and takes no signal any more when it has had too many.
      endWhenLong(run);
      const { window } = run.progress;
      if (!isRecord(order) || !(Number(order.order) > window.order)) return;
      const places = Math.max(0, Math.trunc(Number(order.places)) || 0);
      const cancelled = window.cancelled || order.cancelled === true;
      const [paused, isLarge] = [order.paused === true, order.isLarge === true];
      run.progress.window = { order: Number(order.order), places, paused, cancelled, isLarge };
      run.untilWanted = newPatienceForOrders();
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

/** What is on its way is cancelled when its outcome is known. */
function cancelItems(run: Partition): void {
  for (const [place, known] of run.progress.items.entries()) {
    const isOnItsWay = known.status === 'running' && known.taskId === undefined;
    if (isOver(known) || isOnItsWay) continue;
    known.status = 'cancelled';
    recordCancelled(run, place);
  }
  run.hasNews = true;
}
