/** The batch that a person means by its key or its workflow id. */
import { type Batch } from '../../client/batches/batch';
import { loadStarterConfig } from '../../config';
import { requireGood } from '../../errors';
import { batchKeyOf } from '../../contract/ids';
import { withTemporal } from '../lib/connect';
import { type ExitCode } from '../lib/exit';
import { env } from '../lib/io';

/** Nobody is asked before all that was typed is known to be good; `ofFlags` is what is wrong besides the key. */
export async function withBatch(
  text: string,
  work: (batch: Batch) => Promise<ExitCode>,
  ofFlags: string[] = [],
): Promise<ExitCode> {
  const key = requireBatchKey(text, ofFlags);
  const config = loadStarterConfig(env());
  return withTemporal(async ({ segue }) => work(await segue(config).batch.get(key)));
}

export function requireBatchKey(text: string, ofFlags: string[] = []): string {
  requireGood([...problemsOfBatchId(text), ...ofFlags], 'Nothing was asked');
  return batchKeyOf(text) ?? text;
}

export function problemsOfBatchId(text: string): string[] {
  return batchKeyOf(text) === undefined ? [`KEY: "${text}" is neither a key nor the id of a batch`] : [];
}
