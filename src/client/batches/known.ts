/** What a batch itself knows of its partitions, also of those that Temporal keeps no longer. */
import {
  type Client,
  isGrpcDeadlineError,
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { batchPartitionsQuery, type KnownPartition } from '../../contract';
import { batchWorkflowId } from '../../ids';
import { QUERY_PATIENCE_MS } from '../run';

/** In their order; undefined where no worker answers. */
export async function knownPartitions(
  temporal: Client,
  batch: string,
): Promise<KnownPartition[] | undefined> {
  const handle = temporal.workflow.getHandle(batchWorkflowId(batch));
  try {
    const deadline = Date.now() + QUERY_PATIENCE_MS;
    return await temporal.withDeadline(deadline, () => handle.query(batchPartitionsQuery));
  } catch (error) {
    if (!isNoAnswer(error)) throw error;
    return undefined;
  }
}

/** Too many ask at once; no worker polls. */
const [GRPC_RESOURCE_EXHAUSTED, GRPC_FAILED_PRECONDITION] = [8, 9];

/** No worker, a slow one, or one that never came so far. Other trouble is the server's, and says so itself. */
function isNoAnswer(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError || error instanceof QueryNotRegisteredError) return true;
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isGrpcDeadlineError(cause)) return true;
  const codes: number[] = [GRPC_RESOURCE_EXHAUSTED, GRPC_FAILED_PRECONDITION];
  return isGrpcServiceError(cause) && codes.includes(cause.code);
}
