import { CompleteAsyncError, Context, log } from '@temporalio/activity';
import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { insist } from './retryTemporalCall';
import { clientOf } from './isStillActive';

/**
 * Gives the server a result by a call of its own, and so learns whether the server took it.
 *
 * What an activity returns is given by the SDK, which says nothing when the server has given the activity up (the
 * process was stopped, the connection lost), and drops it when the server stays away for ten seconds. For a task id
 * that is too little: the work is paid for, and only this process knows.
 */
export async function handOver<Result>(result: Result, whenGivenUp: () => Promise<void>): Promise<Result> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return result;
  if (!(await isTaken(client, context, result))) await whenGivenUp();
  // The SDK has nothing left to give.
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
    // Longer than this the server does not wait either.
    await insist(client, info.startToCloseTimeoutMs, () =>
      client.activity.complete(info.taskToken, result, { serializationContext }),
    );
    return true;
  } catch (error) {
    const why = error instanceof ActivityNotFoundError ? 'the server has given this activity up' : error;
    log.warn('the outcome came too late', { why });
    return false;
  }
}
