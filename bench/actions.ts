/** Billable actions as the server counts them, including heartbeats, which no history shows. */
import { setTimeout as sleep } from 'node:timers/promises';

const NAMESPACE = 'default';
/** The server publishes its counts once a second. */
const TOLD_AFTER_MS = 1_500;

/** The number since the server started, from its metrics. */
export async function countActions(metricsUrl: string): Promise<number> {
  await sleep(TOLD_AFTER_MS);
  const response = await fetch(metricsUrl);
  if (!response.ok) throw new Error(await response.text());
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('action{'));
  const counted = lines
    .filter((line) => line.includes(`namespace="${NAMESPACE}"`))
    .map((line) => Number(line.split('} ')[1]));
  // Not every server has this metric, and a missing count must not look like a good result.
  if (counted.length === 0) throw new Error(`the server tells no actions at ${metricsUrl}`);
  return counted.reduce((sum, count) => sum + count, 0);
}
