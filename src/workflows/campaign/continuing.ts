/** Goes on as a new run before the history grows past what the server takes. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  workflowInfo,
  type WorkflowInfo,
} from '@temporalio/workflow';
import { type CampaignInput } from '../../contract';
import { lastLook } from './looking';
import { type Campaign, isOpen } from './run';

/** Of events. The server suggests it at 4,096, and a hundred jobs that end and begin at once are many more. */
const LONGEST_HISTORY = 2_500;

/** A run that is cancelled cannot continue, and learns the end of every open job: there must be room for those. */
export function isLong(
  { continueAsNewSuggested, historyLength }: Pick<WorkflowInfo, 'continueAsNewSuggested' | 'historyLength'>,
  open: number,
): boolean {
  return continueAsNewSuggested || historyLength >= LONGEST_HISTORY - open;
}

/** Whether it is time, and nothing is on its way that only this run knows of. */
export function mayContinue({ notices, verdict, progress }: Campaign): boolean {
  const isDue = isLong(workflowInfo(), progress.jobs.filter(isOpen).length);
  return isDue && notices === 0 && verdict === null;
}

/** Jobs go on, and find the new run. Whatever waits for something is to look at this too. */
export async function continueWhenLong(run: Campaign): Promise<void> {
  if (!mayContinue(run)) return;
  await condition(allHandlersFinished);
  // Decided in the meantime: this run acts on it, since the next one would not know.
  if (!mayContinue(run)) return;
  const carried = { ...run.progress, ending: endingJobs(run), lookedAt: lastLook(run) };
  await continueAsNew<(input: CampaignInput) => Promise<unknown>>({ ...run.input, carried });
}

/** Names of those that told their end, which nobody has read yet: a job tells it once, just before it ends. */
export function endingJobs({ ended, progress }: Pick<Campaign, 'ended' | 'progress'>): string[] {
  const told = [...ended].flatMap(([name, how]) => (how === 'ends' ? [name] : []));
  return [...new Set([...told, ...(progress.ending ?? [])])];
}
