/** What a batch itself knows of its partitions, also of those that Temporal keeps no longer. */
import { type Client } from '@temporalio/client';
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
  } catch {
    return undefined;
  }
}
