import { activityInfo, heartbeat } from '@temporalio/activity';
import { HEARTBEAT_EVERY_MS, HEARTBEAT_TIMEOUT_MS } from '../../contract';
import { isStillOurs } from './isStillActive';

/** After this long without a sign of life the server may soon give the attempt to somebody else. */
const LONGEST_SILENCE_MS = HEARTBEAT_TIMEOUT_MS / 2;
/** What is written this close to the end of the attempt could meet the next one. */
const LAST_MOMENTS_MS = 10_000;

/**
 * Shows the server that an attempt lives, and tells until when it may still write: a process that was stopped and
 * comes back must not write beside the attempt that took its place.
 */
export class Pulse {
  readonly #endsAt: number;
  readonly #timer: NodeJS.Timeout;
  #lastBeat = Date.now();
  #broken = false;
  /** The server keeps the newest only: until this attempt has a note of its own, it repeats the one before it. */
  #details: unknown = activityInfo().heartbeatDetails;

  constructor() {
    this.#endsAt = Date.now() + activityInfo().startToCloseTimeoutMs - LAST_MOMENTS_MS;
    this.#timer = setInterval(() => {
      this.#beat();
    }, HEARTBEAT_EVERY_MS);
  }

  /** What the next attempt is told, should this one die. */
  note(details: unknown): void {
    this.#details = details;
    this.#beat();
  }

  /** Asks the server whether this attempt still counts. A request that is not on its way by then stays here. */
  async sendBefore(): Promise<number> {
    const since = Math.min(this.#lastBeat, Date.now());
    if (this.#broken || !(await isStillOurs(this.#details))) return 0;
    return Math.min(since + LONGEST_SILENCE_MS, this.#endsAt);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    if (Date.now() - this.#lastBeat > LONGEST_SILENCE_MS) this.#broken = true;
    this.#lastBeat = Date.now();
    heartbeat(this.#details);
  }
}
