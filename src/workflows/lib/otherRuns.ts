/** Starting other runs and reading how they ended. */
import { ActivityFailure, ApplicationFailure, proxyActivities, TemporalFailure } from '@temporalio/workflow';
import { type JobEnd, type ReadEndOrder, type SegueActivities } from '../../contract';

/** Reads from the Temporal server alone. */
export const { readEnd, readEnds } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** The ends of fifty runs fit into the result of one activity. */
const LONGEST_LIST = 50;

/** The ends of many runs, in their order. One activity for each run would cost three events for each. */
export async function readManyEnds(orders: ReadEndOrder[]): Promise<JobEnd[]> {
  const [first, ...others] = orders;
  if (first && others.length === 0) return [await readEnd(first)];
  return (await Promise.all(inLists(orders).map((list) => readEnds(list)))).flat();
}

/** Splits what one activity does for many runs. */
export function inLists<Item>(all: Item[]): Item[][] {
  const lists: Item[][] = [];
  for (let from = 0; from < all.length; from += LONGEST_LIST)
    lists.push(all.slice(from, from + LONGEST_LIST));
  return lists;
}

/** Whether a child was not started because its id has a run, open or closed. The SDK does not export this class. */
export function isAlreadyStarted(error: unknown): boolean {
  return error instanceof TemporalFailure && error.name === 'WorkflowExecutionAlreadyStartedError';
}

/** The failure that ends an activity also ends the run, with the same message and type. */
export async function unwrapped<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure)) throw error;
    throw ApplicationFailure.nonRetryable(cause.message, cause.type, ...(cause.details ?? []));
  }
}
