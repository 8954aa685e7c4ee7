import { activityInfo } from '@temporalio/activity';
import { type Api, type CallOptions } from '../api/client';
import { operations, type Operations } from '../api/operations';
import { type CallActivities, type CallOrder, LONGEST_CALL_MS, type Scope } from '../contract';
import { stepRequestId } from '../contract/ids';
import { activityFailure } from './failures';
import { pauseFirst } from './pause';
import { bounded, boundedNews, type TaskNews } from './size';

/** How much sooner than its activity a call ends, so that its own error is recorded and not a timeout. */
const MARGIN_MS = 2_000;

/** How an activity asks the service: within its own time, under the id it was given or one of the run and the step. */
export function callOptions(
  name: string,
  { requestId, scope }: { requestId?: string; scope?: Scope },
): CallOptions {
  const { startToCloseTimeoutMs, workflowExecution, activityId, attempt } = activityInfo();
  const timeoutMs = Math.min(LONGEST_CALL_MS, Math.max(MARGIN_MS, startToCloseTimeoutMs - MARGIN_MS));
  const step = stepRequestId(workflowExecution?.workflowId ?? 'activity', `${name}-${activityId}.${attempt}`);
  return { requestId: requestId ?? step, scope, timeoutMs };
}

/** An activity for each operation that can be asked again. */
export function createCalls(api: Api): CallActivities {
  return Object.fromEntries(
    Object.keys(operations).map((name) => [name, createCall(api, name as keyof Operations)]),
  ) as unknown as CallActivities;
}

function createCall(api: Api, name: keyof Operations) {
  const call = api[name] as (request: unknown, options: CallOptions) => Promise<unknown>;
  return async ({ request, scope, requestId, pauseMs }: CallOrder<unknown>): Promise<unknown> => {
    pauseFirst({ pauseMs });
    try {
      const result = await call(request, callOptions(name, { requestId, scope }));
      return name === 'getTask'
        ? boundedNews(result as TaskNews, request as { id: string })
        : bounded(name, result);
    } catch (error) {
      throw activityFailure(error);
    }
  };
}
