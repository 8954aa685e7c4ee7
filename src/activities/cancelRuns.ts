import { getClient } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { inParallel } from '../platform/parallel';

/** Requests to the server at a time. */
const MOST_AT_ONCE = 10;

/** Tells many runs to stop; one that is over, or gone, needs not be told. Telling one twice changes nothing. */
export async function cancelRuns(workflowIds: string[]): Promise<void> {
  const { workflow } = getClient();
  await inParallel(MOST_AT_ONCE, workflowIds, async (workflowId) => {
    try {
      await workflow.getHandle(workflowId).cancel();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  });
}
