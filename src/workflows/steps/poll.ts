/** Polls the service until what the job waits for is over. */
import {
  ActivityCancellationType,
  ActivityFailure,
  type ApplicationFailure,
  CancellationScope,
  condition,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { isTaskOver } from '../../api/endings';
import {
  END_STAGES,
  FAILURE,
  type JobStage,
  type PollActivities,
  type PollNow,
  pollNowUpdate,
  type SegueActivities,
} from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollRequestId, pollTaskQueue } from '../../contract/ids';
import { httpStatusOf } from '../lib/atMostOnce';
import { alarm } from './alarm';
import { abandoned, closeHold, hold, openHold } from './hold';
import { badDecision } from '../lib/refuse';
import { type Job } from './job';
import { type MediaJob } from './mediaJob';
import { setStage, showDetails } from './visibility';

type Task = Awaited<ReturnType<SegueActivities['getTask']>>;

/** Polls until the task is `SUCCESS` or `FAILURE`; `lost` when it is unknown and a person decided to submit again. */
export function pollTask(job: MediaJob): Promise<Task | 'lost'> {
  const { progress, input } = job;
  return pollUntil(job, {
    get: (activities, n) =>
      activities.getTask({
        request: { id: progress.taskId ?? '' },
        scope: input.scope,
        requestId: pollRequestId(input.key, n),
      }),
    isOver: ({ status }) => isTaskOver(status),
    onNotFound: () => holdLostTask(job),
  });
}

/** The service does not know a task that it accepted: a person adopts another one or submits again. */
async function holdLostTask(job: MediaJob): Promise<'lost' | undefined> {
  const { progress } = job;
  const reason = `the service has answered 404 for task ${progress.taskId ?? ''} for ${formatDuration(MISSING_GRACE_MS)}`;
  const decision = await hold(job, { n: job.nextNumber(), why: 'missing', reason });
  progress.missingSince = null;
  // The deadlines of the next task start now; the time of the lost task and of the hold does not count.
  progress.pollingSince = null;
  if (decision.action !== 'adopt') job.prepareResubmit();
  const lost = progress.taskId;
  progress.taskId = decision.action === 'adopt' ? (decision.taskId ?? null) : null;
  // One that was adopted, or given in the input, is in no attempt.
  if (lost !== null && !job.tasks().includes(lost)) progress.otherTasks.push(lost);
  if (progress.taskId === null) return 'lost';
  setStage(job, 'polling');
  return undefined;
}

export const OVERDUE_INTERVAL_MS = 5 * 60_000;

/** The service may need a moment until it knows what it accepted; after this long, 404 means that it lost it. */
export const MISSING_GRACE_MS = 5 * 60_000;

export interface PollOptions<News, Lost> {
  /** One GET, without retries. `n` is the number of this poll in the run, from 1. */
  get: (activities: PollActivities, n: number) => Promise<News>;
  /** How long the GET may take; default {@link POLL_TIMEOUT_MS}. */
  timeoutMs?: number;
  isOver: (news: News) => boolean;
  /** Whether the first poll comes without a pause before it. */
  immediate?: boolean;
  /** Called while 404 lasts longer than {@link MISSING_GRACE_MS}. Any value ends the polling and is its result. */
  onNotFound: () => Promise<Lost | undefined> | undefined;
  /** Sees every failed poll; throws when further polls cannot succeed. */
  onFailure?: (failure: Error) => void;
}

/** Polls until it is over, and gives the last answer. A failed poll is "no news": even hours of failures end nothing. */
export async function pollUntil<News, Lost = never>(
  job: Job,
  options: PollOptions<News, Lost>,
): Promise<News | Lost> {
  let pauseMs = options.immediate ? 0 : nextPause(job);
  for (;;) {
    job.progress.pollingSince ??= new Date().toISOString();
    const poll = await pollAfter(job, pauseMs, options);
    if (poll?.is === 'over') {
      closeHold(job);
      return poll.news;
    }
    if (job.decision) throw abandoned(job, job.decision);
    const lost = poll && (await afterPoll(job, options, poll));
    if (lost !== undefined) return lost;
    pauseMs = nextPause(job);
  }
}

/** Handles 404, the deadline and the give-up time, and continues as new when the history is long. */
async function afterPoll<Lost>(
  job: Job,
  { onNotFound }: Pick<PollOptions<unknown, Lost>, 'onNotFound'>,
  { is }: Poll<unknown>,
): Promise<Lost | undefined> {
  const { progress, settings } = job;
  showDetails(job);
  progress.missingSince = is === 'missing' ? (progress.missingSince ?? new Date().toISOString()) : null;
  const isLost = progress.missingSince !== null && msSince(progress.missingSince) >= MISSING_GRACE_MS;
  const lost = isLost ? await onNotFound() : undefined;
  if (lost !== undefined) return lost;
  // Null after another task was adopted.
  const waited = progress.pollingSince === null ? 0 : msSince(progress.pollingSince);
  if (waited >= settings.giveUp) throw givenUp(job);
  if (waited >= settings.deadline && job.stage !== 'overdue') becomeOverdue(job);
  await job.continueWhenLong();
  return undefined;
}

export function msSince(time: string): number {
  return Date.now() - Date.parse(time);
}

/** Nothing more is asked of the service. */
const LAST_STAGES: readonly JobStage[] = ['writing', 'notifying', ...END_STAGES];

export function handlePollNow(job: Job): void {
  const update = defineUpdate<object, [PollNow]>(pollNowUpdate.name);
  setHandler<object, [PollNow], typeof update>(
    update,
    async () => {
      const before = job.progress.polls;
      job.pollRequested = true;
      await condition(() => LAST_STAGES.includes(job.stage) || job.progress.polls > before);
      return job.describe();
    },
    {
      description:
        'Asks the service at once instead of at the next poll: {}. Answers with the state after it.',
      // A reset applies the update again, maybe where no poll follows. The handler would then wait for ever and keep the
      // run from continuing as new.
      validator: () => {
        if (job.nextPollAt !== null) return;
        throw badDecision(`Nothing was asked: the run is ${job.stage} and waits for no poll`);
      },
    },
  );
}

type Poll<News> = { is: 'over'; news: News } | { is: 'running' | 'missing' | 'no news' };

/** Polls once, after a timer that `pollNow` cuts short. Gives undefined when a decision comes first. */
async function pollAfter<News>(
  job: Job,
  pauseMs: number,
  options: PollOptions<News, unknown>,
): Promise<Poll<News> | undefined> {
  const isDecided = (): boolean => job.decision !== null;
  const scope = new CancellationScope();
  job.nextPollAt = new Date(Date.now() + pauseMs).toISOString();
  try {
    if (pauseMs > 0)
      await condition(() => job.pollRequested || isDecided(), pauseMs, {
        summary: `next poll of ${job.label}`,
      });
    if (isDecided()) return undefined;
    // A request that comes during the GET makes the next pause short: the answer may be older than the request.
    job.pollRequested = false;
    return await scope.run(() =>
      Promise.race([pollOnce(job, options), condition(isDecided).then(() => undefined)]),
    );
  } finally {
    scope.cancel();
    job.nextPollAt = null;
  }
}

const POLL_TIMEOUT_MS = 12_000;
/** A poll that no worker takes for this long is given up; the next one follows. */
const LONGEST_QUEUE_MS = 120_000;

async function pollOnce<News>(
  job: Job,
  { get, isOver, onFailure, timeoutMs = POLL_TIMEOUT_MS }: PollOptions<News, unknown>,
): Promise<Poll<News>> {
  const n = job.progress.polls + 1;
  // Not a local activity: where one meets a query and a signal in one workflow task, the history does not replay.
  const activities = proxyActivities<PollActivities>({
    taskQueue: pollTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timeoutMs,
    // Without a worker for polls, a job must still become overdue.
    scheduleToCloseTimeout: timeoutMs + LONGEST_QUEUE_MS,
    // TRY_CANCEL: ignore late results.
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    // The next timer polls again.
    retry: { maximumAttempts: 1 },
    summary: `poll ${n}`,
  });
  try {
    const news = await get(activities, n);
    job.progress.polls = n;
    job.lastError = null;
    return isOver(news) ? { is: 'over', news } : { is: 'running' };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const failure = error.cause ?? error;
    job.progress.polls = n;
    job.lastError = failure.message;
    onFailure?.(failure);
    return { is: httpStatusOf(failure) === 404 ? 'missing' : 'no news' };
  }
}

/** Uses the workflow's own randomness, which is the same on replay. */
function nextPause({ settings: { pollMin, pollMax }, stage }: Job): number {
  const usual = pollMin + Math.random() * (pollMax - pollMin);
  return Math.round(stage === 'overdue' ? Math.max(usual, OVERDUE_INTERVAL_MS) : usual);
}

function becomeOverdue(job: Job): void {
  const { lastError, settings } = job;
  const late = `${job.label} is not over after ${formatDuration(settings.deadline)}`;
  // The error matters: with a withdrawn credential, for example, the task may be over.
  const reason = lastError === null ? late : `${late}; the last poll failed: ${lastError}`;
  const overdue = { n: job.nextNumber(), why: 'overdue' as const, reason };
  openHold(job, overdue);
  alarm(job, overdue);
}

function givenUp(job: Job): ApplicationFailure {
  const why = ['the service never said it was over', job.lastStatusText()].filter(Boolean).join('; ');
  return job.failure(FAILURE.givenUp, `Gave up on ${job.longLabel}: ${why}`, { lastError: job.lastError });
}
