import { type Api } from '../api/client';
import {
  type NotifyChunkOrder,
  type NotifyOrder,
  type NotifyOutcome,
  type Operator,
  type OperatorOrder,
} from '../contract';
import { sendChunkOnce } from './atMostOnce/chunk';
import { type GuardOptions, sendOnce } from './atMostOnce/sendOnce';
import { type AccessDenials, deniedScope } from './protection/denials';

/**
 * Notifications, each sent at most once.
 *
 * They neither count for the breaker nor wait for it. An uncertain notification holds no job, so there is nothing to
 * save; and while submits are held back, people have to be told.
 */
export function createNotifications(
  api: Api,
  operator: Operator | undefined,
  denials: AccessDenials,
  guards: GuardOptions,
) {
  return {
    notify: ({ notification, scope, requestId, runId, sendBefore }: NotifyOrder): Promise<NotifyOutcome> => {
      const latest = sendBefore === undefined ? Infinity : Date.parse(sendBefore);
      return sendOnce(runId, guards, (window) =>
        api.notify(notification, {
          ...{ requestId, scope, ...window },
          sendBefore: Math.min(window.sendBefore, latest),
        }),
      );
    },

    notifyChunk: ({ notices, runId }: NotifyChunkOrder): Promise<NotifyOutcome[]> =>
      sendChunkOnce(notices, runId, guards, ({ notification, requestId }, window) =>
        api.notify(notification, { requestId, ...window }),
      ),

    /** One alarm to the user that this worker's settings name. */
    notifyOperator: async (order: OperatorOrder): Promise<NotifyOutcome | { outcome: 'nobody' }> => {
      const { notification, denied, requestId, runId } = order;
      if (!operator) return { outcome: 'nobody' };
      return sendOnce(runId, guards, (window) => {
        const send = () => api.notify({ ...notification, ...operator }, { requestId, ...window });
        return denied ? denials.raise(deniedScope(denied.status, denied.scope), send) : send();
      });
    },
  };
}
