import { html, type Html } from './html';

const MOST_SHOWN = 100;

/** A heading, how many there are, and the newest of them; `items` has the newest last. */
export function section<Item>(
  { name, title, none }: { name: string; title: string; none: string },
  items: Item[],
  show: (item: Item) => Html,
): Html {
  const shown = items.slice(-MOST_SHOWN).reverse();
  const count = items.length > shown.length ? `the ${shown.length} newest of ${items.length}` : items.length;
  return html`<section id="${name}" aria-labelledby="${name}-title">
    <h2 id="${name}-title">${title} <small>${count}</small></h2>
    ${shown.length === 0 ? html`<p class="none">${none}</p>` : html`<div class="items">${shown.map(show)}</div>`}
  </section>`;
}

/** A time in UTC. */
export function time(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

/** A status in one word. */
export function badge(status: string, tone: 'good' | 'bad' | 'busy' | 'plain' = 'plain'): Html {
  return html`<span class="badge ${tone}">${status}</span>`;
}
