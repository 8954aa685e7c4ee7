import { inspect } from 'node:util';

/** A shorter secret would match parts of ordinary text. */
const SHORTEST_REDACTED = 6;

/** A secret for the `Authorization` header. JSON, logs and `inspect` do not show it. */
export class Credential {
  readonly #scheme: string;
  readonly #secret: string;
  /** Its forms in a text, plain or escaped; none where it is too short to search for. */
  readonly #forms: string[];

  private constructor(scheme: string, secret: string) {
    this.#scheme = scheme;
    this.#secret = secret;
    const escaped = JSON.stringify(secret).slice(1, -1);
    const forms = new Set([secret, escaped, escaped.replaceAll('/', '\\/')]);
    this.#forms = secret.length < SHORTEST_REDACTED ? [] : [...forms];
  }

  static apiKey(key: string): Credential {
    return new Credential('Api-Key', key);
  }

  static bearer(token: string): Credential {
    return new Credential('Bearer', token);
  }

  /** The header's value. Only the HTTP client calls this. */
  reveal(): string {
    return `${this.#scheme} ${this.#secret}`;
  }

  /** The text without the secret, plain or escaped: a service may repeat in an answer what it was sent. */
  redact(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, '[credential]'), text);
  }

  /** The same for every text and every member's name in a JSON value. */
  redactAll<Value>(value: Value): Value;
  redactAll(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return value.map((item) => this.redactAll<unknown>(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.redact(name), this.redactAll<unknown>(member)]),
    );
  }

  toString(): string {
    return '[credential]';
  }

  toJSON(): string {
    return '[credential]';
  }

  [inspect.custom](): string {
    return '[credential]';
  }
}
