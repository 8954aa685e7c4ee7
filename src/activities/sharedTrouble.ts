/**
 * Keeps a trouble that many jobs meet at once from being told once for each of them: a credential that is denied is one
 * thing to mend, not a thousand.
 *
 * In the memory of one worker, so that nothing is ever kept silent by what another one, or one that died, has told.
 */
import { type NotifyOutcome } from '../contract';

/** It is told again after this long, in case the first message was missed. */
const TOLD_FOR_MS = 3_600_000;

export class SharedTrouble {
  readonly #now: () => number;
  #toldAt: number | null = null;
  #telling: Promise<NotifyOutcome> | null = null;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Tells it, unless somebody was told already. Only what was surely sent counts as told. */
  async tell(send: () => Promise<NotifyOutcome>): Promise<NotifyOutcome> {
    if (this.#toldAt !== null && this.#now() - this.#toldAt < TOLD_FOR_MS) return { outcome: 'sent' };
    if (this.#telling) return this.#after(this.#telling);
    this.#telling = send();
    try {
      const outcome = await this.#telling;
      if (outcome.outcome === 'sent') this.#toldAt = this.#now();
      return outcome;
    } finally {
      this.#telling = null;
    }
  }

  /** What comes after this is another trouble. */
  isOver(): void {
    this.#toldAt = null;
  }

  /** Where the one before was not surely sent, this one sends its own, a little later. */
  async #after(telling: Promise<NotifyOutcome>): Promise<NotifyOutcome> {
    const outcome = await telling.catch(() => undefined);
    if (outcome?.outcome === 'sent') return outcome;
    return { outcome: 'notSent', reason: 'another job was telling the same, and it may not have arrived' };
  }
}
