/** How many items each partition may have at the service: together never more than the batch's concurrency. */
import { condition, getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import { type PartitionStanding, windowSignal } from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { doubling } from '../lib/atMostOnce';
import { type Batch } from './state';
import { checkPartition } from './supervise';

/**
 * Free slots go to the first partitions first, so that a batch is done in the manifest's order. A partition that can use
 * its slots keeps them, unless the concurrency was lowered: its items would stay at the service beside those of others.
 */
export function allocateSlots({ progress, ungranted }: Pick<Batch, 'progress' | 'ungranted'>): void {
  const { partitions, concurrency } = progress;
  for (const partition of partitions) partition.places = Math.min(partition.places, needOf(partition));

  let excess = sum(partitions.map(({ places }) => places)) - concurrency;
  for (const [index, partition] of [...partitions.entries()].reverse()) {
    const taken = Math.min(Math.max(excess, 0), partition.places);
    if (taken === 0) continue;
    partition.places -= taken;
    excess -= taken;
    ungranted.add(index + 1);
  }

  let free = concurrency - sum(partitions.map(({ places, counts }) => Math.max(places, counts.running)));
  for (const [index, partition] of partitions.entries()) {
    if (free <= 0) break;
    const { places, counts } = partition;
    // Tasks beyond the partition's slots are in `free` already: slots for them cost nothing.
    const beyond = Math.max(counts.running - places, 0);
    const more = Math.min(needOf(partition) - places, beyond + free);
    if (more <= 0) continue;
    partition.places += more;
    free -= Math.max(more - beyond, 0);
    ungranted.add(index + 1);
  }
}

/** How many of its items are not over. This number only falls. */
function needOf({ isThere, isOver, counts }: PartitionStanding): number {
  return isThere && !isOver ? counts.waiting + counts.running : 0;
}

/** In flight at once: the server fails a workflow task with more than 2,000 pending signals. */
const MOST_GRANTS = 500;

export function sendGrants(run: Batch): void {
  for (const n of run.ungranted) {
    if (run.grantsInFlight >= MOST_GRANTS) return;
    run.ungranted.delete(n);
    run.grantsInFlight += 1;
    void sendGrant(run, n).finally(() => {
      run.grantsInFlight -= 1;
      run.hasWork ||= run.ungranted.size > 0;
    });
  }
}

export function untilGrantsSent(run: Batch): Promise<void> {
  return condition(() => run.grantsInFlight === 0);
}

/** A partition that cannot take a signal now gets the grant that is right when it can. */
async function sendGrant(run: Batch, n: number): Promise<void> {
  const pause = doubling(1_000, 60_000);
  while (!(await signalGrant(run, n))) {
    // It is over most often, and its last report is on its way, unless somebody stopped it.
    const { is } = await checkPartition(run, n);
    if (is !== 'open') return;
    await sleep(pause.next(), { summary: 'until a partition takes its places' });
  }
}

async function signalGrant({ input, progress, isLarge }: Batch, n: number): Promise<boolean> {
  const standing = progress.partitions[n - 1];
  // From the clock: numbers of a run after a reset must be higher than those before it.
  progress.orders = Math.max(progress.orders + 1, Date.now());
  const grant = {
    order: progress.orders,
    places: standing?.places ?? 0,
    paused: progress.paused !== null,
    cancelled: progress.stage === 'cancelling' || standing?.isOver === true,
    isLarge,
  };
  try {
    await getExternalWorkflowHandle(batchPartWorkflowId(input.key, n)).signal(windowSignal, grant);
    return true;
  } catch {
    return false;
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
