import { proxyActivities } from '@temporalio/workflow';
import { LONGEST_CALL_MS, type SegueActivities } from '../../contract';

/** Every activity that only reads. What changes something is not among them: asking that again is not free of harm. */
type Reads = Omit<SegueActivities, 'submit' | 'notify' | 'updateProject' | 'requestChange' | 'writeProject'>;

/**
 * Asking again is free of harm and of charge, so a read goes on through an hour of trouble. An answer that would only
 * be the same again (most 4xx) is not retryable by its own failure, and a service that asks to be left alone is.
 */
export const reads = proxyActivities<Reads>({
  startToCloseTimeout: LONGEST_CALL_MS,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 60 },
});
