import { type LedgerSummary } from '../ledger';
import { html, type Html } from './html';

interface Figure {
  label: string;
  /** What it means when it is not 0; without it, any number is fine. */
  alarm?: string;
}

const FIGURES: Record<keyof LedgerSummary, Figure> = {
  submissions: { label: 'submissions' },
  duplicates: { label: 'duplicates', alarm: 'a job was submitted again' },
  notifications: { label: 'notifications' },
  duplicateNotifications: { label: 'duplicate notifications', alarm: 'a notification was sent again' },
  patches: { label: 'project updates' },
  lostKeys: { label: 'lost keys', alarm: 'an update dropped data' },
};

/** The ledger's summary; work that was paid for twice, sent twice or lost is marked. */
export function figures(summary: LedgerSummary): Html {
  return html`<section id="ledger" aria-labelledby="ledger-title">
    <h2 id="ledger-title">Ledger</h2>
    <dl class="figures">
      ${Object.entries(FIGURES).map(([name, { label, alarm }]) => {
        const value = summary[name as keyof LedgerSummary];
        const isAlarm = alarm !== undefined && value > 0;
        return html`<div class="figure ${isAlarm ? 'alarm' : ''}" id="figure-${name}">
          <dt>${label}${isAlarm ? html`<em>${alarm}</em>` : undefined}</dt>
          <dd>${value}</dd>
        </div>`;
      })}
    </dl>
  </section>`;
}
