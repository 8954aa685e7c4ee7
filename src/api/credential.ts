import { inspect } from 'node:util';

/**
 * A secret for the `Authorization` header. It shows itself nowhere: not in JSON, not in logs, not in `inspect`.
 */
export class Credential {
  readonly #authorization: string;

  private constructor(authorization: string) {
    this.#authorization = authorization;
  }

  static apiKey(key: string): Credential {
    return new Credential(`Api-Key ${key}`);
  }

  static bearer(token: string): Credential {
    return new Credential(`Bearer ${token}`);
  }

  /** The header's value. Only the HTTP client calls this. */
  reveal(): string {
    return this.#authorization;
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
