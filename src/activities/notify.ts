import { type Api } from '../api/client';
import { type Operator, type SegueActivities } from '../contract';
import { type GuardOptions, sendChunkOnce, sendOnce } from './atMostOnce/sendOnce';
import { type AccessDenials, deniedScope } from './protection/denials';

/**
 * They neither count for the breaker nor wait for it. An uncertain notification holds no job, so there is nothing to
 * save; and while submits are held back, people must be notified.
 */
export function createNotifications(
  api: Api,
  operator: Operator | undefined,
  denials: AccessDenials,
  guards: GuardOptions,
): Pick<SegueActivities, 'notify' | 'notifyChunk' | 'notifyOperator'> {
  return {
    notify: ({ notification, scope, requestId, runId, sendBefore }) => {
      const latest = sendBefore === undefined ? Infinity : Date.parse(sendBefore);
      return sendOnce(runId, guards, (permit) =>
        api.notify(notification, {
          ...{ requestId, scope, ...permit },
          sendBefore: Math.min(permit.sendBefore, latest),
        }),
      );
    },

    notifyChunk: ({ notices, runId }) =>
      sendChunkOnce(notices, runId, guards, ({ notification, requestId }, permit) =>
        api.notify(notification, { requestId, ...permit }),
      ),

    /** One alarm to the user that this worker's settings name. */
    notifyOperator: async ({ notification, denied, requestId, runId }) => {
      if (!operator) return { outcome: 'nobody' };
      return sendOnce(runId, guards, (permit) => {
        const send = () => api.notify({ ...notification, ...operator }, { requestId, ...permit });
        return denied ? denials.raise(deniedScope(denied.status, denied.scope), send) : send();
      });
    },
  };
}
