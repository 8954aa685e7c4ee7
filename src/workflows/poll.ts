import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  TemporalFailure,
} from '@temporalio/workflow';
import { isTaskOver } from '../api/endings';
import { FAILURE, type MediaState, type PollNow, pollNowUpdate, type SegueActivities } from '../contract';
import { formatDuration } from '../durations';
import { pollRequestId } from '../ids';
import { alarm } from './alarm';
import { abandoned, closeHold, hold, openHold } from './hold';
import { continueWhenLong, describeRun, type Run } from './progress';
import { nextNumber } from './question';
import { enterStage } from './show';

/** What the service says of a task. */
type TaskNews = Awaited<ReturnType<SegueActivities['getTask']>>;

/** An overdue task is asked about this often at most. */
const OVERDUE_PACE_MS = 5 * 60_000;

/** A service may not know at once what it accepted; after this long it does not know it. */
const MISSING_GRACE_MS = 5 * 60_000;

// One poll is one question: an error is "no news" and the next timer asks again, so nothing is retried in between.
const once = { maximumAttempts: 1 };

// Half the history of an ordinary activity, and most of a run's life is polls.
const quick = proxyLocalActivities<SegueActivities>({
  startToCloseTimeout: '7s',
  retry: once,
});
// A local activity that hangs blocks the run's updates; while the service hangs, polls are ordinary ones.
const patient = proxyActivities<SegueActivities>({ startToCloseTimeout: '12s', retry: once });

/**
 * Asks after the task until it is `SUCCESS` or `FAILURE`. Poll errors, even hours of them, end nothing. It gives
 * nothing where the service lost the task and a person decided to submit again.
 */
export async function pollUntilDone(run: Run): Promise<TaskNews | undefined> {
  const { progress, settings } = run;
  const since = (progress.pollingSince ??= new Date().toISOString());
  let hanging = false;
  for (;;) {
    await untilNextPoll(run);
    if (run.decision) throw abandoned(run, run.decision);
    const poll = await ask(run, hanging);
    if (poll.is === 'over') {
      closeHold(run);
      return poll.news;
    }
    hanging = poll.is === 'hanging';
    if (poll.is === 'missing') await followMissing(run);
    else progress.missingSince = null;
    if (progress.taskId === null) return undefined;
    const waited = Date.now() - Date.parse(since);
    if (waited >= settings.giveUp) throw givenUp(run);
    if (waited >= settings.deadline && run.stage !== 'overdue') becomeOverdue(run);
    await continueWhenLong(run);
  }
}

export function handlePollNow(run: Run): void {
  setHandler<MediaState, [PollNow], typeof pollNowUpdate>(
    pollNowUpdate,
    async () => {
      const before = run.progress.polls;
      run.pollAsked = true;
      await condition(() => run.progress.polls > before && !run.asking);
      return describeRun(run);
    },
    {
      description:
        'Asks the service at once instead of at the next poll: {}. Answers with the state after it.',
      validator: () => {
        if (run.nextPollAt !== null) return;
        throw ApplicationFailure.nonRetryable(
          `Nothing was asked: the run is ${run.stage} and waits for no poll`,
          FAILURE.badDecision,
        );
      },
    },
  );
}

type Poll = { is: 'over'; news: TaskNews } | { is: 'running' | 'missing' | 'hanging' | 'no news' };

async function ask(run: Run, hanging: boolean): Promise<Poll> {
  const { progress, input } = run;
  progress.polls += 1;
  run.asking = true;
  try {
    const { getTask } = hanging ? patient : quick;
    const requestId = pollRequestId(input.key, progress.polls);
    const news = await getTask({ request: { id: progress.taskId ?? '' }, scope: input.scope, requestId });
    run.lastError = null;
    return isTaskOver(news.status) ? { is: 'over', news } : { is: 'running' };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    // A local activity fails with the failure itself, an ordinary one wraps it.
    const failure = error instanceof ActivityFailure ? (error.cause ?? error) : error;
    run.lastError = failure.message;
    const status = statusOf(failure);
    return { is: status === 404 ? 'missing' : status === undefined ? 'hanging' : 'no news' };
  } finally {
    run.asking = false;
  }
}

async function untilNextPoll(run: Run): Promise<void> {
  const { pollMin, pollMax } = run.settings;
  const usual = pollMin + Math.random() * (pollMax - pollMin);
  const pause = Math.round(run.stage === 'overdue' ? Math.max(usual, OVERDUE_PACE_MS) : usual);
  run.nextPollAt = new Date(Date.now() + pause).toISOString();
  try {
    await condition(() => run.pollAsked || run.decision !== null, pause);
  } finally {
    run.nextPollAt = null;
    run.pollAsked = false;
  }
}

/** The service does not know a task that it gave out. Tolerated for a while, then a person decides. */
async function followMissing(run: Run): Promise<void> {
  const { progress } = run;
  const since = (progress.missingSince ??= new Date().toISOString());
  if (Date.now() - Date.parse(since) < MISSING_GRACE_MS) return;
  const reason = `the service has answered 404 for task ${progress.taskId ?? ''} for ${formatDuration(MISSING_GRACE_MS)}`;
  const decision = await hold(run, { n: nextNumber(run), why: 'missing', reason });
  progress.missingSince = null;
  progress.taskId = decision.action === 'adopt' ? (decision.taskId ?? null) : null;
  if (progress.taskId !== null) enterStage(run, 'polling');
}

function becomeOverdue(run: Run): void {
  const { progress, settings } = run;
  const reason = `task ${progress.taskId ?? ''} is not over after ${formatDuration(settings.deadline)}`;
  const question = { n: nextNumber(run), why: 'overdue' as const, reason };
  openHold(run, question);
  alarm(run, question);
}

/** Of a complete answer, even an error; undefined where there was none. */
function statusOf(failure: Error): number | undefined {
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const [facts] = (failure.details ?? []) as [{ status?: number | null }?];
  return facts?.status ?? undefined;
}

function givenUp({ input, progress, lastError }: Run): ApplicationFailure {
  const { taskId } = progress;
  return ApplicationFailure.create({
    type: FAILURE.givenUp,
    nonRetryable: true,
    message: `Gave up on task ${taskId ?? ''} of job ${input.key}: the service never said it was over`,
    details: [{ key: input.key, taskId, lastError }],
  });
}
