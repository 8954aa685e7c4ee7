import { ApplicationFailure } from '@temporalio/common';
import { ApiError } from '../api/errors';

/** The one cast from an error of the api to a failure that Temporal records. */
export function activityFailure(error: unknown): ApplicationFailure {
  if (!(error instanceof ApiError)) return ApplicationFailure.fromError(error);
  return ApplicationFailure.create({
    type: error.name,
    message: error.message,
    nonRetryable: error.status !== undefined && isFinal(error.status),
    nextRetryDelay: error.retryAfterMs,
    details: [{ operation: error.operation, status: error.status ?? null, requestId: error.requestId }],
  });
}

/** A client error stays one, apart from the three by which a service asks to come back later. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}
