/** What a batch itself knows of its partitions, also of those that Temporal keeps no longer. */
import { type Client, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { batchPartitionsQuery, type KnownPartition } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { QUERY_PATIENCE_MS } from '../pollers';

/** In their order; undefined where no worker answers, or too late. */
export async function knownPartitions(
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
