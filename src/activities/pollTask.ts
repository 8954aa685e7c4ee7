import { type MediaApi } from '../api/client';
import { POLL_TIMEOUT_MS, type PollOrder, type TaskNews } from '../contract';
import { pollRequestId } from '../ids';
import { activityFailure } from './failures';

export function createPollTask(api: MediaApi) {
  return async function pollTask(order: PollOrder): Promise<TaskNews> {
    try {
      return await api.getTask(order.taskId, {
        requestId: pollRequestId(order.key, order.poll),
        scope: order.scope,
        timeoutMs: POLL_TIMEOUT_MS,
      });
    } catch (error) {
      throw activityFailure(error);
    }
  };
}
