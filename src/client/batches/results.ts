/** What became of the items of a batch, partition by partition; and of which of them there are no results. */
import { type Client } from '@temporalio/client';
import {
  type BatchItemResult,
  type BatchManifest,
  type ItemCounts,
  type KnownPartition,
} from '../../contract';
import { partitionResults } from './handedOver';
import { followResults } from './left';
import { queryPartitions } from '../../runs/batch/retention';

/** A partition that has no results. */
export interface MissingResults {
  /** Which one it is, from 1, and the number of its first item. */
  n: number;
  first: number;
  items: number;
  /** `unknown` where the batch, which knows, is open and no worker answers for it. */
  why: 'notHandedOver' | 'notKept' | 'unknown';
  /** As the batch counted them, of those that are not kept any more. */
  counts: ItemCounts | null;
}

export interface ResultsOptions {
  /** Told of each partition that is left out, in its place. */
  onMissing?: (missing: MissingResults) => void;
}

export async function* resultsOfBatch(
  temporal: Client,
  key: string,
  { partitions }: BatchManifest,
  { onMissing }: ResultsOptions,
): AsyncGenerator<BatchItemResult> {
  // Asked once, and only where something is missing.
  let asking: ReturnType<typeof queryPartitions> | undefined;
  let first = 1;
  for (const [index, { items }] of partitions.entries()) {
    const n = index + 1;
    let results = await partitionResults(temporal, key, n);
    if (!results && onMissing) {
      const known = await (asking ??= queryPartitions(temporal, key));
      const standing = known?.[index];
      // It may have come since it was looked for.
      if (standing?.isThere) results = await partitionResults(temporal, key, n);
      if (!results) onMissing({ n, first, items, ...whyMissing(standing) });
    }
    yield* await followResults(temporal, results ?? []);
    first += items;
  }
}

function whyMissing(standing: KnownPartition | undefined): Pick<MissingResults, 'why' | 'counts'> {
  if (!standing) return { why: 'unknown', counts: null };
  return standing.isThere
    ? { why: 'notKept', counts: standing.counts }
    : { why: 'notHandedOver', counts: null };
}
