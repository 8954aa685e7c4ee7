import { proxyActivities } from '@temporalio/workflow';
import { type SegueActivities } from '../contract';

/** How another run ended. Reads of the Temporal server alone. */
export const { readEnd } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});
