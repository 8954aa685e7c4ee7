import { type SentNotification } from '../state';
import { link } from './address';
import { clipped } from './clipped';
import { html, type Html } from './html';
import { badge, section, time } from './section';

const heading = { name: 'notifications', title: 'Notifications', none: 'No notification was sent yet.' };

export function notifications(sent: SentNotification[]): Html {
  return section(heading, sent, ({ id, at, request, channels, delivered, remarks }) => {
    return html`<article id="notification-${id}">
      <header>
        <h3>${clipped(delivered.heading, 200)}</h3>
        ${badge(String(request.category), request.category === 'agentError' ? 'bad' : 'plain')}
      </header>
      <p class="written">${clipped(delivered.card)}</p>
      ${delivered.body === delivered.card ? undefined : markdown(delivered.body)}
      <dl class="facts">
        <dt>sent</dt>
        <dd>${time(at)}</dd>
        <dt>to</dt>
        <dd>${channels.join(', ')}</dd>
        <dt>link</dt>
        <dd>${button(delivered)}</dd>
      </dl>
      ${remarks.length === 0 ? undefined : remarksOf(remarks)}
    </article>`;
  });
}

/** Markdown, as it was written. */
function markdown(body: string): Html {
  return html`<details>
    <summary>body</summary>
    <pre>${clipped(body)}</pre>
  </details>`;
}

function button({ link: address, ctaLabel }: SentNotification['delivered']): Html {
  return address === null ? html`<span class="none">none</span>` : html`“${ctaLabel}” to ${link(address)}`;
}

function remarksOf(remarks: string[]): Html {
  return html`<ul class="problems">
    ${remarks.map((remark) => html`<li>${remark}</li>`)}
  </ul>`;
}
