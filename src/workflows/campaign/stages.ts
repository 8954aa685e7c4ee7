/** The stages of a campaign before its approval: prepare, research, produce. */
import { ActivityFailure, condition, isCancellation, proxyActivities } from '@temporalio/workflow';
import {
  type CampaignJob,
  HEARTBEAT_TIMEOUT_MS,
  LONGEST_CALL_MS,
  type SegueActivities,
} from '../../contract';
import { campaignFailed } from './end';
import { startJobs, unlessCancelled } from './jobs';
import { save, saveAll, untilSaved } from './project';
import { type Campaign, isOver } from './state';
import { endJob, setStage } from './status';
import { readEnds, untilChange } from './supervise';

/** They may read many pages, and are retried for as long as the service is in trouble. */
const reads = proxyActivities<SegueActivities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
});

const { readPlace } = proxyActivities<SegueActivities>({ startToCloseTimeout: LONGEST_CALL_MS });

/** All problems together end the campaign before anything is paid for. */
export async function prepare(run: Campaign): Promise<void> {
  const { input, progress } = run;
  const { voices = [], boards = [] } = input.require ?? {};
  const media = input.media ?? {};
  const [taken, found] = await Promise.all([
    claimPath(run),
    reads.prepareCampaign({ scope: input.scope, media, voices, boards }),
  ]);
  progress.clock = found.clock;
  for (const text of found.remarks) run.remark(text);
  const saved = await untilSaved(run);
  const problems = [
    ...taken,
    // Another campaign may have claimed the path at the same moment and written later: then that campaign has it.
    ...(saved.ok && run.ownsPath ? await findOwner(run) : []),
    ...found.problems,
    ...(saved.ok ? [] : [`the project did not take the campaign's configuration: ${saved.error}`]),
  ];
  if (problems.length > 0) throw campaignFailed(run, 'it cannot begin', problems);
  await untilResumed(run);
  setStage(run, input.research ? 'researching' : 'producing');
}

/** Two campaigns at one path would overwrite each other: the first one keeps it until its end. */
async function claimPath(run: Campaign): Promise<string[]> {
  const problems = await findOwner(run);
  if (problems.length === 0) saveAll(run);
  return problems;
}

async function findOwner(run: Campaign): Promise<string[]> {
  const { key, scope, project } = run.input;
  const other = await readPlace({ key, scope, project, at: run.at }).catch((error: unknown) => {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    // The write that follows reports the problem.
    return null;
  });
  if (other === null) return [];
  run.ownsPath = false;
  return [
    `at: campaign ${other} still runs and keeps its state at ${run.at} of this project; give this one another \`at\`, or wait for its end`,
  ];
}

export async function research(run: Campaign): Promise<void> {
  const { input, progress } = run;
  progress.research = await reads.research({ ...input.research, scope: input.scope });
  for (const text of progress.research.remarks) run.remark(text);
  save(run, 'research');
  await untilResumed(run);
  setStage(run, 'producing');
}

async function untilResumed(run: Campaign): Promise<void> {
  while (run.progress.paused !== null) {
    await condition(() => run.progress.paused === null || run.mayContinue());
    await run.continueWhenLong();
  }
}

/** Returns when every job is over; throws where a required one failed. */
export async function produce(run: Campaign): Promise<void> {
  setStage(run, 'producing');
  const { jobs } = run.progress;
  for (;;) {
    await readEnds(run);
    await unlessCancelled();
    // After the reads: the next run does not know which silent jobs were to be checked now.
    await run.continueWhenLong();
    skipBlocked(run);
    await startJobs(run, run.readyJobs());
    if (jobs.every(isOver)) break;
    await untilChange(run, () => hasWork(run));
  }
  const failures = jobs.filter(isFatal);
  if (failures.length > 0) {
    const problems = failures.map(
      ({ name, status, error }) => `${name} ${status}: ${error ?? 'no reason was given'}`,
    );
    throw campaignFailed(run, `${failures.length} of its ${jobs.length} jobs did not succeed`, problems);
  }
}

/** The failure of a repeat is for the person who asked for it to judge: there is an earlier result. */
function isFatal({ status, optional, repeats }: CampaignJob): boolean {
  return status !== 'succeeded' && !optional && repeats === 0;
}

function hasWork(run: Campaign): boolean {
  const { jobs } = run.progress;
  return jobs.every(isOver) || run.readyJobs().length > 0 || jobs.some((job) => run.blockedBy(job));
}

function skipBlocked(run: Campaign): void {
  let hasSkipped: boolean;
  // Again after each round: what depends on a skipped job is skipped, too.
  do {
    hasSkipped = false;
    for (const job of run.progress.jobs) {
      const blocker = run.blockedBy(job);
      if (!blocker) continue;
      endJob(run, job, 'skipped', `it builds on ${blocker.name}, which is ${blocker.status}`);
      hasSkipped = true;
    }
  } while (hasSkipped);
}
