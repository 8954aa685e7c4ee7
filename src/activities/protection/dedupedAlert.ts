/**
 * Keeps a trouble that many jobs meet at once from being told once for each of them: a credential that is denied is one
 * thing to mend, not a thousand.
 *
 * In the memory of one worker, so that nothing is ever kept silent by what another one, or one that died, has told.
 */
import { type NotifyOutcome } from '../../contract';

/** It is told again after this long, in case the first message was missed. */
const TOLD_FOR_MS = 3_600_000;

export class SharedTrouble {
  readonly #now: () => number;
  #toldAt: number | null = null;
  #telling: Promise<NotifyOutcome> | null = null;
  /** Counts how often it was over: what is told of one time is not told of the next. */
  #time = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Tells it, unless somebody was told already. Only what was surely sent counts as told. */
  async tell(send: () => Promise<NotifyOutcome>): Promise<NotifyOutcome> {
    if (this.#toldAt !== null && this.#now() - this.#toldAt < TOLD_FOR_MS) return { outcome: 'sent' };
    if (this.#telling) return this.#after(this.#telling);
    const time = this.#time;
    const telling = send();
    this.#telling = telling;
    try {
      const outcome = await telling;
      if (outcome.outcome === 'sent' && time === this.#time) this.#toldAt = this.#now();
      return outcome;
    } finally {
      if (this.#telling === telling) this.#telling = null;
    }
  }

  /** What comes after this is another trouble. */
  isOver(): void {
    this.#time += 1;
    this.#toldAt = null;
    this.#telling = null;
  }

  /** Where the one before was not surely sent, this one sends its own, a little later. */
  async #after(telling: Promise<NotifyOutcome>): Promise<NotifyOutcome> {
    const outcome = await telling.catch(() => undefined);
    if (outcome?.outcome === 'sent') return outcome;
    return { outcome: 'notSent', reason: 'another job was telling the same, and it may not have arrived' };
  }
}
