import { activityInfo, heartbeat, log } from '@temporalio/activity';
import { type MediaApi } from '../api/client';
import { HEARTBEAT_EVERY_MS, RECORDING_MARGIN_MS, type SubmitOrder, type SubmitOutcome } from '../contract';
import { submitRequestId } from '../ids';
import { reasonNotToSend } from './guards';

export interface SubmitOptions {
  /** Off only on the time-skipping test server, which reports both times wrongly. */
  checkScheduledTime?: boolean;
}

/** One POST of one job, at most once whatever happens around it. */
export function createSubmit(api: MediaApi, { checkScheduledTime = true }: SubmitOptions = {}) {
  return async function submit(order: SubmitOrder): Promise<SubmitOutcome> {
    const info = activityInfo();
    const refusal = reasonNotToSend(info, order.runId, { checkScheduledTime });
    if (refusal) return { outcome: 'unknown', reason: `not sent again: ${refusal}` };

    // The answer must be recorded before the server gives the activity up, so the POST gets less time than it has.
    const timeoutMs = Math.max(1, info.startToCloseTimeoutMs - RECORDING_MARGIN_MS);
    const alive = setInterval(() => {
      heartbeat();
    }, HEARTBEAT_EVERY_MS);
    try {
      // Not given the activity's cancellation: it fires when the worker shuts down too, and a POST cut off is unknown.
      const outcome = await api.submit(order.tool, order.request, {
        requestId: submitRequestId(order.key, order.attempt),
        scope: order.scope,
        timeoutMs,
        sendBefore: Date.now() + timeoutMs,
      });
      log.info('submit', { key: order.key, attempt: order.attempt, ...outcome });
      return outcome;
    } finally {
      clearInterval(alive);
    }
  };
}
