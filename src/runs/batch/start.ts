import { type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { type Priority } from '@temporalio/common';
import { BATCH_PART_WORKFLOW, BATCH_WORKFLOW, type BatchInput, MEDIA_WORKFLOW } from '../../contract';
import { batchItemPrefix, batchPartPrefix, batchWorkflowId, mediaWorkflowId } from '../../contract/ids';
import { attributesOfJob, quoted } from '../../contract/searchAttributes';
import { assertValid } from '../../errors';
import { digest } from '../../platform/digest';
import { validateBatchInput, validateGivenBatch } from '../../validation/inputs';
import { normalizeScope } from '../media';
import { GRPC, grpcCode } from '../grpc';
import { findOwnRun, findRuns, isOpen, type RunFacts } from '../find';
import { startOrFind, type StartSettings } from '../start';
import { countItems } from './end';
import { type BatchPartition, handOver } from './handOver';

export interface BatchSpec extends Omit<BatchInput, 'poll' | 'submit' | 'carried'> {
  /**
   * The partitions that `manifest` names, in any order. Read once, a few at a time. A caller that continues a hand-over
   * may leave out those that exist.
   */
  partitions: AsyncIterable<BatchPartition>;
}

/** Lower than single jobs and campaigns, because people wait for those. */
const BATCH_PRIORITY = 4;
/** The fairness key of all batches without a workspace. */
const NO_WORKSPACE = 'no-workspace';

export async function startBatch(
  temporal: Client,
  { partitions, ...spec }: BatchSpec,
  { taskQueue, poll, submit, token }: StartSettings & { token?: string },
): Promise<RunFacts> {
  const input = { ...spec, scope: normalizeScope(spec.scope), poll, submit };
  assertValid(validateGivenBatch(input), 'The batch was not started');
  return startBatchInput(temporal, input, { taskQueue, token }, partitions);
}

/** The same, of an input that is complete. */
export async function startBatchInput(
  temporal: Client,
  input: BatchInput,
  { taskQueue, token }: { taskQueue: string; token?: string },
  partitions: AsyncIterable<BatchPartition> | Iterable<BatchPartition>,
): Promise<RunFacts> {
  assertValid(validateBatchInput(input), 'The batch was not started');
  const { key, scope } = input;
  const workflowId = batchWorkflowId(key);
  const priority = priorityOf(input);
  await requireUnusedKey(temporal, key);
  const facts = await startOrFind(temporal, {
    workflow: BATCH_WORKFLOW,
    ...{ workflowId, taskQueue, key, input, identityOf, token },
    attributes: attributesOfJob({ tool: 'batch', scope }, 'running'),
    summary: `batch ${key}, ${countItems(input.manifest.items)}`,
    priority,
    adviceOnReuse:
      'its manifest, or its scope or notify, differs from what the key was first used with; choose another key. ' +
      `To run only corrected lines, print the failed ones: segue batch results ${key} --status failed --manifest. ` +
      `If it waits for the rest of its manifest, this ends it: segue batch cancel ${key} --by NAME`,
  });
  const run = await temporal.workflow.getHandle(workflowId).describe();
  if (isOpen(run)) await handOver(temporal, input, { taskQueue, priority }, partitions);
  return facts;
}

/** Batches wait behind other work, and workspaces take turns. */
function priorityOf({ scope }: BatchInput): Priority {
  // The server takes 64 bytes.
  return { priorityKey: BATCH_PRIORITY, fairnessKey: (scope?.organization ?? NO_WORKSPACE).slice(0, 64) };
}

/** Concurrency and polling do not make it another batch. */
function identityOf({ key, manifest, scope, notify }: BatchInput): string {
  return digest({ key, manifest: manifest.digest, scope: normalizeScope(scope), notify });
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

/** Finds nothing on the time-skipping server, which cannot list runs. */
export async function* findRunsOfBatch(
  temporal: Client,
  query: string,
): AsyncGenerator<WorkflowExecutionInfo> {
  try {
    yield* findRuns(temporal, query, [MEDIA_WORKFLOW, BATCH_PART_WORKFLOW]);
  } catch (error) {
    if (grpcCode(error) !== GRPC.unimplemented) throw error;
  }
}
