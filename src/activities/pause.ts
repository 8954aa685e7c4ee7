import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type Paused } from '../contract';
import { formatDuration } from '../durations';

/**
 * Has the server keep the pause before a question: the first attempt ends here and says when the second one is due, so
 * that neither a worker nor a history holds a timer for it. No error for logs and metrics, as nothing went wrong.
 */
export function pauseFirst({ pauseMs = 0 }: Paused): void {
  if (pauseMs === 0 || activityInfo().attempt > 1) return;
  throw ApplicationFailure.create({
    type: 'Pause',
    message: `The service is asked in ${formatDuration(pauseMs)}`,
    nextRetryDelay: pauseMs,
    category: ApplicationFailureCategory.BENIGN,
  });
}
