import { log } from '@temporalio/activity';
import { type Api } from '../api/client';
import { type SubmitOrder, type SubmitOutcome } from '../contract';
import { submitRequestId } from '../ids';
import { type GuardOptions } from './guards';
import { sendOnce } from './once';

/** One POST of one job. */
export function createSubmit(api: Api, options: GuardOptions) {
  return async function submit(order: SubmitOrder): Promise<SubmitOutcome> {
    const { key, attempt, tool, request, scope } = order;
    const requestId = submitRequestId(key, attempt);
    const outcome = await sendOnce(order.runId, options, (window) =>
      api.submit(tool, request, { requestId, scope, ...window }),
    );
    // At once: where recording the outcome fails, the log still has the task id.
    log.info('submit', { key, submission: requestId, ...outcome });
    return outcome;
  };
}
