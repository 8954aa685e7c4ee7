/** The only judge of what is known of a POST that the service must not get twice. */
import { TransportError } from './errors';
import { type HttpAnswer, isSuccess } from './http';
import { truncate } from './json';
import { isIdText } from './scope';

export type JudgedAnswer = Pick<HttpAnswer, 'status' | 'body' | 'serviceMessage' | 'retryAfterMs'>;

/** What is known of a POST that may not have been accepted. `unknown` is the default: each other outcome is proven. */
type NotTaken =
  /** No byte of the request was written to a connection. */
  | { outcome: 'notSent'; reason: string }
  /**
   * The service refused it. Without `status` the worker refused it, before anything was sent. A denial (401, 403)
   * may be the answer to others before it: then this one was not sent either.
   */
  | { outcome: 'refused'; status?: number; reason: string; retryAfterMs?: number }
  | { outcome: 'unknown'; reason: string };

/** Of one submit. It holds no more than an id and a short reason, so that recording it can never fail. */
export type SubmitOutcome = { outcome: 'accepted'; taskId: string } | NotTaken;

export type NotifyOutcome = { outcome: 'sent' } | NotTaken;

/**
 * Statuses by which a service says that it did not do the work. Others may come from a gateway that gave up on a
 * service that did: every 5xx, 408 and 499, and 409, which may mean the job that this request created.
 */
const REFUSALS = new Set([400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 425, 429, 431, 451]);

export function outcomeOfAnswer(answer: JudgedAnswer, redact: (text: string) => string): SubmitOutcome {
  if (!isSuccess(answer)) return refusedOrUnknown(answer);
  const taskId = taskIdIn(answer.body);
  // An id that holds the credential must not get into a history, and redacted it cannot be polled.
  if (taskId !== undefined && redact(taskId) === taskId) return { outcome: 'accepted', taskId };
  return {
    outcome: 'unknown',
    reason: `status ${answer.status} without a task_id: ${answer.serviceMessage}`,
  };
}

export function notifyOutcomeOfAnswer(answer: JudgedAnswer): NotifyOutcome {
  return isSuccess(answer) ? { outcome: 'sent' } : refusedOrUnknown(answer);
}

export function outcomeOfFailure(error: unknown): Extract<SubmitOutcome, { outcome: 'notSent' | 'unknown' }> {
  const reason = truncate(error instanceof Error ? error.message : String(error));
  const proven = error instanceof TransportError && !error.sent;
  return { outcome: proven ? 'notSent' : 'unknown', reason };
}

function refusedOrUnknown({
  status,
  serviceMessage,
  retryAfterMs,
}: JudgedAnswer): Extract<SubmitOutcome, { outcome: 'refused' | 'unknown' }> {
  const reason = `status ${status}: ${serviceMessage || 'no message'}`;
  return REFUSALS.has(status)
    ? { outcome: 'refused', status, reason, retryAfterMs }
    : { outcome: 'unknown', reason };
}

function taskIdIn(body: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (json === null || typeof json !== 'object' || !('task_id' in json)) return undefined;
  const { task_id: taskId } = json;
  // An id that cannot be polled counts as none.
  return isIdText(taskId) ? taskId : undefined;
}
