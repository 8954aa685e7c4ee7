/** How many items each partition may have at the service: together never more than the batch's concurrency. */
import { condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { type PartitionStanding, slotGrantSignal } from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { signalUntilTaken } from '../lib/otherRuns';
import { type Batch } from './state';
import { checkPartitions } from './supervise';

/**
 * Free slots go to the first partitions first, so that a batch is done in the manifest's order. A partition that can use
 * its slots keeps them, unless the concurrency was lowered: its items would stay at the service beside those of others.
 */
export function allocateSlots({ progress, ungranted }: Pick<Batch, 'progress' | 'ungranted'>): void {
  const { partitions, concurrency } = progress;
  for (const partition of partitions) partition.slots = Math.min(partition.slots, needOf(partition));

  let excess = sum(partitions.map(({ slots }) => slots)) - concurrency;
  for (const [index, partition] of [...partitions.entries()].reverse()) {
    const taken = Math.min(Math.max(excess, 0), partition.slots);
    if (taken === 0) continue;
    partition.slots -= taken;
    excess -= taken;
    ungranted.add(index + 1);
  }

  let free = concurrency - sum(partitions.map(({ slots, counts }) => Math.max(slots, counts.running)));
  for (const [index, partition] of partitions.entries()) {
    if (free <= 0) break;
    const { slots, counts } = partition;
    // Tasks beyond the partition's slots are in `free` already: slots for them cost nothing.
    const beyond = Math.max(counts.running - slots, 0);
    const more = Math.min(needOf(partition) - slots, beyond + free);
    if (more <= 0) continue;
    partition.slots += more;
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
  // A partition that is over has sent its last report, unless somebody stopped it.
  const isOpen = async (): Promise<boolean> => (await checkPartitions(run, [n]))[0]?.is === 'open';
  await signalUntilTaken(() => signalGrant(run, n), isOpen, 'until a partition takes its slots');
}

function signalGrant({ input, progress, isLarge }: Batch, n: number): Promise<void> {
  const standing = progress.partitions[n - 1];
  // From the clock: numbers of a run after a reset must be higher than those before it.
  progress.orders = Math.max(progress.orders + 1, Date.now());
  const grant = {
    order: progress.orders,
    slots: standing?.slots ?? 0,
    paused: progress.paused !== null,
    cancelled: progress.stage === 'cancelling' || standing?.isOver === true,
    isLarge,
  };
  return getExternalWorkflowHandle(batchPartWorkflowId(input.key, n)).signal(slotGrantSignal, grant);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
