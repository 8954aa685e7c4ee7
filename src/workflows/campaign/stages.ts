/** The stages of a campaign: prepare, research, produce, and how it completes, fails or is cancelled. */
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import { truncate } from '../../api/json';
import {
  type CampaignJob,
  type CampaignResult,
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  LONGEST_CALL_MS,
  type NotificationStatus,
  type SegueActivities,
} from '../../contract';
import { listStage } from '../steps/visibility';
import { cancelJobs, startJobs, unlessCancelled } from './jobs';
import { notifyEnd } from './notify';
import { handOverToWriter, save, saveAll, saveJob, untilSaved } from './project';
import { type Campaign, isOpen, isOver, setStatus } from './state';
import { endJob, setStage } from './status';
import { readEnds, untilChange } from './supervise';

/** They may read many pages, from the beginning each time, and are retried for as long as the service is in trouble. */
const reads = proxyActivities<SegueActivities>({
  startToCloseTimeout: '2h',
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

function untilResumed(run: Campaign): Promise<void> {
  return condition(() => run.progress.paused === null);
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
      endJob(run, job, 'skipped', `it depends on ${blocker.name}, which is ${blocker.status}`);
      hasSkipped = true;
    }
  } while (hasSkipped);
}

export async function withCompletion(
  run: Campaign,
  work: () => Promise<CampaignResult>,
): Promise<CampaignResult> {
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelAll(run));
    else if (error instanceof ApplicationFailure) await fail(run, error);
    else if (error instanceof ActivityFailure)
      await fail(
        run,
        campaignFailed(run, 'the service cannot be read', [error.cause?.message ?? error.message]),
      );
    throw error;
  } finally {
    // Updates are answered before the run ends.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

export async function finish(run: Campaign, status: CampaignResult['status']): Promise<CampaignResult> {
  const { input, progress } = run;
  setStage(run, status);
  const { jobs, research, decisions, remarks } = progress;
  const written = await CancellationScope.nonCancellable(() => untilSaved(run));
  if (status === 'completed' && !written.ok) listStage('unsaved');
  const notified = await CancellationScope.nonCancellable(() => notifyEnd(run, status, []));
  const finishedAt = progress.since;
  return { key: input.key, status, jobs, research, decisions, remarks, finishedAt, written, notified };
}

/** The server takes no larger failure. */
const MOST_PROBLEMS = 100;
const LONGEST_MESSAGE = 2_000;

export function campaignFailed(
  { input, progress }: Pick<Campaign, 'input' | 'progress'>,
  why: string,
  all: string[],
): ApplicationFailure {
  const rest = all.length - MOST_PROBLEMS;
  const problems = [...all.slice(0, MOST_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])];
  const message = `Campaign ${input.key} failed: ${why}: ${problems.join('; ')}`;
  return ApplicationFailure.create({
    type: FAILURE.campaignFailed,
    nonRetryable: true,
    message: truncate(message, LONGEST_MESSAGE),
    details: [{ key: input.key, problems, jobs: progress.jobs }],
  });
}

async function fail(run: Campaign, failure: ApplicationFailure): Promise<never> {
  const [facts] = (failure.details ?? []) as [{ problems?: string[]; notified?: NotificationStatus | null }?];
  setStage(run, 'failed');
  await CancellationScope.nonCancellable(async () => {
    await untilSaved(run);
    const notified = await notifyEnd(run, 'failed', facts?.problems ?? [failure.message]);
    if (facts) facts.notified = notified;
  });
  throw failure;
}

/** For the jobs of a cancelled campaign to end; they write their tasks to the project without it, too. */
const CANCEL_WAIT_MS = 120_000;
/** For the last save of a cancelled campaign, before it is left to the project's writer. */
const SAVE_WAIT_MS = 10_000;
/** Hundreds of jobs end one after the other; their ends are read together to keep the history short. */
const GATHERING_MS = 1_000;

/** Running jobs are cancelled, and write their task; those that do not end stay open in the project. */
async function cancelAll(run: Campaign): Promise<void> {
  const { jobs } = run.progress;
  run.cancelling = true;
  run.progress.approval = null;
  for (const job of jobs) {
    if (isOver(job) || job.workflowId !== null) continue;
    setStatus(job, 'cancelled');
    saveJob(run, job);
  }
  const open = jobs.filter(isOpen);
  await cancelJobs(open);
  // A job terminated earlier sent no signal, and its cancellation does not fail.
  for (const { name } of open) if (!run.children.has(name)) run.due.add(name);
  const until = Date.now() + CANCEL_WAIT_MS;
  while (open.some(isOpen) && Date.now() < until) {
    await condition(() => run.due.size > 0, until - Date.now());
    await condition(() => open.every((job) => !isOpen(job) || run.due.has(job.name)), GATHERING_MS);
    await readEnds(run);
  }
  for (const { name } of open) run.due.add(name);
  await readEnds(run);
  setStage(run, 'cancelled');
  // Usually the save ends soon, and need not be cancelled.
  await Promise.race([untilSaved(run), condition(() => false, SAVE_WAIT_MS)]);
  await handOverToWriter(run);
}
