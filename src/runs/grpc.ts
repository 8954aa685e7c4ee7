/** gRPC codes of the Temporal server, and retries while it is unavailable. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@temporalio/client';
import { reasonOf, TemporalUnreachable } from '../errors';

export const GRPC = {
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
};

/** The gRPC code of an error, as the service gives it, or as it was wrapped. */
export function grpcCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (typeof code === 'number') return code;
  const isWrapped = error instanceof ServiceError || error instanceof TemporalUnreachable;
  return isWrapped ? grpcCode(error.cause) : undefined;
}

/** Rejects with a clear error if the server does not answer, otherwise with the same error. */
export async function orUnreachable<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (grpcCode(error) !== GRPC.unavailable || error instanceof TemporalUnreachable) throw error;
    const reason = reasonOf((error as Error).cause ?? error);
    throw new TemporalUnreachable(`Temporal cannot be reached: ${reason}`, { cause: error });
  }
}

const PAUSE_MS = 200;
/**
 * By code. A run takes no Update while its workflow task fails, as it does for a moment when signals arrive while it ends
 * or continues as new. A paused run takes none either, which the server's own words say.
 */
const REPEATED_FOR_MS = new Map([[GRPC.unavailable, 60_000]]);
const UPDATE_REPEATED_FOR_MS = new Map([...REPEATED_FOR_MS, [GRPC.failedPrecondition, 20_000]]);

export function retryUpdate<T>(call: () => Promise<T>): Promise<T> {
  return retryUnavailable(call, UPDATE_REPEATED_FOR_MS);
}

/**
 * Repeats a start, signal or update while the server is unavailable, after the SDK's own retries. The call must be safe to
 * repeat: a start by its key, an update by its id.
 */
export async function retryUnavailable<T>(
  call: () => Promise<T>,
  repeatedForMs: ReadonlyMap<number | undefined, number> = REPEATED_FOR_MS,
): Promise<T> {
  const begunAt = Date.now();
  for (;;) {
    try {
      return await orUnreachable(call());
    } catch (error) {
      if (Date.now() - begunAt > (repeatedForMs.get(grpcCode(error)) ?? -1)) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
