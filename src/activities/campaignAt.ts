import { getClient } from '@temporalio/activity';
import { valueAt } from '../api/json';
import { campaignWorkflowId, LONGEST_KEY } from '../contract/ids';
import { findOwnRun, isOpen } from '../runs/ownRun';

/** The key of the campaign that keeps its state there, running or not. */
export function campaignAt(data: unknown, at: string): string | undefined {
  const key = valueAt(data, `${at}/configuration/key`);
  return typeof key === 'string' && key.length <= LONGEST_KEY ? key : undefined;
}

/** By the word of the server: a campaign that was terminated leaves in the project what it was at. */
export async function isRunning(campaign: string): Promise<boolean> {
  const run = await findOwnRun(getClient(), campaignWorkflowId(campaign));
  return run !== undefined && isOpen(run);
}
