import { isTaskOver } from '../../api/endings';
import { type SegueActivities } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollRequestId } from '../../contract/ids';
import { continueWhenLong } from './following';
import { hold } from './hold';
import { keepLostTask, type Run, startOver } from './progress';
import { nextNumber } from './question';
import { enterStage } from './visibility';
import { MISSING_GRACE_MS, watch } from './watch';

/** What the service says of a task. */
type TaskNews = Awaited<ReturnType<SegueActivities['getTask']>>;

/**
 * Asks after the task until it is `SUCCESS` or `FAILURE`; it is `lost` where the service no longer knows it and a
 * person decided to submit again.
 */
export function pollUntilDone(run: Run): Promise<TaskNews | 'lost'> {
  const { progress, input } = run;
  return watch(run, {
    ask: ({ activities, n, pauseMs }) =>
      activities.getTask({
        request: { id: progress.taskId ?? '' },
        scope: input.scope,
        requestId: pollRequestId(input.key, n),
        pauseMs,
      }),
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
  if (decision.action !== 'adopt') startOver(run);
  keepLostTask(run);
  progress.taskId = decision.action === 'adopt' ? (decision.taskId ?? null) : null;
  if (progress.taskId === null) return 'lost';
  enterStage(run, 'polling');
  return undefined;
}
