/** Where a manifest differs from that of the batch that has its key already. */
import { type Client } from '@temporalio/client';
import { type BatchInput, type BatchItem, type PartitionFacts } from '../../contract';
import { digest } from '../../platform/digest';
import { ManifestChangedError } from '../../errors';
import { type BatchPartition } from '.';
import { batchInput, partitionItems } from './handedOver';

/** In words, as exactly as can be told. */
export async function whereManifestsDiffer(
  temporal: Client,
  { key, manifest }: BatchInput,
  partitions: AsyncIterable<BatchPartition>,
): Promise<string> {
  const theirs = (await batchInput(temporal, key)).manifest;
  if (theirs.digest === manifest.digest) return 'its manifest is the same, but not whom it is for';
  const most = Math.max(theirs.partitions.length, manifest.partitions.length);
  const index = Array.from({ length: most }).findIndex(
    (_, n) => theirs.partitions[n]?.digest !== manifest.partitions[n]?.digest,
  );
  const [facts, others] = [manifest.partitions[index], theirs.partitions[index]];
  // All before it is the same.
  if (!others) return `its manifest differs first in line ${facts?.firstLine ?? 1}: it ends before that`;
  if (!facts) return `its manifest differs first in line ${others.firstLine}: this one ends before that`;
  const ours = await partitionAt(partitions, index + 1);
  const place = ours && (await firstDifference(temporal, { key, n: index + 1 }, ours.items));
  if (place !== undefined)
    return `its manifest differs first in line ${lineAt(ours?.lines, place) ?? facts.firstLine + place}`;
  const next = manifest.partitions[index + 1]?.firstLine;
  return `its manifest differs ${somewhereIn({ facts, others, ours, next })}`;
}

/** The lines of the partition that holds the first difference, which is all that the digests tell. */
function somewhereIn({ facts, others, ours, next }: Differing): string {
  const { firstLine: first } = facts;
  const own = ours && (ours.lines?.at(-1) ?? first + ours.items.length - 1);
  // Where theirs has more, the first that differs may be the one after our last.
  const after = next ?? (own === undefined ? undefined : own + 1);
  const last = others.items > facts.items ? after : (own ?? (after === undefined ? undefined : after - 1));
  if (last === undefined) return `in line ${first} or a later one`;
  return last === first ? `first in line ${first}` : `somewhere in lines ${first} to ${last}`;
}

interface Differing {
  facts: PartitionFacts;
  others: PartitionFacts;
  /** Undefined where it cannot be read any more. */
  ours: BatchPartition | undefined;
  /** The line where our next partition begins. */
  next: number | undefined;
}

/** Blank lines, and those that are left out, have numbers, too. Where theirs has more, it is the one after our last. */
function lineAt(lines: number[] | undefined, place: number): number | undefined {
  const last = lines?.at(-1);
  return lines?.[place] ?? (last === undefined ? undefined : last + 1);
}

/** Undefined where there is none, or it cannot be read any more: nothing of it is handed over here. */
async function partitionAt(
  partitions: AsyncIterable<BatchPartition>,
  n: number,
): Promise<BatchPartition | undefined> {
  try {
    for await (const partition of partitions) if (partition.n === n) return partition;
  } catch (error) {
    if (!(error instanceof ManifestChangedError)) throw error;
  }
  return undefined;
}

/** Undefined where that partition cannot be read: it was not handed over, or is forgotten. */
async function firstDifference(
  temporal: Client,
  { key, n }: { key: string; n: number },
  ours: BatchItem[],
): Promise<number | undefined> {
  try {
    const theirs = await partitionItems(temporal, key, n);
    const place = ours.findIndex((item, index) => digest(item) !== digest(theirs[index]));
    return place === -1 ? ours.length : place;
  } catch {
    return undefined;
  }
}
