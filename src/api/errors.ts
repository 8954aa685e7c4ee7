/** The one family of errors that calls of the service end with. */
import { type z } from 'zod';
import { pointerTo, pointerTokens, type Problem, truncate, valueAt } from './json';

interface Facts {
  operation: string;
  requestId: string;
  cause?: unknown;
}

/** Every error of this folder: which operation, and the id by which the service's logs know the request. */
export class ApiError extends Error {
  readonly operation: string;
  readonly requestId: string;

  constructor(message: string, { operation, requestId, cause }: Facts) {
    super(`${operation}: ${message}`, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.operation = operation;
    this.requestId = requestId;
  }
}

/** The service refused the request. */
export class StatusError extends ApiError {
  readonly status: number;
  readonly retryAfterMs?: number;

  constructor(
    answer: { status: number; serviceMessage: string; retryAfterMs?: number },
    facts: Facts & { hint?: string },
  ) {
    const said = `status ${answer.status}: ${answer.serviceMessage || 'no message'}`;
    super([said, facts.hint].filter(Boolean).join(' — '), facts);
    this.status = answer.status;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

export function isMissing(error: unknown): error is StatusError {
  return error instanceof StatusError && error.status === 404;
}

export function isUnknownWorkspace(error: unknown): error is StatusError {
  return isMissing(error) && error.operation === 'get workspace';
}

/**
 * No complete answer came. `sent: false` is a proof: no byte of the request was written to a connection.
 * `sent: true` does not mean that the service received it, only that it may have.
 */
export class TransportError extends ApiError {
  readonly sent: boolean;

  constructor(message: string, facts: Facts & { sent: boolean }) {
    super(message, facts);
    this.sent = facts.sent;
  }
}

/** The answer was larger than the caller takes. */
export class TooLargeError extends TransportError {
  readonly status: number;

  constructor(message: string, { status, ...facts }: Facts & { status: number }) {
    super(message, { ...facts, sent: true });
    this.status = status;
  }
}

/** The answer was a success, but not of the shape that is needed; the message names field and expectation. */
export class AnswerError extends ApiError {}

/** The request was refused before anything was sent; the message has all its problems. */
export class InvalidRequestError extends ApiError {
  constructor(problems: string[], facts: Facts) {
    super(`not sent, the request is wrong: ${problems.join('; ')}`, facts);
  }
}

/** The operation needs a setting, which is missing or wrong, because the API's document does not say enough. */
export class NotConfiguredError extends ApiError {
  constructor({ setting, problem }: { setting: string; problem: string }, facts: Facts) {
    super(`${problem}; set ${setting}`, facts);
  }
}

/** No more of a body is read: an error may be a page of megabytes. */
const MOST_LOOKED_AT = 16 * 1024;

/**
 * The service's own message in an error answer, whose shape is not published: JSON, text or a page of HTML. It is
 * redacted before it is cut, because half a credential would not be found, and once more in its final form.
 */
export function serviceMessageOf(body: string, redact: (text: string) => string): string {
  const message = redact(messageIn(redact(body)));
  return truncate(message.slice(0, MOST_LOOKED_AT).replace(/\s+/g, ' ').trim());
}

function messageIn(body: string): string {
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json === 'string') return json;
    if (json === null || typeof json !== 'object') return body;
    const { detail, error, errors, message } = json as Record<string, unknown>;
    const said = [detail, error, message, errors].filter((part) => part !== undefined && part !== null);
    if (said.length === 0) return JSON.stringify(json);
    return said.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('; ');
  } catch {
    return body
      .slice(0, MOST_LOOKED_AT)
      .replace(/<(style|script)[\s\S]{0,4096}?<\/\1>/gi, ' ')
      .replace(/<[^<>]{0,1024}>/g, ' ');
  }
}

/** Every problem that a schema found: where, and what is expected there. One for each field that is not known. */
export function findSchemaProblems({ issues }: z.ZodError): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((name) => ({
        path: [...path, name],
        message: 'is not known here',
        ofName: true,
      }));
    const isMissing = issue.message.endsWith('received undefined');
    return [{ path, message: isMissing ? 'is required' : issue.message }];
  });
}

/** The same, a line each. */
export function zodProblems(error: z.ZodError, whole = 'request'): string[] {
  return findSchemaProblems(error).map(({ path, message }) => `${path.join('.') || whole}: ${message}`);
}

const MOST_NAMES = 20;
const LONGEST_NAME = 60;

/** For a pointer that leads nowhere: its longest prefix that has a value, and that value. `whole` names the document. */
export function describeNearest(document: unknown, pointer: string, whole: string): string {
  let tokens = pointerTokens(pointer);
  while (valueAt(document, pointerTo(tokens)) === undefined && tokens.length > 0)
    tokens = tokens.slice(0, -1);
  const nearest = pointerTo(tokens);
  const where = nearest === '' ? `In ${whole}` : `At ${nearest}`;
  return `${where} there is ${describeValue(valueAt(document, nearest))}`;
}

export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null || typeof value !== 'object') return truncate(JSON.stringify(value));
  const names = Object.keys(value).map((name) => truncate(name, LONGEST_NAME));
  const listed = names.slice(0, MOST_NAMES).join(', ') || 'nothing';
  const others = names.length - MOST_NAMES;
  return `an object with ${listed}${others > 0 ? ` and ${others} more` : ''}`;
}
