import { inspect } from 'node:util';

/**
 * A secret for the `Authorization` header. It shows itself nowhere: not in JSON, not in logs, not in `inspect`.
 */
export class Credential {
  readonly #scheme: string;
  readonly #secret: string;

  private constructor(scheme: string, secret: string) {
    this.#scheme = scheme;
    this.#secret = secret;
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

  /** The text without the secret: a service may repeat in its answer what it was sent. */
  redact(text: string): string {
    return this.#secret === '' ? text : text.replaceAll(this.#secret, '[credential]');
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
