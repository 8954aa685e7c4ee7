import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { isTaskOver } from '../api/endings';
import { type SegueActivities } from '../contract';
import { formatDuration } from '../durations';
import { pollRequestId } from '../ids';
import { continueWhenLong } from './following';
import { hold } from './hold';
import { type Run } from './progress';
import { nextNumber } from './question';
import { enterStage } from './show';
import { MISSING_GRACE_MS, watch } from './watch';

/** What the service says of a task. */
type TaskNews = Awaited<ReturnType<SegueActivities['getTask']>>;

// One poll is one question: an error is "no news" and the next timer asks again, so nothing is retried in between.
const once = { maximumAttempts: 1 };

// Half the history of an ordinary activity, and most of a run's life is polls.
export const quick = proxyLocalActivities<SegueActivities>({
  startToCloseTimeout: '7s',
  retry: once,
});
// A local activity that hangs blocks the run's updates; while the service hangs, polls are ordinary ones.
export const patient = proxyActivities<SegueActivities>({ startToCloseTimeout: '12s', retry: once });

/**
 * Asks after the task until it is `SUCCESS` or `FAILURE`; it is `lost` where the service no longer knows it and a
 * person decided to submit again.
 */
export function pollUntilDone(run: Run): Promise<TaskNews | 'lost'> {
  const { progress, input } = run;
  return watch(run, {
    ask: (hanging) => {
      const { getTask } = hanging ? patient : quick;
      const requestId = pollRequestId(input.key, progress.polls);
      return getTask({ request: { id: progress.taskId ?? '' }, scope: input.scope, requestId });
    },
    isOver: ({ status }) => isTaskOver(status),
    onMissing: () => decideMissing(run),
    continueWhenLong: () => continueWhenLong(run),
  });
}

/** The service does not know a task that it gave out: a person decides which one to ask after, if any. */
async function decideMissing(run: Run): Promise<'lost' | undefined> {
  const { progress } = run;
  const reason = `the service has answered 404 for task ${progress.taskId ?? ''} for ${formatDuration(MISSING_GRACE_MS)}`;
  const decision = await hold(run, { n: nextNumber(run), why: 'missing', reason });
  progress.missingSince = null;
  // Its deadlines are not those of the task that was lost, nor does the time count that a person took.
  progress.pollingSince = null;
  progress.taskId = decision.action === 'adopt' ? (decision.taskId ?? null) : null;
  if (progress.taskId === null) return 'lost';
  enterStage(run, 'polling');
  return undefined;
}
