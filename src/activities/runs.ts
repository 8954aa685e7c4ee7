/** Other runs, as the Temporal server knows them. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { reportToSignal } from '../contract';

const ENDING_PATIENCE_MS = 20_000;

/** Gives whether it will tell: one that is over does not. */
export async function askToBeTold(client: Client, workflowId: string, listener: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).signal(reportToSignal, { workflowId: listener });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return false;
  }
}

/** A run tells its end just before it; whatever comes of waiting is looked at afterwards. */
export async function untilEnded(client: Client, workflowId: string): Promise<void> {
  const deadline = Date.now() + ENDING_PATIENCE_MS;
  await client
    .withDeadline(deadline, () => client.workflow.getHandle(workflowId).result())
    .catch(() => undefined);
}
