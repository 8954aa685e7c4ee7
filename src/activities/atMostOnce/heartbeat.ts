import { activityInfo, heartbeat } from '@temporalio/activity';
import { HEARTBEAT_EVERY_MS, HEARTBEAT_TIMEOUT_MS } from '../../contract';
import { isStillActive } from './server';

/** After this long without a heartbeat the server may soon start the next attempt. */
const LONGEST_SILENCE_MS = HEARTBEAT_TIMEOUT_MS / 2;
/** A write this close to the end of the attempt could meet the next attempt. */
const LAST_MOMENTS_MS = 10_000;

/**
 * Sends the heartbeats of an attempt, and knows until when the attempt may still write: a process that was stopped and
 * comes back must not write beside the next attempt.
 */
export class Heartbeat {
  readonly #endsAt: number;
  readonly #timer: NodeJS.Timeout;
  #lastBeat = Date.now();
  #broken = false;
  /** The server keeps only the newest details: until this attempt has its own, it repeats those of the attempt before. */
  #details: unknown = activityInfo().heartbeatDetails;

  constructor() {
    this.#endsAt = Date.now() + activityInfo().startToCloseTimeoutMs - LAST_MOMENTS_MS;
    this.#timer = setInterval(() => {
      this.#beat();
    }, HEARTBEAT_EVERY_MS);
  }

  /** Sends details for the next attempt, should this one die. */
  record(details: unknown): void {
    this.#details = details;
    this.#beat();
  }

  /** Asks the server whether this attempt still counts, and gives until when a request may be sent; 0 for never. */
  async sendBefore(): Promise<number> {
    const since = Math.min(this.#lastBeat, Date.now());
    if (this.#broken || !(await isStillActive(this.#details))) return 0;
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
