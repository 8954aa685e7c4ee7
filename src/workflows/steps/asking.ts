/** One question to the service, after a pause that somebody may cut short. */
import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { type PollActivities } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollTaskQueue } from '../../contract/ids';
import { type Following } from './following';

export interface Question {
  /** Which of the run's questions this is, from 1. */
  n: number;
  /** What the activity is to be told of the pause before it. */
  pauseMs: number;
  activities: PollActivities;
}

/** Longer than any answer worth waiting for: the next question comes soon. */
const LONGEST_POLL_MS = 12_000;
/** A poll that waited this long for a worker is given up, and the next one asks. */
const LONGEST_QUEUE_MS = 120_000;

/**
 * Asks after `pauseMs`; undefined where a person decided in the meantime, or does not want to wait that long.
 *
 * The server keeps the pause between two attempts of the activity: half the history of a timer and an activity. Nor is
 * it a local activity, which would cost as little: where one meets a query and a signal in one workflow task, they are
 * replayed in another order than they came.
 */
export async function askAfter<News>(
  run: Following,
  { pauseMs, longestMs = LONGEST_POLL_MS }: { pauseMs: number; longestMs?: number },
  ask: (question: Question) => Promise<News>,
): Promise<News | undefined> {
  const n = run.progress.polls + 1;
  const activities = proxyActivities<PollActivities>({
    taskQueue: pollTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: longestMs,
    // Where no worker takes polls, a job still learns that it is overdue.
    scheduleToCloseTimeout: pauseMs + 2 * longestMs + LONGEST_QUEUE_MS,
    // What is cut short is over at once: an answer that comes all the same is nobody's.
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    // An error is "no news" and the next poll asks again, so nothing is retried but the pause, which is the policy's own
    // interval: of a delay that an attempt asks for, a policy's longest interval may be all that is granted.
    retry: pauseMs > 0 ? { maximumAttempts: 2, initialInterval: pauseMs } : { maximumAttempts: 1 },
    summary: pauseMs > 0 ? `poll ${n}, after ${formatDuration(pauseMs)}` : `poll ${n}`,
  });
  const scope = new CancellationScope();
  run.nextPollAt = new Date(Date.now() + pauseMs).toISOString();
  try {
    return await scope.run(() =>
      Promise.race([ask({ n, pauseMs, activities }), isCutShort(run, pauseMs).then(() => undefined)]),
    );
  } finally {
    // Whichever is still waited for.
    scope.cancel();
    run.nextPollAt = null;
    run.pollAsked = false;
  }
}

function isCutShort(run: Following, pauseMs: number): Promise<void> {
  return condition(() => (run.pollAsked && pauseMs > 0) || run.decision !== null);
}
