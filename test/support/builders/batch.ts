/** Batches for tests: manifests made in memory, and their outcome at the service. */
import { randomUUID } from 'node:crypto';
import { type SegueClient } from '../../../src/client';
import { type Batch } from '../../../src/client/batches';
import { type StarterConfig } from '../../../src/config';
import {
  BATCH_PART_WORKFLOW,
  type BatchInput,
  type BatchItem,
  type BatchItemResult,
  type BatchManifest,
  type BatchStatus,
  type PartitionInput,
  type PartitionStanding,
} from '../../../src/contract';
import { digest } from '../../../src/platform/digest';
import { batchPartWorkflowId } from '../../../src/contract/ids';
import { eventually } from '../eventually';
import { readLedger } from '../service/sandbox';
import { segueClient, type TestTemporal } from '../servers/temporal';
import { type BatchPartition } from '../../../src/runs/batch/handOver';
import { type BatchSpec } from '../../../src/runs/batch/start';

/** This number of images of the sandbox to cut out, each with its own name. */
export function cutouts(sandboxUrl: string, count: number, more: Partial<BatchItem> = {}): BatchItem[] {
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  return Array.from({ length: count }, (_unused, index) => ({
    key: `line-${index + 1}`,
    tool: 'remove-background',
    request,
    ...more,
  }));
}

/** The items in partitions of this size, as the manifest reader hands them over. */
export function batchOf(items: BatchItem[], size: number, more: Partial<BatchSpec> = {}): BatchSpec {
  const parts = Array.from({ length: Math.ceil(items.length / size) }, (_unused, index) =>
    items.slice(index * size, (index + 1) * size),
  );
  const manifest: BatchManifest = {
    digest: digest(items),
    items: items.length,
    partitions: parts.map((part, index) => ({
      items: part.length,
      firstLine: index * size + 1,
      digest: digest(part),
    })),
  };
  const partitions = parts.map((part, index) => ({ n: index + 1, firstItem: index * size, items: part }));
  return { key: `b-${randomUUID()}`, manifest, partitions: oneByOne(partitions), ...more };
}

/** Can be read again, as a file can. */
export function oneByOne(partitions: BatchPartition[]): AsyncIterable<BatchPartition> {
  return {
    async *[Symbol.asyncIterator]() {
      for (const partition of partitions) yield Promise.resolve(partition);
    },
  };
}

/** Hands over the first partitions only, like a stopped client. */
export async function* firstOf<T>(all: AsyncIterable<T>, count = 1): AsyncGenerator<T> {
  let given = 0;
  for await (const one of all) {
    yield one;
    given += 1;
    if (given === count) return;
  }
}

export function startBatch(temporal: TestTemporal, config: StarterConfig, spec: BatchSpec): Promise<Batch> {
  return segueClient(temporal, config).batch.start(spec);
}

/** Starts a batch and hands over only its first partitions: it waits for the missing ones. */
export async function startPartly(
  { batch: batches }: SegueClient,
  spec: BatchSpec,
  { token }: { token?: string } = {},
): Promise<Batch> {
  await expect(batches.start(spec, { token })).rejects.toThrow(/is open and waits for the rest/);
  return batches.get(spec.key);
}

export async function resultsOf(batch: Batch): Promise<BatchItemResult[]> {
  const results: BatchItemResult[] = [];
  for await (const result of batch.results()) results.push(result);
  return results;
}

export function untilStatus(
  batch: Batch,
  what: string,
  isWanted: (status: BatchStatus) => boolean,
): Promise<BatchStatus> {
  return eventually(what, async () => {
    const status = await batch.status();
    return isWanted(status) && status;
  });
}

/** The largest number of open tasks at the service, if each is over at its `polls`th poll. */
export async function mostAtOnce(sandboxUrl: string, polls: number): Promise<number> {
  const { entries } = await readLedger(sandboxUrl);
  const asked = new Map<string, number>();
  let [now, most] = [0, 0];
  for (const { kind, applied, taskId, operation } of entries) {
    if (taskId === null) continue;
    if (kind === 'submit' && applied) most = Math.max(most, ++now);
    if (operation !== 'get-task') continue;
    asked.set(taskId, (asked.get(taskId) ?? 0) + 1);
    if (asked.get(taskId) === polls) now -= 1;
  }
  return most;
}

/** A partition whose items are over, and whose users (`u-1`, …) must be notified. */
export function tellingPartition(sandboxUrl: string, count: number): PartitionInput {
  const due = new Date().toISOString();
  const items = cutouts(sandboxUrl, count).map((item, index) => ({
    ...item,
    notify: { userId: `u-${index + 1}`, workspaceId: '1' },
  }));
  return {
    ...{ batch: `b-${randomUUID()}`, n: 1, first: 1, items },
    carried: {
      items: items.map((_item, place) => ({
        ...{ status: 'succeeded', taskId: `t-${place}`, attempts: 1 },
        notice: { due },
      })),
      pendingWrites: [],
      slotGrant: { order: 0, slots: 0, paused: false, cancelled: false },
      ...{ polls: 0, late: null, reset: false },
    },
  };
}

const AT_THE_SERVICE: PartitionStanding = {
  counts: { waiting: 0, running: 1, succeeded: 0, unsaved: 0, failed: 0, held: 0, cancelled: 0 },
  ...{ isThere: true, slots: 1, trouble: null, late: null, isOver: false },
};

/** A batch with this number of partitions of one item, none of which reported for an hour. */
export function silentBatch(
  key: string,
  count: number,
  standing: Partial<PartitionStanding> = {},
): BatchInput {
  const silent = { ...AT_THE_SERVICE, ...standing };
  const facts = { items: 1, firstLine: 1, digest: 'one' };
  const now = new Date().toISOString();
  return {
    key,
    manifest: { digest: 'all', items: count, partitions: Array.from({ length: count }, () => facts) },
    carried: {
      ...{ stage: 'running', since: now, startedAt: now, nextCheckAt: now, concurrency: count, paused: null },
      partitions: Array.from({ length: count }, () => silent),
      ...{ orders: 0, notified: [] },
      ...{ incomplete: null, listeners: [], reset: false },
    },
  };
}

/** Open partitions of the batch that report nothing. */
export async function startSilentPartitions(
  { client }: TestTemporal,
  key: string,
  count: number,
): Promise<void> {
  const started = Array.from({ length: count }, (_unused, index) =>
    client.workflow.start(BATCH_PART_WORKFLOW, {
      workflowId: batchPartWorkflowId(key, index + 1),
      taskQueue: `nobody-${key}`,
    }),
  );
  await Promise.all(started);
}
