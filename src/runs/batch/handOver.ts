/** The hand-over of a batch: each partition of its manifest becomes a separate run. */
import { type Client } from '@temporalio/client';
import { type Priority } from '@temporalio/common';
import {
  BATCH_PART_WORKFLOW,
  batchPartitionsQuery,
  type BatchInput,
  type BatchItem,
  type BatchManifest,
  type KnownPartition,
  LARGEST_PARTITION_BYTES,
  type PartitionInput,
  START_MEMO,
} from '../../contract';
import { formatDuration } from '../../contract/durations';
import { batchPartWorkflowId, batchWorkflowId } from '../../contract/ids';
import { assertValid, InvalidInput } from '../../errors';
import { inParallel, inParallelFrom } from '../../platform/parallel';
import { optionalTsToMs } from '../sdkInternals';
import { validatePartitionInput } from '../../validation/inputs';
import { GRPC, grpcCode } from '../grpc';
import { findFirstRun, findOwnRun } from '../find';
import { queryRun } from '../query';
import { startOnce } from '../start';

export interface BatchPartition {
  /** Which one it is, from 1. */
  n: number;
  /** The position of its first item among all items, from 0. */
  firstItem: number;
  items: BatchItem[];
}

/** Partitions that are handed over at a time: each is up to half a megabyte. */
const HANDED_OVER_AT_ONCE = 4;
const FINDS_AT_ONCE = 20;
/** As many missing partitions as a person reads. */
const MOST_NAMED = 10;

export async function handOver(
  temporal: Client,
  { key, manifest, poll, submit }: BatchInput,
  queue: { taskQueue: string; priority: Priority },
  partitions: AsyncIterable<BatchPartition> | Iterable<BatchPartition>,
): Promise<void> {
  const given = await requireWithinRetention(temporal, key);
  await inParallelFrom(HANDED_OVER_AT_ONCE, partitions, async (one) => {
    const { n, firstItem, items } = one;
    if (given.has(n)) return;
    const partition: PartitionInput = { batch: key, n, first: firstItem + 1, items, poll, submit };
    const problems = [...validatePartition(manifest, one), ...validatePartitionInput(partition)];
    assertValid(
      problems.map((problem) => `partition ${n}: ${problem}`),
      'The batch was not handed over, and waits for what is missing',
    );
    // A partition that has a run, open or closed, is left alone.
    const workflowId = batchPartWorkflowId(key, n);
    const summary = `partition ${n} of batch ${key}`;
    const start = { workflow: BATCH_PART_WORKFLOW, workflowId, input: partition, summary, ...queue };
    await startOnce(temporal, start, { [START_MEMO]: key });
    given.add(n);
  });
  const missing = await missingPartitions(temporal, { key, manifest }, given);
  if (missing.length === 0) return;
  const named = missing.length > MOST_NAMED ? [...missing.slice(0, MOST_NAMED), '...'] : missing;
  throw new InvalidInput(
    [`of ${manifest.partitions.length} partitions ${missing.length} did not come: ${named.join(', ')}`],
    `The batch ${key} is open and waits for the rest: start it again to continue`,
  );
}

function validatePartition({ partitions }: BatchManifest, { n, firstItem, items }: BatchPartition): string[] {
  const expected = partitions[n - 1]?.items;
  if (expected === undefined) return [`the manifest has partitions 1 to ${partitions.length}`];
  const before = partitions.slice(0, n - 1).reduce((total, facts) => total + facts.items, 0);
  const bytes = Buffer.byteLength(JSON.stringify(items));
  return [
    ...(expected === items.length ? [] : [`it has ${items.length} items, and the manifest says ${expected}`]),
    ...(before === firstItem ? [] : [`its firstItem is ${firstItem}, and the manifest says ${before}`]),
    ...(bytes <= LARGEST_PARTITION_BYTES
      ? []
      : [`its items take ${bytes} bytes, and one run takes ${LARGEST_PARTITION_BYTES} at most`]),
  ];
}

/** Partitions that have no run. A caller that continues a hand-over may give only the rest. */
export async function missingPartitions(
  temporal: Client,
  { key, manifest }: Pick<BatchInput, 'key' | 'manifest'>,
  given: ReadonlySet<number> = new Set(),
): Promise<number[]> {
  const others = manifest.partitions.map((_facts, index) => index + 1).filter((n) => !given.has(n));
  const found = await inParallel(FINDS_AT_ONCE, others, (n) =>
    findOwnRun(temporal, batchPartWorkflowId(key, n)),
  );
  return others.filter((_n, index) => !found[index]);
}

/** The shortest that the server accepts, used if the retention cannot be read. */
const SHORTEST_RETENTION_MS = 3_600_000;
/** The clock of the server may be ahead by so much. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Temporal may have forgotten finished partitions of an older batch; started again, they would submit again. Gives the
 * partitions that the batch knows: the retention may have been raised after Temporal forgot them.
 */
async function requireWithinRetention(temporal: Client, key: string): Promise<Set<number>> {
  const retentionMs = await readRetention(temporal).catch((error: unknown) => {
    const code = grpcCode(error);
    if (code !== GRPC.permissionDenied && code !== GRPC.unimplemented) throw error;
    return SHORTEST_RETENTION_MS;
  });
  const batch = temporal.workflow.getHandle(batchWorkflowId(key));
  const first = await findFirstRun(temporal, await batch.describe());
  const age = first ? Date.now() + CLOCKS_DIFFER_MS - first.startTime.getTime() : Infinity;
  if (age < retentionMs) {
    if (age < SHORTEST_RETENTION_MS) return new Set();
    const known = await queryRun<KnownPartition[]>(temporal, batch, batchPartitionsQuery);
    return new Set(known?.flatMap(({ isThere }, index) => (isThere ? [index + 1] : [])));
  }
  throw new InvalidInput(
    [
      `the batch ${key} is older than ${formatDuration(retentionMs)}, the retention of the namespace, so Temporal may have ` +
        `forgotten partitions that are done. It continues with what it has: segue batch follow ${key}. ` +
        'To run the rest, cancel it and start a batch of the other lines with another key',
    ],
    'Nothing was handed over',
  );
}

async function readRetention(temporal: Client): Promise<number> {
  const { namespace } = temporal.options;
  const { config } = await temporal.workflowService.describeNamespace({ namespace });
  return (optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0) || SHORTEST_RETENTION_MS;
}
