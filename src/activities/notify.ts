import { type Api } from '../api/client';
import { type NotifyOrder, type NotifyOutcome } from '../contract';
import { type GuardOptions } from './atMostOnce/guards';
import { sendOnce } from './atMostOnce/once';

/**
 * One notification: a person who gets it twice trusts neither.
 *
 * It neither counts for the breaker nor waits for it. An uncertain one holds nothing, so there is nothing to save; and
 * the time in which submits are held back is the time in which a person has to be told.
 */
export function createNotify(api: Api, options: GuardOptions) {
  return async function notify({
    notification,
    scope,
    requestId,
    runId,
    sendBefore,
  }: NotifyOrder): Promise<NotifyOutcome> {
    const latest = sendBefore === undefined ? Infinity : Date.parse(sendBefore);
    return sendOnce(runId, options, (window) =>
      api.notify(notification, {
        ...{ requestId, scope, ...window },
        sendBefore: Math.min(window.sendBefore, latest),
      }),
    );
  };
}
