import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import {
  ApiError,
  InvalidRequestError,
  isUnknownWorkspace,
  NotConfiguredError,
  StatusError,
} from '../../api/errors';
import { FAILURE, isAccessDenied } from '../../contract';
import { type Duration, msOf } from '../../contract/durations';
import { InvalidInput, KeyReused, UnreachableAddress } from '../../errors';

/** The one cast from an error of the api to a failure that Temporal records. `mayRetry` decides for errors that are final otherwise. */
export function activityFailure(error: unknown, { mayRetry = false } = {}): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (!(error instanceof ApiError)) return ApplicationFailure.fromError(error);
  const status = error instanceof StatusError ? error.status : null;
  return ApplicationFailure.create({
    type: error.name,
    message: error.message,
    nonRetryable: isFinal(error) && !mayRetry,
    nextRetryDelay: error instanceof StatusError ? pauseFor(error) : undefined,
    details: [{ operation: error.operation, status, requestId: error.requestId }],
  });
}

/**
 * Half an hour with the server's default pauses between attempts: 1 s, doubling to 100 s. Attempts are counted and not
 * minutes, because minutes without a worker say nothing about the address.
 */
const MOST_ATTEMPTS = 25;

/**
 * For activities that start runs. A bad input is final; an address that cannot be read is retried. The failure has no
 * cause, because a cause may show more of the address than the message does.
 */
export function startFailure(error: unknown, advice: string): unknown {
  if (error instanceof InvalidInput || error instanceof KeyReused)
    return ApplicationFailure.nonRetryable(error.message, FAILURE.badInput);
  if (!(error instanceof UnreachableAddress)) return error;
  if (activityInfo().attempt < MOST_ATTEMPTS)
    return ApplicationFailure.retryable(error.message, FAILURE.unreachable);
  return ApplicationFailure.nonRetryable(`${error.message}${advice}`, FAILURE.unreachable);
}

export interface AuthGrace {
  /** How long 401 and 403 are waited out: keys get rotated. */
  authGrace: Duration;
}

/** The same, for activities that retry denied access for as long as the grace lasts. */
export function patientFailure(error: unknown, { authGrace }: AuthGrace): ApplicationFailure {
  const waited = Date.now() - activityInfo().scheduledTimestampMs;
  return activityFailure(error, { mayRetry: isDenial(error) && waited < msOf(authGrace) });
}

/** A workspace that the service does not know counts as denied access: keys get rotated. */
function isDenial(error: unknown): boolean {
  return error instanceof StatusError && (isAccessDenied(error.status) || isUnknownWorkspace(error));
}

const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 3_600_000];

/** As long as the service asked for, within limits: a pause of 0 would end the retries. */
function pauseFor({ retryAfterMs }: StatusError): number | undefined {
  return retryAfterMs === undefined
    ? undefined
    : Math.min(Math.max(retryAfterMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

/** Whether a retry would only get the same answer. */
function isFinal(error: ApiError): boolean {
  if (error instanceof InvalidRequestError || error instanceof NotConfiguredError) return true;
  if (!(error instanceof StatusError)) return false;
  // A client error stays one, apart from the three by which a service asks to come back later.
  return error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}
