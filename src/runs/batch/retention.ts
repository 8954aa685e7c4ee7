/** How long Temporal keeps closed runs: the results of a batch, and the partitions of one that is open for long. */
import { type Client, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { optionalTsToMs } from '../../platform/sdkInternals';
import {
  BATCH_PART_WORKFLOW,
  type BatchInput,
  batchPartitionsQuery,
  type KnownPartition,
} from '../../contract';
import { batchPartPrefix, batchWorkflowId } from '../../contract/ids';
import { quoted } from '../../contract/searchAttributes';
import { findRuns } from '../ownRun';
import { noAnswer, QUERY_PATIENCE_MS } from '../pollers';
import { inputOf } from '../start';

export interface KeptResults {
  /** How long the namespace keeps a run after its end, in milliseconds. */
  retentionMs: number;
  /** Until when all results are there that are there now. ISO 8601; null while none of its partitions is over. */
  until: string | null;
}

/** Each partition's results are kept for a while after its own end. `closedAt` is the end of the batch itself. */
export async function keptResults(
  temporal: Client,
  { key, closedAt }: { key: string; closedAt: Date | undefined },
): Promise<KeptResults> {
  const retentionMs = await readRetention(temporal);
  let first = closedAt?.getTime() ?? Infinity;
  for await (const { closeTime } of findRuns(temporal, closedPartitionsOf(key), [BATCH_PART_WORKFLOW]))
    first = Math.min(first, closeTime?.getTime() ?? Infinity);
  return {
    retentionMs,
    until: Number.isFinite(first) ? new Date(first + retentionMs).toISOString() : null,
  };
}

async function readRetention(temporal: Client): Promise<number> {
  const { namespace } = temporal.options;
  const { config } = await temporal.workflowService.describeNamespace({ namespace });
  return optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0;
}

function closedPartitionsOf(key: string): string {
  const partitions = `WorkflowId STARTS_WITH ${quoted(batchPartPrefix(key))}`;
  return `${partitions} AND CloseTime IS NOT NULL AND ExecutionStatus != 'ContinuedAsNew'`;
}

/** The server takes no shorter retention. */
const SHORTEST_RETENTION_MS = 3_600_000;
/** The server's clock may be ahead of this one by so much. */
const CLOCKS_DIFFER_MS = 5 * 60_000;
/** Not allowed to ask for the retention, or the server does not tell it. */
const GRPC_NOT_TOLD = [7, 12];

/**
 * The partitions of an open batch that it was told of, by number: also those that Temporal has forgotten, which must not
 * be started again. A batch under an hour old is not asked, because Temporal forgets nothing that soon. A `NoAnswerError`
 * when the batch is past the retention and no worker answers.
 */
export async function partitionsOnceThere(temporal: Client, batch: string): Promise<ReadonlySet<number>> {
  const [startedAt, retentionMs] = await Promise.all([startOf(temporal, batch), shortestRetention(temporal)]);
  const age = Date.now() + CLOCKS_DIFFER_MS - startedAt;
  if (age < Math.min(retentionMs, SHORTEST_RETENTION_MS)) return new Set();
  const known = await queryPartitions(temporal, batch);
  // Within the retention a partition is forgotten only when somebody deleted it, or raised the retention since.
  if (!known && age < retentionMs) return new Set();
  if (!known) throw await noAnswer(temporal, batchWorkflowId(batch), 'notHandedOver');
  return new Set(known.flatMap(({ isThere }, index) => (isThere ? [index + 1] : [])));
}

async function shortestRetention(temporal: Client): Promise<number> {
  try {
    return (await readRetention(temporal)) || SHORTEST_RETENTION_MS;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'number' || !GRPC_NOT_TOLD.includes(code)) throw error;
    return SHORTEST_RETENTION_MS;
  }
}

/** Of the first of its runs, which may be forgotten itself; long ago where a reset hides it. */
async function startOf(temporal: Client, batch: string): Promise<number> {
  const run = await temporal.workflow.getHandle(batchWorkflowId(batch)).describe();
  if ((run.raw.workflowExecutionInfo?.firstRunId ?? run.runId) === run.runId) return run.startTime.getTime();
  const { carried } = (await inputOf(temporal, run)) as BatchInput;
  return carried ? Date.parse(carried.startedAt) : 0;
}

/** What a batch knows of its partitions, also of those that Temporal keeps no longer; undefined without an answer. */
export async function queryPartitions(
  temporal: Client,
  batch: string,
): Promise<KnownPartition[] | undefined> {
  const handle = temporal.workflow.getHandle(batchWorkflowId(batch));
  try {
    const deadline = Date.now() + QUERY_PATIENCE_MS;
    return await temporal.withDeadline(deadline, () => handle.query(batchPartitionsQuery));
  } catch (error) {
    if (isDenied(error)) throw error;
    return undefined;
  }
}

/** Not allowed, or not known to be. */
const GRPC_DENIED: number[] = [7, 16];

/** Whoever may not ask is told so, and not to start a worker. */
function isDenied(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && GRPC_DENIED.includes(cause.code);
}
