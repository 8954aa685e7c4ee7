import { proxyActivities } from '@temporalio/workflow';
import { type JobEnd, type ReadEndOrder, type SegueActivities } from '../../contract';

/** How another run ended. Reads of the Temporal server alone. */
export const { readEnd, readEnds } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** What fifty runs tell of their ends is less than an activity may answer. */
const LONGEST_LIST = 50;

/** How many runs ended, in their order: a reading of its own for each would be three events each. */
export async function readManyEnds(orders: ReadEndOrder[]): Promise<JobEnd[]> {
  const [first, ...others] = orders;
  if (first && others.length === 0) return [await readEnd(first)];
  return (await Promise.all(inLists(orders).map((list) => readEnds(list)))).flat();
}

/** For activities that do for many runs what would be several events for each. */
export function inLists<Item>(all: Item[]): Item[][] {
  const lists: Item[][] = [];
  for (let from = 0; from < all.length; from += LONGEST_LIST)
    lists.push(all.slice(from, from + LONGEST_LIST));
  return lists;
}
