/** The one HTTP client: every call has a time limit, a size limit, and a record of whether it was sent at all. */
import { type Dispatcher, EnvHttpProxyAgent, request as sendRequest } from 'undici';
import { type Credential } from './credential';
import { serviceWords, shorten, TransportError } from './errors';
import { type Scope } from './scope';

const CONNECT_TIMEOUT_MS = 10_000;
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;

export interface HttpSettings {
  baseUrl: string;
  credential: Credential;
  userAgent: string;
  /** How long a connection may take to stand, TLS included. */
  connectTimeoutMs?: number;
  organization?: string;
  space?: string;
  proxy?: { https?: string; none?: string };
}

export interface HttpCall {
  operation: string;
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  requestId: string;
  body?: unknown;
  ifMatch?: string;
  /** The answer is text, not JSON. */
  text?: boolean;
  scope?: Scope;
  timeoutMs: number;
  /** The request is not written after this moment: whoever ordered it has stopped waiting. */
  sendBefore?: number;
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
  /** What an answer that is no success says, without the credential. */
  words: string;
}

export function isSuccess({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

export class Http {
  readonly #settings: HttpSettings;
  /** Reads share connections. */
  readonly #shared: Dispatcher;
  /** A write has a fresh connection: one that was idle may die just as the request goes out. */
  readonly #fresh: Dispatcher;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    const options = {
      connect: { timeout: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS },
      allowH2: false,
      // An empty string, not undefined: undici would look into the environment itself.
      httpProxy: '',
      httpsProxy: settings.proxy?.https ?? '',
      noProxy: settings.proxy?.none ?? '',
    };
    this.#shared = new EnvHttpProxyAgent(options);
    this.#fresh = new EnvHttpProxyAgent({ ...options, pipelining: 0 });
  }

  /** A complete answer of any status, or a {@link TransportError}. Redirects are answers; nothing is retried. */
  async exchange(call: HttpCall): Promise<HttpAnswer> {
    const watch = new SendWatch(call.sendBefore);
    const times = { sent: Date.now(), answered: Infinity };
    const agent = call.method === 'GET' ? this.#shared : this.#fresh;
    // Not `AbortSignal.timeout`: thousands of those would stay around until long after their answers came.
    const limit = new AbortController();
    const clock = setTimeout(() => {
      limit.abort(new DOMException('the time was over', 'TimeoutError'));
    }, call.timeoutMs);
    try {
      const response = await sendRequest(this.#settings.baseUrl + call.path, {
        method: call.method,
        headers: this.#headers(call),
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        dispatcher: agent.compose(watch.interceptor),
        signal: limit.signal,
        headersTimeout: call.timeoutMs,
        bodyTimeout: call.timeoutMs,
      });
      times.answered = Date.now();
      const body = await readWhole(response.body);
      const { credential } = this.#settings;
      return {
        status: response.statusCode,
        retryAfterMs: retryAfter(response.headers['retry-after']),
        etag: one(response.headers.etag),
        date: one(response.headers.date),
        times,
        body,
        // Of most answers nobody wants to know.
        get words() {
          return credential.redact(serviceWords(body));
        },
      };
    } catch (cause) {
      const { credential } = this.#settings;
      throw new TransportError(shorten(credential.redact(explain(cause, call, watch.sent))), {
        operation: call.operation,
        requestId: call.requestId,
        sent: watch.sent,
        cause: withoutPayload(cause, credential),
      });
    } finally {
      clearTimeout(clock);
    }
  }

  /** The value without the credential in any of its texts. */
  redactAll(value: unknown): unknown {
    return this.#settings.credential.redactAll(value);
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#fresh.close()]);
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

/** Knows whether a request was started on a connection, and stops one whose time has passed before it is written. */
class SendWatch {
  sent = false;

  constructor(private readonly sendBefore = Infinity) {}

  readonly interceptor: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
    dispatch(options, {
      // undici calls this in the tick in which it writes the request, and writes nothing after an abort here.
      onRequestStart: (controller, context: unknown) => {
        // A second start would be a second sending, whatever made the dispatcher think of it.
        if (this.sent || Date.now() >= this.sendBefore) {
          controller.abort(new TooLateError());
          return;
        }
        this.sent = true;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

class TooLateError extends Error {
  constructor() {
    super('the time for sending had passed, so nothing was sent');
  }
}

async function readWhole(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST_ANSWER_BYTES) throw new Error('the answer is over 8 MiB and was cut off');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Seconds or an HTTP date; what is over already, or is neither, tells nothing. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  const text = one(header)?.trim() ?? '';
  const isDate = /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - Date.now() : 0;
  return ms > 0 ? ms : undefined;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** What an error was, without what it carries: a parser's error holds the bytes it met, credential and all. */
function withoutPayload(error: unknown, credential: Credential): Error {
  const { name, message, code } = error as { name?: string; message?: string; code?: unknown };
  const clean = new Error(credential.redact(message ?? String(error)));
  clean.name = name ?? 'Error';
  delete clean.stack;
  return typeof code === 'string' ? Object.assign(clean, { code }) : clean;
}

function explain(cause: unknown, call: HttpCall, sent: boolean): string {
  // Not `instanceof Error`: an aborted signal gives a DOMException.
  const { name, message } = cause as { name?: string; message?: string };
  if (name === 'TimeoutError') {
    return sent ? `no complete answer within ${call.timeoutMs} ms` : `not sent within ${call.timeoutMs} ms`;
  }
  const reason = message ?? name ?? String(cause);
  return sent ? `sent, but no complete answer came: ${reason}` : `not sent: ${reason}`;
}
