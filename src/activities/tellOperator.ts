import { type Api } from '../api/client';
import { type NotifyOutcome, type OperatorOrder } from '../contract';
import { type GuardOptions } from './guards';
import { sendOnce } from './once';
import { type SharedTrouble } from './sharedTrouble';

/** Who is told that something needs a person. */
export interface Operator {
  userId: string;
  workspaceId: string;
}

/** One alarm to whoever this worker's settings name, as a notification like any other. */
export function createTellOperator(
  api: Api,
  operator: Operator | undefined,
  denial: SharedTrouble,
  options: GuardOptions,
) {
  return async function tellOperator({
    notification,
    shared,
    requestId,
    runId,
  }: OperatorOrder): Promise<NotifyOutcome | { outcome: 'nobody' }> {
    if (!operator) return { outcome: 'nobody' };
    const addressed = { ...notification, ...operator };
    return sendOnce(runId, options, (window) => {
      const send = () => api.notify(addressed, { requestId, ...window });
      return shared === 'denied' ? denial.tell(send) : send();
    });
  };
}
