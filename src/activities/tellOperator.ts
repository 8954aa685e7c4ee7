import { type Api } from '../api/client';
import { type NotifyOutcome, type Operator, type OperatorOrder } from '../contract';
import { type GuardOptions } from './atMostOnce/guards';
import { sendOnce } from './atMostOnce/once';
import { deniedTo, type Denials } from './protection/denials';

/** One alarm to whoever this worker's settings name, as a notification like any other. */
export function createTellOperator(
  api: Api,
  operator: Operator | undefined,
  denials: Denials,
  options: GuardOptions,
) {
  return async function tellOperator({
    notification,
    denied,
    requestId,
    runId,
  }: OperatorOrder): Promise<NotifyOutcome | { outcome: 'nobody' }> {
    if (!operator) return { outcome: 'nobody' };
    const addressed = { ...notification, ...operator };
    return sendOnce(runId, options, (window) => {
      const send = () => api.notify(addressed, { requestId, ...window });
      return denied ? denials.of(deniedTo(denied.status, denied.scope)).tell(send) : send();
    });
  };
}
