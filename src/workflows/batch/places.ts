/** Who may have how many items at the service: never more in all than the batch may. */
import { condition, getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import { DEFAULT_BATCH_CONCURRENCY, type PartitionStanding, windowSignal } from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { doubling } from '../lib/atMostOnce';
import { lookAt } from './looking';
import { type Batch } from './run';

/**
 * Places that a partition cannot use any more are given to others, the first ones first, so that a batch is done in
 * the manifest's order. None are taken from a partition that can use them, unless the batch may do less than before: it
 * would have as many at the service until they are over, and the others, too.
 */
export function sharePlaces({ progress, untold }: Batch): void {
  const { partitions, concurrency } = progress;
  // What it cannot use it need not be told.
  for (const partition of partitions) partition.places = Math.min(partition.places, needOf(partition));

  let tooMany = sum(partitions.map(({ places }) => places)) - concurrency;
  for (const [index, partition] of [...partitions.entries()].reverse()) {
    const taken = Math.min(Math.max(tooMany, 0), partition.places);
    if (taken === 0) continue;
    partition.places -= taken;
    tooMany -= taken;
    untold.add(index + 1);
  }

  let free = concurrency - sum(partitions.map(({ places, counts }) => Math.max(places, counts.running)));
  for (const [index, partition] of partitions.entries()) {
    if (free <= 0) break;
    const { places, counts } = partition;
    // What it has at the service beyond its places is counted above: places for that cost nothing.
    const beyond = Math.max(counts.running - places, 0);
    const more = Math.min(needOf(partition) - places, beyond + free);
    if (more <= 0) continue;
    partition.places += more;
    free -= Math.max(more - beyond, 0);
    untold.add(index + 1);
  }
}

/** How many of its items are not over. It only ever falls, and no more than this are at the service. */
function needOf({ isThere, isOver, counts }: PartitionStanding): number {
  return isThere && !isOver ? counts.waiting + counts.running : 0;
}

/** After a pause and the like: everybody who is there. */
export function tellEverybody({ progress, untold }: Batch): void {
  for (const [index, { isThere, isOver }] of progress.partitions.entries())
    if (isThere && !isOver) untold.add(index + 1);
}

/** On their way at once: the server fails a task that would have more than 2,000. */
const MOST_WINDOWS = 500;

export function sendWindows(run: Batch): void {
  for (const n of run.untold) {
    if (run.windows >= MOST_WINDOWS) return;
    run.untold.delete(n);
    run.windows += 1;
    void sendWindow(run, n).finally(() => {
      run.windows -= 1;
      run.hasWork ||= run.untold.size > 0;
    });
  }
}

/** Whoever ends before it is told ends without it. */
export function untilWindowsSent(run: Batch): Promise<void> {
  return condition(() => run.windows === 0);
}

/** One that cannot take it now, since too much comes at once, is told later, and then what is right by then. */
async function sendWindow(run: Batch, n: number): Promise<void> {
  const pause = doubling(1_000, 60_000);
  while (!(await isTold(run, n))) {
    // Most often it is over, and its own word of that is on its way, unless somebody stopped it.
    const { is } = await lookAt(run, n);
    if (is !== 'open') return;
    await sleep(pause.next(), { summary: 'until a partition takes its places' });
  }
}

async function isTold({ input, progress }: Batch, n: number): Promise<boolean> {
  const standing = progress.partitions[n - 1];
  // By the clock, so that those of a run that was reset are not taken for older ones.
  progress.orders = Math.max(progress.orders + 1, Date.now());
  const window = {
    order: progress.orders,
    places: standing?.places ?? 0,
    paused: progress.paused !== null,
    cancelled: progress.stage === 'cancelling' || standing?.isOver === true,
    isLarge: isLarge({ progress }),
  };
  try {
    await getExternalWorkflowHandle(batchPartWorkflowId(input.key, n)).signal(windowSignal, window);
    return true;
  } catch {
    return false;
  }
}

/** Whether it has so much at the service at once that large chunks leave room for others. */
export function isLarge({ progress }: Pick<Batch, 'progress'>): boolean {
  return progress.concurrency > DEFAULT_BATCH_CONCURRENCY;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
