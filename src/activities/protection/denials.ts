/** Denied access is one problem: the operator gets one alert, however many jobs meet it. */
import { type NotifyOutcome, type Scope } from '../../contract';

/** The alert is sent again after this long, in case the first message was missed. */
const REPEAT_AFTER_MS = 3_600_000;

const EVERYBODY = 'everybody';

/** Whom a denial is about: one workspace (403), or everybody who uses the credential (401). */
export function deniedScope(status: number | undefined, scope: Scope | undefined): string {
  return status === 403 ? `workspace ${scope?.organization ?? ''}` : EVERYBODY;
}

interface Alert {
  /** When it was surely sent. */
  sentAt?: number;
  sending?: Promise<NotifyOutcome>;
}

/** Kept in the memory of one worker, so that a message of another worker, or of one that died, never silences it. */
export class AccessDenials {
  readonly #alerts = new Map<string, Alert>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Sends an alert, unless it was sent already. Only a message that was surely sent counts. */
  async raise(denied: string, send: () => Promise<NotifyOutcome>): Promise<NotifyOutcome> {
    const alert = this.#alerts.get(denied) ?? {};
    this.#alerts.set(denied, alert);
    if (alert.sentAt !== undefined && this.now() - alert.sentAt < REPEAT_AFTER_MS) return { outcome: 'sent' };
    if (alert.sending) return outcomeOfOther(alert.sending);
    alert.sending = send();
    try {
      const outcome = await alert.sending;
      if (outcome.outcome === 'sent') alert.sentAt = this.now();
      return outcome;
    } finally {
      alert.sending = undefined;
    }
  }

  /** The service accepted something of this workspace: the next outage gets a new alert. */
  reset(scope: Scope | undefined): void {
    for (const denied of [EVERYBODY, deniedScope(403, scope)]) this.#alerts.delete(denied);
  }
}

/** Where the message of another job was not surely sent, this job sends its own a little later. */
async function outcomeOfOther(sending: Promise<NotifyOutcome>): Promise<NotifyOutcome> {
  const outcome = await sending.catch(() => undefined);
  if (outcome?.outcome === 'sent') return outcome;
  return { outcome: 'notSent', reason: 'another job sent the same alert, and it may not have arrived' };
}
