import { setTimeout as sleep } from 'node:timers/promises';
import { shared } from './jest/shared';

/** Short at first, because most conditions hold soon; longer later, because each check costs the server time. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [20, 250, 1.5];

/** Shorter than jest's limit, so that a failed test says what it waited for. At full size the machine is busier. */
const LONGEST_WAIT_MS = shared().full ? 180_000 : 90_000;

/** Waits until a condition holds instead of a fixed time; the error of a timeout names the condition. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = LONGEST_WAIT_MS,
): Promise<T> {
  const giveUpAt = Date.now() + timeoutMs;
  let problem: unknown;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    // Checked once more at the end, because a busy machine may have been suspended for the whole time.
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
