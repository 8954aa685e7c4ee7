/** Makes the media of a campaign: a graph, whose parts run side by side as soon as what they build on is there. */
import { CancellationScope } from '@temporalio/workflow';
import { type CampaignJob } from '../../contract';
import { begin } from './children';
import { continueWhenLong } from './continuing';
import { campaignFailed } from './ending';
import { hopelessBecause, readyJobs } from './graph';
import { readEnds, untilNews } from './news';
import { type Campaign, isOver, setStatus } from './run';
import { saveJob } from './saving';
import { enterStage, noteChange } from './stage';

/** Returns when every job is over; throws where one failed that the campaign cannot do without. */
export async function produce(run: Campaign): Promise<void> {
  enterStage(run, 'producing');
  const { jobs } = run.progress;
  for (;;) {
    await readEnds(run);
    skipHopeless(run);
    await unlessCancelled();
    await begin(run, readyJobs(run));
    if (jobs.every(isOver)) break;
    await untilNews(run, () => hasWork(run));
    await continueWhenLong(run);
  }
  const failures = jobs.filter(isFatal);
  if (failures.length > 0) {
    const problems = failures.map(
      ({ name, status, error }) => `${name} ${status}: ${error ?? 'no reason was given'}`,
    );
    throw campaignFailed(run, `${failures.length} of its ${jobs.length} jobs did not succeed`, problems);
  }
}

/** Ends are read to the last, also by a campaign that was cancelled meanwhile: it pays for nothing more. */
async function unlessCancelled(): Promise<void> {
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
}

/** What a person had made again was good enough to be shown before; its failure is for that person to judge. */
function isFatal({ status, optional, repeats }: CampaignJob): boolean {
  return status !== 'succeeded' && !optional && repeats === 0;
}

function hasWork(run: Campaign): boolean {
  const { jobs } = run.progress;
  return jobs.every(isOver) || readyJobs(run).length > 0 || jobs.some((job) => hopelessBecause(run, job));
}

function skipHopeless(run: Campaign): void {
  // What builds on a skipped one is skipped too.
  for (let again = true; again;) {
    again = false;
    for (const job of run.progress.jobs) {
      const lost = hopelessBecause(run, job);
      if (!lost) continue;
      setStatus(job, 'skipped', `it builds on ${lost.name}, which is ${lost.status}`);
      saveJob(run, job);
      noteChange(run);
      again = true;
    }
  }
}
