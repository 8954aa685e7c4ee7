import { Context, log } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type BatchStage, type ChunkOutcome, HEARTBEAT_TIMEOUT_MS } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { searchAttributes } from '../../contract/searchAttributes';
import { clientOf } from './isStillActive';
import { retryTemporalCall } from './retryTemporalCall';

const STOPPED: readonly string[] = ['paused', 'cancelling', 'cancelled'] satisfies BatchStage[];

type NotSent = Extract<ChunkOutcome, { outcome: 'notSent' }>;

/**
 * Gives undefined while the batch is running, else why nothing of it is submitted now. A chunk may have waited in its
 * queue for minutes, and the person who paused the batch meanwhile was told that nothing more is submitted. The batch
 * does not cancel the waiting activity instead: an activity cancelled before it began may have had an attempt before.
 */
export async function whyBatchStopped(batch: string): Promise<NotSent | undefined> {
  const client = clientOf(Context.current());
  if (!client) return undefined;
  try {
    const stage = await stoppedStage(client, batch);
    if (stage === undefined) return undefined;
    return { outcome: 'notSent', reason: `the batch is ${stage}`, isUnwanted: true };
  } catch (error) {
    log.warn('nothing is sent: it is not known whether the batch still wants it', { error });
    return { outcome: 'notSent', reason: 'Temporal does not tell whether the batch still wants it' };
  }
}

/** The stage or end of a batch that wants no submits; undefined while it does. */
async function stoppedStage(client: Client, batch: string): Promise<string | undefined> {
  const run = client.workflow.getHandle(batchWorkflowId(batch));
  try {
    const { status, typedSearchAttributes } = await retryTemporalCall(client, HEARTBEAT_TIMEOUT_MS / 2, () =>
      run.describe(),
    );
    if (status.name !== 'RUNNING') return status.name.toLowerCase();
    const stage = typedSearchAttributes.get(searchAttributes.stage);
    return stage !== undefined && STOPPED.includes(stage) ? stage : undefined;
  } catch (error) {
    // The partition finds out by itself that its batch is gone.
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
