import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** The failure that ends an activity for good also ends the run, with the same message and type. */
export async function unwrapped<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure)) throw error;
    throw ApplicationFailure.nonRetryable(cause.message, cause.type, ...(cause.details ?? []));
  }
}
