/** Requests to any host: through the machine's proxy, and never with a credential. */
import { EnvHttpProxyAgent } from 'undici';
import { type ProxySettings } from './hosts';
import { VERSION } from './package';

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
