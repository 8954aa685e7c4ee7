import { type Api } from '../api/client';
import { type NotifyOutcome, type OperatorOrder } from '../contract';
import { type GuardOptions } from './guards';
import { sendOnce } from './once';

/** Who is told that something needs a person. */
export interface Operator {
  userId: string;
  workspaceId: string;
}

/** One alarm to whoever this worker's settings name, as a notification like any other. */
export function createTellOperator(api: Api, operator: Operator | undefined, options: GuardOptions) {
  return async function tellOperator({
    notification,
    requestId,
    runId,
  }: OperatorOrder): Promise<NotifyOutcome | { outcome: 'nobody' }> {
    if (!operator) return { outcome: 'nobody' };
    const addressed = { ...notification, ...operator };
    return sendOnce(runId, options, (window) => api.notify(addressed, { requestId, ...window }));
  };
}
