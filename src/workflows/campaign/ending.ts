/** How a campaign ends, or goes on as a new run: project and people know it first. */
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import { type CampaignResult, FAILURE, type NoticeOutcome } from '../../contract';
import { cancelJobs } from './children';
import { lookAtOpen, mayHaveEnded } from './looking';
import { readEnds } from './news';
import { tellEnd } from './notices';
import { type Campaign, isOpen, isOver, setStatus } from './run';
import { leaveToWriter, saveJob, untilSaved } from './saving';
import { enterStage } from './stage';

/** How long a cancelled campaign waits for its jobs to end; they record their tasks in the project without it, too. */
const CANCEL_PATIENCE_MS = 120_000;
/** How long it waits for what it saves last to be in the project, before it leaves that to the project's writer. */
const SAVING_PATIENCE_MS = 10_000;
/** Hundreds of jobs end one after the other; their ends are read together, or this history would grow with each. */
const GATHERING_MS = 1_000;

export async function endingWell(
  run: Campaign,
  work: () => Promise<CampaignResult>,
): Promise<CampaignResult> {
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelAll(run));
    else if (error instanceof ApplicationFailure) await fail(run, error);
    else if (error instanceof ActivityFailure) await fail(run, unreadable(run, error));
    throw error;
  } finally {
    // Who asked something of the campaign gets an answer before it is gone.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

export async function finish(run: Campaign, status: CampaignResult['status']): Promise<CampaignResult> {
  const { input, progress } = run;
  enterStage(run, status);
  const { jobs, research, decisions, remarks } = progress;
  const written = await CancellationScope.nonCancellable(() => untilSaved(run));
  const notified = await CancellationScope.nonCancellable(() => tellEnd(run, status, []));
  const finishedAt = progress.since;
  return { key: input.key, status, jobs, research, decisions, remarks, finishedAt, written, notified };
}

/** Jobs tell their errors themselves; a failure that is too large could not be told at all. */
const MOST_PROBLEMS_TOLD = 100;
const LONGEST_MESSAGE = 2_000;

export function campaignFailed(
  { input, progress }: Pick<Campaign, 'input' | 'progress'>,
  why: string,
  all: string[],
): ApplicationFailure {
  const told = all.slice(0, MOST_PROBLEMS_TOLD);
  const problems = all.length > told.length ? [...told, `and ${all.length - told.length} more`] : told;
  const message = `Campaign ${input.key} failed: ${why}: ${problems.join('; ')}`;
  return ApplicationFailure.create({
    type: FAILURE.campaignFailed,
    nonRetryable: true,
    message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message,
    details: [{ key: input.key, problems, jobs: progress.jobs }],
  });
}

async function fail(run: Campaign, failure: ApplicationFailure): Promise<never> {
  const [facts] = (failure.details ?? []) as [{ problems?: string[]; notified?: NoticeOutcome | null }?];
  enterStage(run, 'failed');
  await CancellationScope.nonCancellable(async () => {
    await untilSaved(run);
    const notified = await tellEnd(run, 'failed', facts?.problems ?? [failure.message]);
    if (facts) facts.notified = notified;
  });
  throw failure;
}

function unreadable(run: Campaign, failure: ActivityFailure): ApplicationFailure {
  return campaignFailed(run, 'the service cannot be read', [failure.cause?.message ?? failure.message]);
}

/** What is running is told to stop, and records its task; what could not be stopped stands in the project as open. */
async function cancelAll(run: Campaign): Promise<void> {
  const { jobs } = run.progress;
  run.cancelling = true;
  run.progress.approval = null;
  for (const job of jobs) {
    const isBegun = job.workflowId !== null;
    if (isOver(job) || isBegun) continue;
    setStatus(job, 'cancelled');
    saveJob(run, job);
  }
  const open = jobs.filter(isOpen);
  // Cancelled, it ends; one that is held afterwards waits for a person, and stands in the project as open.
  const heldBefore = new Set(open.filter(({ status }) => status === 'held'));
  await cancelJobs(open);
  // One that was stopped before told nobody; the server takes its cancellation all the same.
  for (const { name } of open) if (!run.attended.has(name)) mayHaveEnded(run, name);
  const until = Date.now() + CANCEL_PATIENCE_MS;
  const mayEnd = (): boolean =>
    open.some((job) => isOpen(job) && (job.status !== 'held' || heldBefore.has(job)));
  while (mayEnd() && Date.now() < until) {
    await condition(() => run.ended.size > 0 || !mayEnd(), until - Date.now());
    await condition(() => open.every((job) => !isOpen(job) || run.ended.has(job.name)), GATHERING_MS);
    await readEnds(run);
  }
  // The last chance of those that told their end, and took their time.
  if (open.some(isOpen)) {
    lookAtOpen(run);
    await readEnds(run);
  }
  enterStage(run, 'cancelled');
  // An answer that is near is waited for: then nothing has to be called back.
  await Promise.race([untilSaved(run), condition(() => false, SAVING_PATIENCE_MS)]);
  await leaveToWriter(run);
}
