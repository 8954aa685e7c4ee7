import { type Api } from '../api/client';
import { type NotifyOrder, type NotifyOutcome } from '../contract';
import { type GuardOptions } from './guards';
import { sendOnce } from './once';

/** One notification: a person who gets it twice trusts neither. */
export function createNotify(api: Api, options: GuardOptions) {
  return async function notify({
    notification,
    scope,
    requestId,
    runId,
  }: NotifyOrder): Promise<NotifyOutcome> {
    return sendOnce(runId, options, (window) => api.notify(notification, { requestId, scope, ...window }));
  };
}
