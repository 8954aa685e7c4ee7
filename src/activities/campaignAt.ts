import { getClient } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { valueAt } from '../api/pointer';
import { campaignWorkflowId, LONGEST_KEY } from '../ids';
import { isOpen } from '../openRun';

/** The key of the campaign that keeps its state there, running or not. */
export function campaignAt(data: unknown, at: string): string | undefined {
  const key = valueAt(data, `${at}/configuration/key`);
  return typeof key === 'string' && key.length <= LONGEST_KEY ? key : undefined;
}

/** By the word of the server: a campaign that was terminated leaves in the project what it was at. */
export async function isRunning(campaign: string): Promise<boolean> {
  try {
    const { status } = await getClient().workflow.getHandle(campaignWorkflowId(campaign)).describe();
    return isOpen({ status });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
