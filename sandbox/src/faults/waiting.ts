import { once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, unless it is released earlier. */
export async function pause(ms: number, released: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: released }).catch(ignoreRelease);
}

/** Resolves when the connection is closed, or it is released. */
export async function untilClosed(response: ServerResponse, released: AbortSignal): Promise<void> {
  if (response.closed || response.destroyed) return;
  await once(response, 'close', { signal: released }).catch(ignoreRelease);
}

function ignoreRelease(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error;
}
