/** The one HTTP client: every call has a time limit, a size limit, and a record of whether it was sent at all. */
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { type Credential } from './credential';
import { serviceMessageOf, TooLargeError, TransportError } from './errors';
import { Exchange, type ExchangeLimits, OversizeError, TimeOverError } from './exchange';
import { truncate } from './json';
import { type Scope } from './scope';

export interface HttpSettings {
  baseUrl: string;
  credential: Credential;
  userAgent: string;
  organization?: string;
  space?: string;
  /** How long connecting may take, TLS and proxy included. */
  connectTimeoutMs?: number;
  proxy?: { https?: string; none?: string };
}

export interface HttpCall extends ExchangeLimits {
  operation: string;
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  requestId: string;
  body?: unknown;
  ifMatch?: string;
  text?: boolean;
  scope?: Scope;
}

export interface HttpAnswer {
  status: number;
  /** `Retry-After`, as milliseconds from now. */
  retryAfterMs?: number;
  etag?: string;
  /** The service's own time. */
  date?: string;
  /** When the call began and its answer did, by this machine's clock. */
  times: { sent: number; answered: number };
  body: string;
  /** The message of an answer that is no success, without the credential. */
  serviceMessage: string;
}

export function isSuccess({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

export class Http {
  readonly #settings: HttpSettings;
  readonly #connections: Connections;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#connections = openConnections(new URL(settings.baseUrl).origin, settings);
  }

  /** A complete answer of any status, or a {@link TransportError}. Redirects are answers; nothing is retried. */
  async exchange(call: HttpCall): Promise<HttpAnswer> {
    const { baseUrl, credential } = this.#settings;
    const sent = Date.now();
    const exchange = new Exchange(call);
    try {
      const { origin, pathname, search } = new URL(baseUrl + call.path);
      const agent = mayRepeat(call) ? this.#connections.shared : this.#connections.fresh;
      const body = call.body === undefined ? undefined : JSON.stringify(call.body);
      const request = { origin, path: pathname + search, method: call.method, headers: this.#headers(call) };
      const answer = await exchange.run(agent, { ...request, body });
      const { status, headers } = answer;
      return {
        status,
        retryAfterMs: retryAfter(headers['retry-after']),
        etag: one(headers.etag),
        date: one(headers.date),
        times: { sent, answered: answer.at },
        body: answer.body,
        // Computed on demand: most callers never read it.
        get serviceMessage() {
          return serviceMessageOf(answer.body, (text) => credential.redact(text));
        },
      };
    } catch (cause) {
      const { operation, requestId } = call;
      const message = truncate(credential.redact(explain(cause, call, exchange.sent)));
      const facts = { operation, requestId, cause: withoutPayload(cause, credential) };
      throw cause instanceof OversizeError
        ? new TooLargeError(message, { ...facts, status: cause.status })
        : new TransportError(message, { ...facts, sent: exchange.sent });
    }
  }

  redactAll<Value>(value: Value): Value {
    return this.#settings.credential.redactAll(value);
  }

  async close(): Promise<void> {
    const { shared, fresh } = this.#connections;
    await Promise.all([shared.close(), fresh.close()]);
  }

  #headers(call: HttpCall): Record<string, string> {
    const organization = call.scope?.organization ?? this.#settings.organization;
    const space = call.scope?.space ?? this.#settings.space;
    return {
      authorization: this.#settings.credential.reveal(),
      accept: call.text ? 'text/*, */*' : 'application/json',
      'user-agent': this.#settings.userAgent,
      'x-request-id': call.requestId,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.ifMatch === undefined ? {} : { 'if-match': call.ifMatch }),
      ...(organization === undefined ? {} : { organization }),
      ...(space === undefined ? {} : { space }),
    };
  }
}

/** Reads seconds or an HTTP date; undefined for a time in the past or another format. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  const text = one(header)?.trim() ?? '';
  const isDate = /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - Date.now() : 0;
  return ms > 0 ? ms : undefined;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** A copy of an error without its payload: a parser's error carries the bytes it read, which may hold the credential. */
function withoutPayload(error: unknown, credential: Credential): Error {
  const { name, message, code } = error as { name?: string; message?: string; code?: unknown };
  const clean = new Error(credential.redact(message ?? String(error)));
  clean.name = name ?? 'Error';
  delete clean.stack;
  return typeof code === 'string' ? Object.assign(clean, { code }) : clean;
}

function explain(cause: unknown, call: HttpCall, sent: boolean): string {
  if (cause instanceof TimeOverError) {
    return sent ? `no complete answer within ${call.timeoutMs} ms` : `not sent within ${call.timeoutMs} ms`;
  }
  const { name, message } = cause as { name?: string; message?: string };
  const reason = message ?? name ?? String(cause);
  return sent ? `sent, but no complete answer came: ${reason}` : `not sent: ${reason}`;
}

const CONNECT_TIMEOUT_MS = 10_000;

interface Connections {
  shared: Dispatcher;
  /** For requests that must not repeat: an idle connection may close just as one is sent on it. */
  fresh: Dispatcher;
}

function mayRepeat({ method, ifMatch }: HttpCall): boolean {
  return method === 'GET' || ifMatch !== undefined;
}

/** One request for each connection. One that undici opens for a request that was given up closes at once. */
const FRESH = { pipelining: 0, keepAliveTimeout: 1 };

function openConnections(
  origin: string,
  { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, proxy }: HttpSettings,
): Connections {
  const direct = { connect: { timeout }, allowH2: false };
  // A pool for one origin: a general agent would make a new pool after each fresh connection.
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
      new Pool(origin, { ...more, headersTimeout: timeout }).compose(reportProxyFailures),
  };
  return {
    shared: new EnvHttpProxyAgent(options),
    fresh: new EnvHttpProxyAgent({ ...options, ...FRESH }),
  };
}

/** undici takes a proxy that hangs up for an idle connection that closed, and would retry without a pause. */
const reportProxyFailures: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (controller, { message }) =>
      handler.onResponseError?.(controller, new Error(`the proxy gave no connection: ${message}`)),
  });
