import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { PAUSE, type Paused } from '../contract';
import { formatDuration } from '../contract/durations';

/**
 * Has the server keep the pause before a question: the first attempt ends here, and the retry policy says when the second
 * one is due, so that neither a worker nor a history holds a timer for it. No error for logs and metrics, as nothing went
 * wrong; nor does it say where it was thrown, since people and every history see it.
 */
export function pauseFirst({ pauseMs = 0 }: Paused): void {
  if (pauseMs === 0 || activityInfo().attempt > 1) return;
  const pause = ApplicationFailure.create({
    type: PAUSE,
    message: `Nothing is wrong: the service is asked after a pause of ${formatDuration(pauseMs)}`,
    category: ApplicationFailureCategory.BENIGN,
  });
  pause.stack = '';
  throw pause;
}
