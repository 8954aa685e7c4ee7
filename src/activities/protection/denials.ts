/** Denied access is one thing to mend, not a thousand: the operator gets one alert, however many jobs meet it. */
import { type NotifyOutcome, type Scope } from '../../contract';

/** The alert is sent again after this long, in case the first message was missed. */
const REPEAT_AFTER_MS = 3_600_000;

/**
 * An alert that many jobs raise at once and that is sent once. It lives in the memory of one worker, so that a message
 * of another worker, or of one that died, never silences it.
 */
export class DedupedAlert {
  readonly #now: () => number;
  #sentAt: number | null = null;
  #sending: Promise<NotifyOutcome> | null = null;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Sends it, unless it was sent already. Only a message that was surely sent counts. */
  async raise(send: () => Promise<NotifyOutcome>): Promise<NotifyOutcome> {
    if (this.#sentAt !== null && this.#now() - this.#sentAt < REPEAT_AFTER_MS) return { outcome: 'sent' };
    if (this.#sending) return this.#after(this.#sending);
    this.#sending = send();
    try {
      const outcome = await this.#sending;
      if (outcome.outcome === 'sent') this.#sentAt = this.#now();
      return outcome;
    } finally {
      this.#sending = null;
    }
  }

  /** Where the message of another job was not surely sent, this job sends its own a little later. */
  async #after(sending: Promise<NotifyOutcome>): Promise<NotifyOutcome> {
    const outcome = await sending.catch(() => undefined);
    if (outcome?.outcome === 'sent') return outcome;
    return { outcome: 'notSent', reason: 'another job was telling the same, and it may not have arrived' };
  }
}

const EVERYBODY = 'everybody';

/** Whom a denial is about: one workspace (403), or everybody who uses the credential (401). */
export function deniedScope(status: number | undefined, scope: Scope | undefined): string {
  return status === 403 ? `workspace ${scope?.organization ?? ''}` : EVERYBODY;
}

export class AccessDenials {
  readonly #alerts = new Map<string, DedupedAlert>();

  constructor(private readonly now?: () => number) {}

  alertFor(denied: string): DedupedAlert {
    const alert = this.#alerts.get(denied) ?? new DedupedAlert(this.now);
    this.#alerts.set(denied, alert);
    return alert;
  }

  /** The service accepted something of this workspace: the next outage is alerted anew. */
  reset(scope: Scope | undefined): void {
    for (const denied of [EVERYBODY, deniedScope(403, scope)]) this.#alerts.delete(denied);
  }
}
