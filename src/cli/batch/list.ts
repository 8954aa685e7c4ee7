import { type BatchEntry, type BatchFilter } from '../../client/batches/listing';
import { loadStarterConfig } from '../../config';
import { BATCH_STAGES } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { requireGood } from '../../errors';
import { countsWords } from './format';
import { withTemporal } from '../lib/connect';
import { problemsOfLimit } from '../lib/flags';
import { showList } from '../lib/list';
import { env } from '../lib/io';

export interface BatchListFlags {
  stage?: string;
  limit: number;
  json?: boolean;
}

export async function showBatches(flags: BatchListFlags): Promise<void> {
  const filter = filterFrom(flags);
  const config = loadStarterConfig(env());
  await withTemporal(async ({ segue }) => {
    const { batch } = segue(config);
    const found = { list: batch.list(filter), count: () => batch.count(filter) };
    await showList(found, flags, { noun: 'batches', columns: COLUMNS, rowOf });
  });
}

/** All problems at once; nothing is asked with a filter that finds nothing by mistake. */
function filterFrom({ stage, limit }: BatchListFlags): BatchFilter {
  const problems = problemsOfLimit({ limit });
  const known = BATCH_STAGES.find((name) => name === stage);
  if (stage !== undefined && !known)
    problems.push(`--stage: "${stage}" is none of ${BATCH_STAGES.join(', ')}`);
  requireGood(problems, 'Nothing was listed');
  return { stage: known };
}

const COLUMNS = ['KEY', 'STATUS', 'STAGE', 'ITEMS', 'STARTED'];

function rowOf({ key, status, stage, counts, startedAt }: BatchEntry): string[] {
  const age = formatDuration(Math.max(0, Date.now() - Date.parse(startedAt)));
  return [key, status, stage ?? '', counts ? countsWords(counts) : '', `${age} ago`];
}
