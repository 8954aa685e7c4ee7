/** Partitions that Temporal keeps no longer, though their batch goes on: only the batch knows that they were there. */
import { type Client } from '@temporalio/client';
import { type BatchInput } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { inputOf } from '../keyed';
import { noAnswer } from '../pollers';
import { retentionOf, SHORTEST_RETENTION_MS } from './kept';
import { knownPartitions } from './known';

/** By so much the server's clock may be ahead of this one. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * The numbers of those that were handed over and may be forgotten. Nobody is asked while the batch is too young for
 * that; a `NoAnswerError` where it is old enough, and no worker answers: one that is started anew would say of all its
 * items that nothing was done.
 */
export async function partitionsOnceThere(temporal: Client, batch: string): Promise<ReadonlySet<number>> {
  const [startedAt, retentionMs] = await Promise.all([startOf(temporal, batch), retentionOf(temporal)]);
  const age = Date.now() + CLOCKS_DIFFER_MS - startedAt;
  if (age < Math.min(retentionMs, SHORTEST_RETENTION_MS)) return new Set();
  const known = await knownPartitions(temporal, batch);
  // Younger than that, one is forgotten only where somebody deleted it, or raised the retention since.
  if (!known && age < retentionMs) return new Set();
  if (!known) throw await noAnswer(temporal, batchWorkflowId(batch), 'notHandedOver');
  return new Set(known.flatMap(({ isThere }, index) => (isThere ? [index + 1] : [])));
}

/** Of the first of its runs, which may be forgotten itself; long ago where a reset hides it. */
async function startOf(temporal: Client, batch: string): Promise<number> {
  const run = await temporal.workflow.getHandle(batchWorkflowId(batch)).describe();
  if ((run.raw.workflowExecutionInfo?.firstRunId ?? run.runId) === run.runId) return run.startTime.getTime();
  const { carried } = (await inputOf(temporal, run)) as BatchInput;
  return carried ? Date.parse(carried.startedAt) : 0;
}
