import { type JobEnd, type ReadEndOrder } from '../contract';
import { inParallel } from '../platform/parallel';
import { readEnd } from './readEnd';

/** Questions to the server at a time. */
const MOST_AT_ONCE = 10;

/** How each of many runs ended, in their order. Those that end are waited for all at the same time. */
export async function readEnds(orders: ReadEndOrder[]): Promise<JobEnd[]> {
  const isWaitedFor = orders.some(({ isEnding }) => isEnding);
  return inParallel(isWaitedFor ? orders.length : MOST_AT_ONCE, orders, readEnd);
}
