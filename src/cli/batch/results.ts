/** `segue batch results`: what became of each line, in the manifest's order, one JSON object a line. */
import { once } from 'node:events';
import { type Batch } from '../../client/batches/batch';
import { type MissingResults } from '../../client/batches/results';
import { type BatchItemResult, type BatchItemStatus } from '../../contract';
import { loadProxySettings } from '../../config';
import { requireGood } from '../../errors';
import { type FilePlace } from '../../client/files';
import { FileTally } from './files';
import { keptLine, missingLines } from './format';
import { EXIT, type ExitCode } from '../lib/exit';
import { problemsOfSaving } from '../jobs/save';
import { say } from '../lib/print';
import { env, io } from '../lib/io';

export interface ResultsFlags {
  status?: string;
  download?: string;
  at?: string;
}

export interface WantedResults {
  status?: BatchItemStatus;
  /** Where the files go that results point to, if they are wanted. */
  place?: FilePlace;
}

const STATUSES: readonly BatchItemStatus[] = [
  'waiting',
  'running',
  'succeeded',
  'failed',
  'held',
  'cancelled',
];

/** Read before anything is asked: a slip must not look like "none of these". `ofKey` is told with it. */
export function wantedFrom(
  { status: text, download: out, at }: ResultsFlags,
  ofKey: string[] = [],
): WantedResults {
  const status = STATUSES.find((known) => known === text);
  const problems = [...ofKey, ...problemsOfSaving({ out, at }, '--download')];
  if (text !== undefined && !status) problems.push(`--status: "${text}" is none of ${STATUSES.join(', ')}`);
  if (out !== undefined && status !== undefined && status !== 'succeeded')
    problems.push(`--download: only items that succeeded have files, not those that are ${status}`);
  requireGood(problems, 'Nothing was read');
  return {
    status,
    place:
      out === undefined || at === undefined ? undefined : { into: out, at, proxy: loadProxySettings(env()) },
  };
}

export async function printResults(batch: Batch, { status, place }: WantedResults): Promise<ExitCode> {
  const tally = place && new FileTally();
  const missing: MissingResults[] = [];
  const options = { onMissing: (part: MissingResults) => void missing.push(part) };
  let [shown, all] = [0, 0];
  for await (const result of place ? batch.download(place, options) : batch.results(options)) {
    all += 1;
    if (status !== undefined && result.status !== status) continue;
    shown += 1;
    tally?.note(result);
    await write(result);
  }
  say(status === undefined ? `${all} items` : `${shown} of ${all} items are ${status}`);
  missingLines(missing).forEach(say);
  say(await untilWhen(batch));
  return tally?.finish() ?? EXIT.done;
}

/** Whoever may read results need not be allowed to read how long they are kept. */
async function untilWhen(batch: Batch): Promise<string> {
  try {
    return keptLine(await batch.kept());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `How long they are kept cannot be read: ${reason}`;
  }
}

/** Whoever reads slowly is waited for: a million results do not fit in memory. */
async function write(result: BatchItemResult): Promise<void> {
  if (!io().stdout.write(`${JSON.stringify(result)}\n`)) await once(io().stdout, 'drain');
}
