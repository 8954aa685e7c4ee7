/** Goes on as a new run before the history grows past what the server takes. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  workflowInfo,
  type WorkflowInfo,
} from '@temporalio/workflow';
import { type CampaignInput } from '../../contract';
import { type Campaign, isOpen } from './run';

/** Of events. The server suggests it at 4,096, and a hundred jobs that end and begin at once are many more. */
const LONGEST_HISTORY = 2_500;

export function isLong({
  continueAsNewSuggested,
  historyLength,
}: Pick<WorkflowInfo, 'continueAsNewSuggested' | 'historyLength'>): boolean {
  return continueAsNewSuggested || historyLength >= LONGEST_HISTORY;
}

/**
 * Whether it is time, and nothing is on its way that only this run knows of: a job tells its end once, just before it,
 * and the next run would look too early and then only after an hour.
 */
export function mayContinue(
  run: Pick<Campaign, 'notices' | 'verdict' | 'ended' | 'progress'>,
  info: Parameters<typeof isLong>[0] = workflowInfo(),
): boolean {
  return isLong(info) && run.notices === 0 && run.verdict === null && !isEndToBeRead(run);
}

function isEndToBeRead({ ended, progress }: Pick<Campaign, 'ended' | 'progress'>): boolean {
  return progress.jobs.some((job) => isOpen(job) && ended.get(job.name) === 'ends');
}

/** Jobs go on, and find the new run. Whatever waits for something is to look at this too. */
export async function continueWhenLong(run: Campaign): Promise<void> {
  if (!mayContinue(run)) return;
  await condition(allHandlersFinished);
  // Decided in the meantime: this run acts on it, since the next one would not know.
  if (!mayContinue(run)) return;
  await continueAsNew<(input: CampaignInput) => Promise<unknown>>({ ...run.input, carried: run.progress });
}
