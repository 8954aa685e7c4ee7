import { Context, log } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type BatchStage, type ChunkOutcome, HEARTBEAT_TIMEOUT_MS } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { searchAttributes } from '../../contract/searchAttributes';
import { insist } from './retryTemporalCall';
import { clientOf } from './isStillActive';

const UNWANTED: readonly string[] = ['paused', 'cancelling', 'cancelled'] satisfies BatchStage[];

type NotSent = Extract<ChunkOutcome, { outcome: 'notSent' }>;

/**
 * Why nothing of a batch is to be submitted now, if so. A chunk may have waited for minutes, and whoever paused the
 * batch meanwhile was told that nothing more is submitted. Its stage is read, and the activity that waits is not
 * cancelled: that one was cancelled before it began does not prove that no attempt was made before.
 */
export async function unwantedBy(batch: string): Promise<NotSent | undefined> {
  const client = clientOf(Context.current());
  if (!client) return undefined;
  try {
    const stage = await stageOf(client, batch);
    if (stage === undefined) return undefined;
    return { outcome: 'notSent', reason: `the batch is ${stage}`, isUnwanted: true };
  } catch (error) {
    log.warn('nothing is sent: it is not known whether the batch still wants it', { error });
    return { outcome: 'notSent', reason: 'Temporal does not tell whether the batch still wants it' };
  }
}

/** Where nothing more of it is wanted. */
async function stageOf(client: Client, batch: string): Promise<string | undefined> {
  const run = client.workflow.getHandle(batchWorkflowId(batch));
  try {
    const { status, typedSearchAttributes } = await insist(client, HEARTBEAT_TIMEOUT_MS / 2, () =>
      run.describe(),
    );
    if (status.name !== 'RUNNING') return status.name.toLowerCase();
    const stage = typedSearchAttributes.get(searchAttributes.stage);
    return stage !== undefined && UNWANTED.includes(stage) ? stage : undefined;
  } catch (error) {
    // Its partition finds out by itself that there is no batch any more.
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
