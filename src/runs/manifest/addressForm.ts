/** Which addresses a manifest may have, and what messages call them. */
import { isLoopback } from '../../platform/plainAgent';

/** An address without its query, which may be signed or secret, for messages. */
export function addressName(address: string): string {
  if (!URL.canParse(address)) return 'the address';
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

export function problemOfAddress(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return 'is not an address';
  if (url.username || url.password) return 'holds a user name or password; a signed address needs none';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined;
  return 'must be an https address; plain http is for this machine only';
}
