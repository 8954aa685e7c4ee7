/** The batch that a person means by its key or its workflow id. */
import { SegueClient } from '../../client';
import { type Batch } from '../../client/batches/batch';
import { loadStarterConfig } from '../../config';
import { batchKeyOf } from '../../ids';
import { withTemporal } from '../connect';
import { type ExitCode, UsageError } from '../exit';

export async function withBatch(text: string, work: (batch: Batch) => Promise<ExitCode>): Promise<ExitCode> {
  const key = requireBatchKey(text);
  const config = loadStarterConfig();
  return withTemporal(async ({ temporal }) => work(await new SegueClient(temporal, config).batch.get(key)));
}

export function requireBatchKey(text: string): string {
  const key = batchKeyOf(text);
  if (key === undefined) throw new UsageError(`"${text}" is neither a key nor the id of a batch`);
  return key;
}
