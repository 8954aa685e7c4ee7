/** Which jobs of a campaign can begin, and which never will. */
import { MOST_AT_ONCE, referencesIn } from '../../validation/campaign';
import { type CampaignJob } from '../../contract';
import { type Campaign, isOver, jobNamed, mediaSpec } from './run';

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
  const ready = jobs.filter(isReady);
  return [
    ...ready.filter(isWork).slice(0, room(run.concurrency, jobs, isWork)),
    ...ready.filter(isWait).slice(0, room(MOST_AT_ONCE, jobs, isWait)),
  ];
}

function isWait({ kind }: CampaignJob): boolean {
  return kind === 'wait';
}

function isWork(job: CampaignJob): boolean {
  return !isWait(job);
}

/** What waits for a person, or for longer than anybody thought, keeps nothing else from being made. */
function room(most: number, jobs: CampaignJob[], ofKind: (job: CampaignJob) => boolean): number {
  return Math.max(0, most - jobs.filter((job) => job.status === 'running' && ofKind(job)).length);
}

/** What it builds on and will never be there. */
export function hopelessBecause(run: Campaign, job: CampaignJob): CampaignJob | undefined {
  if (job.status !== 'waiting') return undefined;
  return foundationsOf(run, job).find((one) => isOver(one) && one.status !== 'succeeded');
}
