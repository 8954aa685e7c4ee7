import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { type Api, type CallOptions } from '../../api/client';
import { operations, type Operations } from '../../api/operations';
import { type CallActivities, type CallOrder, LONGEST_CALL_MS, type Scope } from '../../contract';
import { stepRequestId } from '../../contract/ids';
import { Heartbeat } from '../atMostOnce/heartbeat';
import { activityFailure, type AuthGrace, patientFailure } from './failures';
import { bounded, boundedNews, type TaskNews } from './resultSize';

/** A call ends this much sooner than its activity, so that its own error is recorded and not a timeout. */
const MARGIN_MS = 2_000;

export function callOptions(
  name: string,
  { requestId, scope }: { requestId?: string; scope?: Scope },
): CallOptions {
  const { startToCloseTimeoutMs, workflowExecution, activityId, attempt } = activityInfo();
  const timeoutMs = Math.min(LONGEST_CALL_MS, Math.max(MARGIN_MS, startToCloseTimeoutMs - MARGIN_MS));
  const step = stepRequestId(workflowExecution?.workflowId ?? 'activity', `${name}-${activityId}.${attempt}`);
  return { requestId: requestId ?? step, scope, timeoutMs };
}

/** An activity for each operation that may be repeated. `updateProject` is the project writer's alone. */
export function createCalls(api: Api): CallActivities {
  const createCall = (name: keyof Operations) => {
    const call = api[name] as (request: unknown, options: CallOptions) => Promise<unknown>;
    return ({ request, ...order }: CallOrder<unknown>): Promise<unknown> =>
      oneCall(name, order, async (options) => {
        const result = await call(request, options);
        if (name === 'getTask') return boundedNews(result as TaskNews, request as { id: string });
        return bounded(name, result);
      });
  };
  const names = Object.keys(operations).filter((name) => name !== 'updateProject') as (keyof Operations)[];
  return Object.fromEntries(names.map((name) => [name, createCall(name)])) as unknown as CallActivities;
}

/** Runs an activity that calls the service once, and casts its error. Denied access is retried only with `patience`. */
export async function oneCall<T>(
  name: string,
  order: { requestId?: string; scope?: Scope },
  call: (options: CallOptions) => Promise<T>,
  patience?: AuthGrace,
): Promise<T> {
  try {
    return await call(callOptions(name, order));
  } catch (error) {
    throw patience ? patientFailure(error, patience) : activityFailure(error);
  }
}

/** Runs an activity that only reads: sends heartbeats and casts errors. `next` gives the options of the next call. */
export async function manyReads<T>(
  name: string,
  { scope, ...patience }: { scope?: Scope } & AuthGrace,
  read: (next: () => CallOptions) => Promise<T>,
): Promise<T> {
  const options = callOptions(name, { scope });
  const heartbeat = new Heartbeat();
  let calls = 0;
  try {
    return await read(() => {
      cancellationSignal().throwIfAborted();
      return { ...options, requestId: `${options.requestId}.${++calls}` };
    });
  } catch (error) {
    // The SDK reports a cancellation by its own error.
    throw cancellationSignal().aborted ? error : patientFailure(error, patience);
  } finally {
    heartbeat.stop();
  }
}
