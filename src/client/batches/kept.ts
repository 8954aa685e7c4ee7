/** Until when Temporal keeps the results of a batch: each partition's for a while after its own end. */
import { type Client } from '@temporalio/client';
import { optionalTsToMs } from '../../platform/sdkInternals';
import { BATCH_PART_WORKFLOW } from '../../contract';
import { batchPartPrefix } from '../../contract/ids';
import { findRuns } from '../listing';
import { quoted } from '../../contract/searchAttributes';

export interface KeptResults {
  /** How long the namespace keeps a run after its end, in milliseconds. */
  retentionMs: number;
  /** Until when all results are there that are there now. ISO 8601; null while none of its partitions is over. */
  until: string | null;
}

/** `closedAt` is the end of the batch itself, if it is over. */
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

/** The server takes no shorter one. */
export const SHORTEST_RETENTION_MS = 3_600_000;
/** Not allowed, or not known to a server that keeps nothing for long. */
const GRPC_NOT_TOLD = [7, 12];

/** How long runs are kept at least: whoever may start batches need not be allowed to read it. */
export async function retentionOf(temporal: Client): Promise<number> {
  try {
    return (await readRetention(temporal)) || SHORTEST_RETENTION_MS;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'number' || !GRPC_NOT_TOLD.includes(code)) throw error;
    return SHORTEST_RETENTION_MS;
  }
}

function closedPartitionsOf(key: string): string {
  const partitions = `WorkflowId STARTS_WITH ${quoted(batchPartPrefix(key))}`;
  return `${partitions} AND CloseTime IS NOT NULL AND ExecutionStatus != 'ContinuedAsNew'`;
}
