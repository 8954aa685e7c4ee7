/** Which line had a key, or anything else that is one line's alone, first: for a million of them. */
import { hash } from 'node:crypto';

/**
 * 72 bits: among a million keys, two that differ look the same once in ten thousand million manifests. A longer slice
 * would keep the whole text alive that it was cut from, and take three times the memory.
 */
const SHORT = 12;

export function shortKey(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, SHORT);
}

export class SeenKeys {
  readonly #lines = new Map<string, number>();

  /** The line that has the key already; nothing when it is this one's from now on. */
  take(key: string, line: number): number | undefined {
    const short = shortKey(key);
    const earlier = this.#lines.get(short);
    if (earlier === undefined) this.#lines.set(short, line);
    return earlier;
  }
}
