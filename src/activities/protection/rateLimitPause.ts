import { type SubmitOutcome } from '../../contract';
import { formatDuration } from '../../contract/durations';

/** Where the service does not say how long. */
const DEFAULT_MS = 1_000;
/** After this long one submit is sent, whatever the service asked for: it may have meant only that one job. */
const LONGEST_MS = 60_000;

/**
 * A 429 to one submit pauses all submits of this worker: the service would refuse them too, and count them. One object
 * for each credential and process.
 */
export class RateLimitPause {
  #until = -Infinity;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Sends, or answers as the service would. */
  async run(send: () => Promise<SubmitOutcome>): Promise<SubmitOutcome> {
    const leftMs = Math.ceil(this.#until - this.now());
    if (leftMs > 0) {
      const left = formatDuration(leftMs);
      const reason = `not sent: the service said "too many" to this worker (429), ${left} are left`;
      return { outcome: 'refused', status: 429, reason, retryAfterMs: leftMs };
    }
    const outcome = await send();
    if (outcome.outcome === 'refused' && outcome.status === 429) {
      const ms = Math.min(outcome.retryAfterMs ?? DEFAULT_MS, LONGEST_MS);
      this.#until = Math.max(this.#until, this.now() + ms);
    }
    return outcome;
  }
}
