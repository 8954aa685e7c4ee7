import { proxyActivities } from '@temporalio/workflow';
import { LONGEST_CALL_MS, type SegueActivities } from '../contract';

/**
 * Reads of the service. Asking again is free of harm and of charge, so a read goes on through an hour of trouble;
 * an answer that would only be the same again (most 4xx) is not retryable by its own failure, and a service that
 * asks to be left alone for a while is.
 */
export const reads = proxyActivities<SegueActivities>({
  startToCloseTimeout: LONGEST_CALL_MS,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 60 },
});
