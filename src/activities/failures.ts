import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ApiError, InvalidRequestError, NotConfiguredError, StatusError } from '../api/errors';
import { type Duration, parseDuration } from '../contract/durations';

/** The one cast from an error of the api to a failure that Temporal records. `asksAgain` overrules what is final. */
export function activityFailure(error: unknown, { asksAgain = false } = {}): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (!(error instanceof ApiError)) return ApplicationFailure.fromError(error);
  const status = error instanceof StatusError ? error.status : null;
  return ApplicationFailure.create({
    type: error.name,
    message: error.message,
    nonRetryable: isFinal(error) && !asksAgain,
    nextRetryDelay: error instanceof StatusError ? pauseFor(error) : undefined,
    details: [{ operation: error.operation, status, requestId: error.requestId }],
  });
}

export interface Patience {
  /** How long 401 and 403 are waited out: keys get rotated. */
  authGrace: Duration;
}

/** The same, for activities that have denied access asked again for as long as the grace lasts. */
export function patientFailure(error: unknown, { authGrace }: Patience): ApplicationFailure {
  const isDenied = error instanceof StatusError && [401, 403].includes(error.status);
  const waited = Date.now() - activityInfo().scheduledTimestampMs;
  return activityFailure(error, { asksAgain: isDenied && waited < (parseDuration(authGrace) ?? 0) });
}

const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 3_600_000];

/** As long as the service asked for, within reason: a pause of none would end the retries. */
function pauseFor({ retryAfterMs }: StatusError): number | undefined {
  return retryAfterMs === undefined
    ? undefined
    : Math.min(Math.max(retryAfterMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

/** Whether asking again would only get the same answer. */
function isFinal(error: ApiError): boolean {
  if (error instanceof InvalidRequestError || error instanceof NotConfiguredError) return true;
  if (!(error instanceof StatusError)) return false;
  // A client error stays one, apart from the three by which a service asks to come back later.
  return error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}
