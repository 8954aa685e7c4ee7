/** What a failed call tells: which operation, what the service said, and how to find it in the service's logs. */
export class ApiError extends Error {
  readonly operation: string;
  readonly requestId: string;
  /** Absent when no complete answer came. */
  readonly status?: number;
  readonly retryAfterMs?: number;

  constructor(
    message: string,
    facts: { operation: string; requestId: string; status?: number; retryAfterMs?: number; cause?: unknown },
  ) {
    super(`${facts.operation}: ${message}`, { cause: facts.cause });
    this.name = 'ApiError';
    this.operation = facts.operation;
    this.requestId = facts.requestId;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/**
 * No complete answer came. `sent: false` is a proof: no byte of the request was written to a connection.
 * `sent: true` does not mean that the service received it, only that nobody can tell.
 */
export class TransportError extends ApiError {
  readonly sent: boolean;

  constructor(
    message: string,
    facts: { operation: string; requestId: string; sent: boolean; status?: number; cause?: unknown },
  ) {
    super(message, facts);
    this.name = 'TransportError';
    this.sent = facts.sent;
  }
}

const MOST_WORDS = 500;

/** The service's own words in an error answer, whose shape is not published: JSON, text or a page of HTML. */
export function serviceWords(body: string): string {
  return shorten(wordsOf(body).replace(/\s+/g, ' ').trim());
}

export function shorten(text: string, most = MOST_WORDS): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function wordsOf(body: string): string {
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json === 'string') return json;
    if (json !== null && typeof json === 'object') {
      const { detail, error, errors, message } = json as Record<string, unknown>;
      const said = detail ?? errors ?? error ?? message ?? json;
      return typeof said === 'string' ? said : JSON.stringify(said);
    }
    return body;
  } catch {
    return body.replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  }
}
