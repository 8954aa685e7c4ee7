/** Requests to any host: through the machine's proxy, and never with a credential. */
import { EnvHttpProxyAgent } from 'undici';
import { VERSION } from './package';

export interface ProxySettings {
  https?: string;
  /** Hosts that are reached directly, in the form of NO_PROXY. */
  none?: string;
}

export const PLAIN_HEADERS = { 'user-agent': `segue/${VERSION}` };

export const MOST_REDIRECTIONS = 5;

/** The caller destroys it. */
export function plainAgent(proxy: ProxySettings): EnvHttpProxyAgent {
  return new EnvHttpProxyAgent({
    httpProxy: '',
    httpsProxy: proxy.https ?? '',
    noProxy: proxy.none ?? '',
  });
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
