/** Which jobs of a campaign can begin, and which never will. */
import { referencesIn } from '../../campaignRules';
import { type CampaignJob } from '../../contract';
import { type Campaign, isOpen, isOver, jobNamed, mediaSpec } from './run';

/** The jobs that one builds on. */
function foundationsOf(run: Campaign, { name, kind }: CampaignJob): CampaignJob[] {
  if (kind !== 'media') return [];
  const names = new Set(referencesIn(mediaSpec(run, name).request).map(({ from }) => from));
  return [...names].flatMap((from) => jobNamed(run, from) ?? []);
}

export function readyJobs(run: Campaign): CampaignJob[] {
  const { jobs, paused } = run.progress;
  if (paused) return [];
  const isReady = (job: CampaignJob): boolean =>
    job.status === 'waiting' && foundationsOf(run, job).every(({ status }) => status === 'succeeded');
  return jobs.filter(isReady).slice(0, Math.max(0, run.concurrency - jobs.filter(isOpen).length));
}

/** What it builds on and will never be there. */
export function hopelessBecause(run: Campaign, job: CampaignJob): CampaignJob | undefined {
  if (job.status !== 'waiting') return undefined;
  return foundationsOf(run, job).find((one) => isOver(one) && one.status !== 'succeeded');
}
