import { proxyActivities } from '@temporalio/workflow';
import { LONGEST_CALL_MS, type SegueActivities } from '../../../src/contract';

/** A read may be repeated through an hour of errors; most 4xx answers are not retryable by their own failure. */
const { getVoice } = proxyActivities<SegueActivities>({
  startToCloseTimeout: LONGEST_CALL_MS,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 60 },
});

/** The smallest workflow that reads from the service. */
export async function readVoice(voiceId: string): Promise<unknown> {
  return getVoice({ request: { voice_id: voiceId } });
}
