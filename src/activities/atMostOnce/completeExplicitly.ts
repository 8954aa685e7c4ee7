import { CompleteAsyncError, Context, log } from '@temporalio/activity';
import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { clientOf } from './isStillActive';
import { retryTemporalCall } from './retryTemporalCall';

/**
 * Completes the activity by a call of its own, and so learns whether the server took the result.
 *
 * When an activity returns, the SDK reports its result: it says nothing when the server has given the activity up (the
 * process was stopped, the connection lost), and drops the result when the server is away for ten seconds. For a task
 * id that is too little: the work is paid for, and only this process knows the id.
 */
export async function completeExplicitly<Result>(
  result: Result,
  onTooLate: () => Promise<void>,
): Promise<Result> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return result;
  if (!(await isTaken(client, context, result))) await onTooLate();
  // Tells the SDK not to report a result.
  throw new CompleteAsyncError();
}

async function isTaken(client: Client, { info }: Context, result: unknown): Promise<boolean> {
  const serializationContext = {
    type: 'activity' as const,
    namespace: info.namespace,
    workflowId: info.workflowExecution?.workflowId,
    activityId: info.activityId,
    isLocal: false,
  };
  try {
    // The server does not wait longer than this either.
    await retryTemporalCall(client, info.startToCloseTimeoutMs, () =>
      client.activity.complete(info.taskToken, result, { serializationContext }),
    );
    return true;
  } catch (error) {
    const why = error instanceof ActivityNotFoundError ? 'the server has given this activity up' : error;
    log.warn('the outcome came too late', { why });
    return false;
  }
}
