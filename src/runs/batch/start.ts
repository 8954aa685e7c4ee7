/** How a batch is started once by its key, and its partitions are handed over. */
import {
  type Client,
  ServiceError,
  type WorkflowExecutionInfo,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import {
  BATCH_PART_WORKFLOW,
  BATCH_WORKFLOW,
  type BatchInput,
  type BatchManifest,
  MEDIA_WORKFLOW,
  type NotifyTarget,
  type PartitionInput,
  type Scope,
  START_MEMO,
} from '../../contract';
import {
  batchItemPrefix,
  batchPartPrefix,
  batchPartWorkflowId,
  batchWorkflowId,
  mediaWorkflowId,
} from '../../contract/ids';
import { attributesOfJob, quoted } from '../../contract/searchAttributes';
import { assertValid } from '../../errors';
import { digest } from '../../platform/digest';
import { inParallelFrom } from '../../platform/parallel';
import {
  validateBatchInput,
  validateGivenBatch,
  validateManifest,
  validatePartitionInput,
} from '../../validation/batch';
import { withoutGaps } from '../media';
import { describeOwnRun, findOwnRun, findRuns, isOpen } from '../ownRun';
import { inputOf, type RunFacts, startOrFind, type StartSettings } from '../start';
import { type BatchPartition, missingPartitions, missingWords, validatePartition } from './checkPartitions';
import { partitionsOnceThere } from './retention';

export interface BatchSpec {
  key: string;
  /** What the first reading of the manifest found. */
  manifest: BatchManifest;
  /**
   * The items, partition by partition, as the manifest's facts name them; in any order. Read once, a few at a time.
   * Whoever goes on may leave out those that are there.
   */
  partitions: AsyncIterable<BatchPartition>;
  /** Where the manifest was read, without what is signed or secret in that. */
  source?: string;
  /** How many items are at the service at once. */
  concurrency?: number;
  /** Of the batch itself; items have their own. */
  scope?: Scope;
  /** Who is told of the end, once. */
  notify?: NotifyTarget;
}

/** Partitions that are handed over at a time: each is up to half a megabyte. */
const HANDED_OVER_AT_ONCE = 4;
/** Below single jobs and campaigns, for which people wait. */
const BATCH_PRIORITY = 4;
/** Batches that name none have one turn together: each with its own, many of them would outweigh a workspace. */
const NO_WORKSPACE = 'no-workspace';

/** Starts it, or finds the batch that its key has, and hands over every partition that is not there yet. */
export async function startBatch(
  temporal: Client,
  { partitions, ...spec }: BatchSpec,
  { taskQueue, poll, submit, token }: StartSettings & { token?: string },
): Promise<RunFacts> {
  const input = { ...spec, scope: withoutGaps(spec.scope), poll, submit };
  const problems = [...validateGivenBatch(input), ...validateManifest(input.manifest)];
  assertValid(problems, 'The batch was not started');
  return startBatchInput(temporal, input, { taskQueue, token }, partitions);
}

/** The same, of an input that is complete. */
export async function startBatchInput(
  temporal: Client,
  input: BatchInput,
  { taskQueue, token }: { taskQueue: string; token?: string },
  partitions: AsyncIterable<BatchPartition>,
): Promise<RunFacts> {
  assertValid(validateBatchInput(input), 'The batch was not started');
  const { key, scope } = input;
  const workflowId = batchWorkflowId(key);
  await requireUnusedKey(temporal, key);
  const facts = await startOrFind(temporal, {
    workflow: BATCH_WORKFLOW,
    ...{ workflowId, taskQueue, key, input, askOf, token },
    attributes: attributesOfJob({ tool: 'batch', scope }, 'running'),
    summary: `batch ${key}, ${input.manifest.items} items`,
    priority: priorityOf(input),
    adviceOnReuse:
      'its manifest, or its scope or notify, differs from what the key was first used with; choose another key',
  });
  const { status } = await temporal.workflow.getHandle(workflowId).describe();
  if (isOpen({ status })) await handOver(temporal, input, taskQueue, partitions);
  return facts;
}

async function handOver(
  temporal: Client,
  input: BatchInput,
  taskQueue: string,
  partitions: AsyncIterable<BatchPartition>,
): Promise<void> {
  const { key, manifest, poll, submit } = input;
  const onceThere = await partitionsOnceThere(temporal, key);
  const given = new Set<number>();
  await inParallelFrom(HANDED_OVER_AT_ONCE, partitions, async (one) => {
    const { n, firstItem, items } = one;
    const partition = { batch: key, n, first: firstItem + 1, items, poll, submit };
    const problems = [...validatePartition(manifest, one), ...validatePartitionInput(partition)];
    assertValid(
      problems.map((problem) => `partition ${n}: ${problem}`),
      'The batch was not handed over, and waits for what is missing',
    );
    // Started again, a forgotten partition would report all its items as waiting, and submit them.
    if (!onceThere.has(n)) await startPartition(temporal, partition, taskQueue, input);
    given.add(n);
  });
  const missing = await missingPartitions(temporal, input, given);
  assertValid(
    missingWords(missing, manifest),
    `The batch ${key} is there and waits for the rest: the same start again goes on`,
  );
}

/** One that is there, running or closed, is left alone. */
async function startPartition(
  temporal: Client,
  partition: PartitionInput,
  taskQueue: string,
  input: BatchInput,
): Promise<void> {
  const { batch, n } = partition;
  const options = {
    workflowId: batchPartWorkflowId(batch, n),
    taskQueue,
    args: [partition],
    memo: { [START_MEMO]: batch },
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    staticSummary: `partition ${n} of batch ${batch}`,
    priority: priorityOf(input),
  };
  await temporal.workflow.start(BATCH_PART_WORKFLOW, options).catch((error: unknown) => {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  });
}

/** What its runs do waits behind other work, and workspaces take turns. */
function priorityOf({ scope }: BatchInput): { priorityKey: number; fairnessKey: string } {
  // The server takes 64 bytes.
  return { priorityKey: BATCH_PRIORITY, fairnessKey: (scope?.organization ?? NO_WORKSPACE).slice(0, 64) };
}

/** How fast it is done does not make it another batch. */
function askOf({ key, manifest, scope, notify }: BatchInput): string {
  return digest({ key, manifest: manifest.digest, scope: withoutGaps(scope), notify });
}

/** What a batch was asked for. Every run of it has that; the first may be forgotten while the last goes on. */
export async function batchInput(temporal: Client, batch: string): Promise<BatchInput> {
  const { workflowId, runId } = await describeOwnRun(temporal, batchWorkflowId(batch));
  return (await inputOf(temporal, { workflowId, runId })) as BatchInput;
}

/**
 * Refuses a key whose batch run is past retention while a partition or item of it is kept: the new batch would reuse
 * their workflow ids.
 */
async function requireUnusedKey(temporal: Client, key: string): Promise<void> {
  if (await findOwnRun(temporal, batchWorkflowId(key))) return;
  const items = mediaWorkflowId(batchItemPrefix(key));
  const query = [items, batchPartPrefix(key)]
    .map((prefix) => `WorkflowId STARTS_WITH ${quoted(prefix)}`)
    .join(' OR ');
  for await (const { workflowId } of findRunsOfBatch(temporal, query)) {
    if (!isItem(workflowId, items) && !workflowId.startsWith(batchPartPrefix(key))) continue;
    // Another client may have started this batch since the first check.
    if (await findOwnRun(temporal, batchWorkflowId(key))) return;
    const problem = `Temporal still keeps ${workflowId} of an earlier batch with the key ${key}; choose another key`;
    assertValid([problem], 'The batch was not started');
  }
}

/** Not jobs whose key extends an item's (`K~i7+2`, `K~i7-next`), nor ids in another case: some databases ignore it. */
export function isItem(workflowId: string, prefix: string): boolean {
  return workflowId.startsWith(prefix) && /^\d+$/.test(workflowId.slice(prefix.length));
}

const GRPC_UNIMPLEMENTED = 12;

/** None on the time-skipping server, which people test with, and which lists nothing. */
export async function* findRunsOfBatch(
  temporal: Client,
  query: string,
): AsyncGenerator<WorkflowExecutionInfo> {
  try {
    yield* findRuns(temporal, query, [MEDIA_WORKFLOW, BATCH_PART_WORKFLOW]);
  } catch (error) {
    const cause = error instanceof ServiceError ? error.cause : error;
    if ((cause as { code?: unknown }).code !== GRPC_UNIMPLEMENTED) throw error;
  }
}
