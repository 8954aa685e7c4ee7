import { setTimeout as sleep } from 'node:timers/promises';
import { shared } from './jest/shared';

/** Soon at first: most conditions are there at once, and each question costs the server something. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [20, 250, 1.5];

/** Shorter than jest's limit, so that a failed test says what it waited for. At full size the machine is busier. */
const LONGEST_WAIT_MS = shared().full ? 180_000 : 90_000;

/** Waits for a condition instead of a time: asks until the answer is there, and says what it waited for if it never is. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = LONGEST_WAIT_MS,
): Promise<T> {
  const giveUpAt = Date.now() + timeoutMs;
  let problem: unknown;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    // Asked once more when the time is over: a busy machine may have slept through all of it.
    const isLast = Date.now() >= giveUpAt;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      problem = undefined;
    } catch (error) {
      problem = error;
    }
    if (isLast) throw new Error(`waited in vain for ${what}`, { cause: problem });
    await sleep(pause);
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS);
  }
}
