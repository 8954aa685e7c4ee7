/** Connections to the service, through a proxy where one is set. */
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';

const CONNECT_TIMEOUT_MS = 10_000;

export interface ConnectionSettings {
  /** How long a connection may take to stand, TLS and proxy included. */
  connectTimeoutMs?: number;
  proxy?: { https?: string; none?: string };
}

export interface Connections {
  /** For reads. */
  shared: Dispatcher;
  /** For writes: each has its own, since one that was idle may die just as the request goes out. */
  fresh: Dispatcher;
}

/** Where a request is given up, undici may open a connection once more, and find that nobody wants it. */
const FRESH = { pipelining: 0, keepAliveTimeout: 1 };

export function openConnections(
  origin: string,
  { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, proxy }: ConnectionSettings,
): Connections {
  const direct = { connect: { timeout }, allowH2: false };
  // An agent for any address would look this one up at each request, and make a pool anew after each fresh connection.
  if (!proxy?.https)
    return { shared: new Pool(origin, direct), fresh: new Pool(origin, { ...direct, ...FRESH }) };
  const options: EnvHttpProxyAgent.Options = {
    ...direct,
    // An empty string, not undefined: undici would look into the environment itself.
    httpProxy: '',
    httpsProxy: proxy.https,
    noProxy: proxy.none ?? '',
    proxyTls: { timeout },
    requestTls: { timeout },
    clientFactory: (origin, more) =>
      new Pool(origin, { ...more, headersTimeout: timeout }).compose(tellingProxyFailures),
  };
  return {
    shared: new EnvHttpProxyAgent(options),
    fresh: new EnvHttpProxyAgent({ ...options, ...FRESH }),
  };
}

/** Of a proxy that hangs up undici thinks as of any idle connection: it would ask it again and again, without a pause. */
const tellingProxyFailures: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (controller, { message }) =>
      handler.onResponseError?.(controller, new Error(`the proxy gave no connection: ${message}`)),
  });
