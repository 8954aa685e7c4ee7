/** How a campaign completes, fails or is cancelled: first the project is written, then people are notified. */
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import { type CampaignResult, FAILURE, type NoticeOutcome } from '../../contract';
import { truncate } from '../../api/json';
import { cancelJobs } from './jobs';
import { notifyEnd } from './notify';
import { handOverToWriter, saveJob, untilSaved } from './project';
import { type Campaign, isOpen, isOver, setStatus } from './state';
import { setStage } from './status';
import { readEnds } from './supervise';

/** For the jobs of a cancelled campaign to end; they write their tasks to the project without it, too. */
const CANCEL_WAIT_MS = 120_000;
/** For the last save of a cancelled campaign, before it is left to the project's writer. */
const SAVE_WAIT_MS = 10_000;
/** Hundreds of jobs end one after the other; their ends are read together to keep the history short. */
const GATHERING_MS = 1_000;

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
  const [facts] = (failure.details ?? []) as [{ problems?: string[]; notified?: NoticeOutcome | null }?];
  setStage(run, 'failed');
  await CancellationScope.nonCancellable(async () => {
    await untilSaved(run);
    const notified = await notifyEnd(run, 'failed', facts?.problems ?? [failure.message]);
    if (facts) facts.notified = notified;
  });
  throw failure;
}

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
  // A job that is held after its cancellation waits for a person, and is not waited for.
  const heldBefore = new Set(open.filter(({ status }) => status === 'held'));
  await cancelJobs(open);
  // A job terminated earlier sent no signal, and its cancellation does not fail.
  for (const { name } of open) if (!run.children.has(name)) run.due.add(name);
  const until = Date.now() + CANCEL_WAIT_MS;
  const mayEnd = (): boolean =>
    open.some((job) => isOpen(job) && (job.status !== 'held' || heldBefore.has(job)));
  while (mayEnd() && Date.now() < until) {
    await condition(() => run.due.size > 0 || !mayEnd(), until - Date.now());
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
