import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TemporalFailure,
} from '@temporalio/workflow';
import { isTaskOver } from '../api/endings';
import { FAILURE, type SegueActivities } from '../contract';
import { pollRequestId } from '../ids';
import { continueWhenLong, type Run } from './progress';
import { type Settings } from './settings';

/** What the service says of a task. */
type TaskNews = Awaited<ReturnType<SegueActivities['getTask']>>;

/** An overdue task is asked about this often at most. */
const OVERDUE_PACE_MS = 5 * 60_000;

// One poll is one question: an error is "no news" and the next timer asks again, so nothing is retried in between.
const once = { maximumAttempts: 1 };

// Half the history of an ordinary activity, and most of a run's life is polls.
const quick = proxyLocalActivities<SegueActivities>({
  startToCloseTimeout: '7s',
  retry: once,
});
// A local activity that hangs blocks the run's updates; while the service hangs, polls are ordinary ones.
const patient = proxyActivities<SegueActivities>({ startToCloseTimeout: '12s', retry: once });

/** Asks after the task until it is `SUCCESS` or `FAILURE`. Poll errors, even hours of them, end nothing. */
export async function pollUntilDone(run: Run, settings: Settings, taskId: string): Promise<TaskNews> {
  const { progress, input } = run;
  const since = (progress.pollingSince ??= new Date().toISOString());
  let hanging = false;
  for (;;) {
    await sleepUntilNextPoll(run, settings);
    progress.polls += 1;
    try {
      const { getTask } = hanging ? patient : quick;
      const requestId = pollRequestId(input.key, progress.polls);
      const news = await getTask({ request: { id: taskId }, scope: input.scope, requestId });
      if (isTaskOver(news.status)) return news;
      hanging = false;
      run.lastError = null;
    } catch (error) {
      if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
      // A local activity fails with the failure itself, an ordinary one wraps it.
      const failure = error instanceof ActivityFailure ? (error.cause ?? error) : error;
      hanging = !wasAnswered(failure);
      run.lastError = failure.message;
    }
    const waited = Date.now() - Date.parse(since);
    if (waited >= settings.giveUp) throw givenUp(run, taskId);
    if (waited >= settings.deadline) run.stage = 'overdue';
    await continueWhenLong(run);
  }
}

async function sleepUntilNextPoll(run: Run, settings: Settings): Promise<void> {
  const usual = settings.pollMin + Math.random() * (settings.pollMax - settings.pollMin);
  const pause = Math.round(run.stage === 'overdue' ? Math.max(usual, OVERDUE_PACE_MS) : usual);
  run.nextPollAt = new Date(Date.now() + pause).toISOString();
  await sleep(pause);
  run.nextPollAt = null;
}

/** Whether the service gave a complete answer, even an error. */
function wasAnswered(failure: Error): boolean {
  if (!(failure instanceof ApplicationFailure)) return false;
  const [facts] = (failure.details ?? []) as [{ status?: number | null }?];
  return typeof facts?.status === 'number';
}

function givenUp(run: Run, taskId: string): ApplicationFailure {
  const { input, lastError } = run;
  run.stage = 'failed';
  return ApplicationFailure.create({
    type: FAILURE.givenUp,
    nonRetryable: true,
    message: `Gave up on task ${taskId} of job ${input.key}: the service never said it was over`,
    details: [{ key: input.key, taskId, lastError }],
  });
}
