/** `segue batch results`: what became of each line, in the manifest's order, one JSON object a line. */
import { once } from 'node:events';
import { type Batch } from '../../client/batches/batch';
import { type BatchItemResult, type BatchItemStatus } from '../../contract';
import { EXIT, type ExitCode, UsageError } from '../exit';
import { say } from '../print';

const STATUSES: readonly BatchItemStatus[] = [
  'waiting',
  'running',
  'succeeded',
  'failed',
  'held',
  'cancelled',
];

/** Read before anything is asked: a slip must not look like "none of these". */
export function statusFrom(text: string | undefined): BatchItemStatus | undefined {
  const known = STATUSES.find((status) => status === text);
  if (text !== undefined && !known)
    throw new UsageError(`--status: "${text}" is none of ${STATUSES.join(', ')}`);
  return known;
}

export async function printResults(batch: Batch, status: BatchItemStatus | undefined): Promise<ExitCode> {
  let [shown, all] = [0, 0];
  for await (const result of batch.results()) {
    all += 1;
    if (status !== undefined && result.status !== status) continue;
    shown += 1;
    await write(result);
  }
  say(status === undefined ? `${all} items` : `${shown} of ${all} items are ${status}`);
  return EXIT.done;
}

/** Whoever reads slowly is waited for: a million results do not fit in memory. */
async function write(result: BatchItemResult): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(result)}\n`)) await once(process.stdout, 'drain');
}
