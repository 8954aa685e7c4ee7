/** Billable actions, as the server itself counts them: also signs of life, which no history shows. */
import { setTimeout as sleep } from 'node:timers/promises';

const NAMESPACE = 'default';
/** The server tells what it counted once a second. */
const TOLD_AFTER_MS = 1_500;

/** Since it began, by what was sent to it. */
export async function countActions(metricsUrl: string): Promise<number> {
  await sleep(TOLD_AFTER_MS);
  const response = await fetch(metricsUrl);
  if (!response.ok) throw new Error(await response.text());
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('action{'));
  const counted = lines
    .filter((line) => line.includes(`namespace="${NAMESPACE}"`))
    .map((line) => Number(line.split('} ')[1]));
  // Not every server counts them: nothing would be a good figure.
  if (counted.length === 0) throw new Error(`the server tells no actions at ${metricsUrl}`);
  return counted.reduce((sum, count) => sum + count, 0);
}
