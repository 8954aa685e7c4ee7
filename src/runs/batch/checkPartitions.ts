/** Partitions as somebody gives them, held against the facts of their manifest. They may come in any order. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type BatchInput, type BatchItem, type BatchManifest, LARGEST_PARTITION_BYTES } from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { inParallel } from '../../platform/parallel';
import { partitionsOnceThere } from './retention';

/** Some of the items of a manifest, which one run does. */
export interface BatchPartition {
  /** Which one it is, from 1. */
  n: number;
  /** Its first item's place among all, from 0. */
  firstItem: number;
  items: BatchItem[];
}

export function validatePartition(
  { partitions }: BatchManifest,
  { n, firstItem, items }: BatchPartition,
): string[] {
  const expected = partitions[n - 1]?.items;
  if (expected === undefined) return [`the manifest's facts have partitions 1 to ${partitions.length}`];
  const before = partitions.slice(0, n - 1).reduce((total, facts) => total + facts.items, 0);
  const bytes = Buffer.byteLength(JSON.stringify(items));
  return [
    ...(expected === items.length
      ? []
      : [`it has ${items.length} items, and the manifest's facts say ${expected}`]),
    ...(before === firstItem
      ? []
      : [`its firstItem is ${firstItem}, and the manifest's facts say ${before}: the items before it`]),
    ...(bytes <= LARGEST_PARTITION_BYTES
      ? []
      : [`its items take ${bytes} bytes, and one run takes ${LARGEST_PARTITION_BYTES} at most`]),
  ];
}

const LOOKED_FOR_AT_ONCE = 20;

/** Those that were not given now, and not before either: whoever goes on may give only the rest. */
export async function missingPartitions(
  temporal: Client,
  { key, manifest }: Pick<BatchInput, 'key' | 'manifest'>,
  given: ReadonlySet<number> = new Set(),
): Promise<number[]> {
  const others = manifest.partitions.map((_facts, index) => index + 1).filter((n) => !given.has(n));
  const areThere = await inParallel(LOOKED_FOR_AT_ONCE, others, (n) => isThere(temporal, key, n));
  const unseen = others.filter((_n, index) => !areThere[index]);
  if (unseen.length === 0) return [];
  // Temporal may have forgotten a partition that was over long ago.
  const onceThere = await partitionsOnceThere(temporal, key);
  return unseen.filter((n) => !onceThere.has(n));
}

async function isThere(temporal: Client, batch: string, n: number): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(batchPartWorkflowId(batch, n)).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** As many as a person reads. */
const MOST_NAMED = 10;

export function missingWords(missing: number[], { partitions }: BatchManifest): string[] {
  if (missing.length === 0) return [];
  const named = missing.slice(0, MOST_NAMED).join(', ');
  const more = missing.length - MOST_NAMED;
  return [
    `of ${partitions.length} partitions ${missing.length} did not come: ${named}${more > 0 ? ` and ${more} more` : ''}`,
  ];
}
