/** For what may be run once and never again: a second attempt may be a second payment, or a second notification. */
import { type ActivityOptions } from '@temporalio/workflow';

/**
 * The maximum can be raised from outside while it runs, so that the ends after which it may have sent are named, too: then
 * the run learns at once what it had told of itself. The activity guards itself as well.
 */
export const AT_MOST_ONCE: ActivityOptions['retry'] = {
  maximumAttempts: 1,
  nonRetryableErrorTypes: [
    'TemporalTimeout:StartToClose',
    'TemporalTimeout:Heartbeat',
    'WorkerShutdown',
    'PayloadsTooLarge',
  ],
};
