/** Addresses from requests: which ones become links, and which are shown as pictures. */
import { isLoopback } from '../loopback';
import { clipped } from './clipped';
import { html, type Html } from './html';

/** A picture inside the page itself is sent with every refresh. */
const LONGEST_INLINE = 64 * 1024;

/** A link if its protocol is safe; otherwise the address as text. */
export function link(address: string, label = address): Html {
  const followed = parsed(address);
  return followed && ['http:', 'https:'].includes(followed.protocol)
    ? html`<a href="${followed.href}" rel="noreferrer">${clipped(label, 120)}</a>`
    : html`<code>${clipped(address, 120)}</code>`;
}

/** A picture that opens when it is clicked; fetched when it comes into view. */
export function picture(address: string, alt: string): Html {
  return html`<a href="${address}">${image(address, alt)}</a>`;
}

/** A picture if it comes from this machine, as the page's policy requires; otherwise a link. */
export function thumbnail(address: string, alt: string): Html {
  const source = parsed(address);
  if (source?.protocol === 'data:' && address.length <= LONGEST_INLINE) return image(source.href, alt);
  const isLocal = source?.protocol === 'http:' && isLoopback(source.hostname);
  return isLocal ? picture(source.href, alt) : link(address);
}

function image(address: string, alt: string): Html {
  return html`<img src="${address}" alt="${alt}" loading="lazy" />`;
}

function parsed(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}
