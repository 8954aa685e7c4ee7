import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TemporalFailure,
} from '@temporalio/workflow';
import { FAILURE, type MediaInput, type MediaState, type SegueActivities } from '../contract';
import { pollRequestId } from '../ids';
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
export async function pollUntilDone(
  input: MediaInput,
  settings: Settings,
  state: MediaState,
  taskId: string,
): Promise<TaskNews> {
  const since = Date.now();
  let hanging = false;
  for (;;) {
    await sleepUntilNextPoll(settings, state);
    state.polls += 1;
    try {
      const { getTask } = hanging ? patient : quick;
      const requestId = pollRequestId(input.key, state.polls);
      const news = await getTask({ request: { id: taskId }, scope: input.scope, requestId });
      if (news.status === 'SUCCESS' || news.status === 'FAILURE') return news;
      hanging = false;
      state.lastError = null;
    } catch (error) {
      if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
      // A local activity fails with the failure itself, an ordinary one wraps it.
      const failure = error instanceof ActivityFailure ? (error.cause ?? error) : error;
      hanging = !wasAnswered(failure);
      state.lastError = failure.message;
    }
    const waited = Date.now() - since;
    if (waited >= settings.giveUp) throw givenUp(input, state, taskId);
    if (waited >= settings.deadline) state.stage = 'overdue';
  }
}

async function sleepUntilNextPoll(settings: Settings, state: MediaState): Promise<void> {
  const usual = settings.pollMin + Math.random() * (settings.pollMax - settings.pollMin);
  const pause = Math.round(state.stage === 'overdue' ? Math.max(usual, OVERDUE_PACE_MS) : usual);
  state.nextPollAt = new Date(Date.now() + pause).toISOString();
  await sleep(pause);
  state.nextPollAt = null;
}

/** Whether the service gave a complete answer, even an error. */
function wasAnswered(failure: Error): boolean {
  if (!(failure instanceof ApplicationFailure)) return false;
  const [facts] = (failure.details ?? []) as [{ status?: number | null }?];
  return typeof facts?.status === 'number';
}

function givenUp(input: MediaInput, state: MediaState, taskId: string): ApplicationFailure {
  state.stage = 'failed';
  return ApplicationFailure.create({
    type: FAILURE.givenUp,
    nonRetryable: true,
    message: `Gave up on task ${taskId} of job ${input.key}: the service never said it was over`,
    details: [{ key: input.key, taskId, lastError: state.lastError }],
  });
}
