/** A JSON object that is too large to keep: a few of its members are read from the stream, in any order. */
import { createHash, type Hash } from 'node:crypto';

/** A larger member is kept as its size and digest. */
const LARGEST_KEPT_BYTES = 256 * 1024;

const [BLANK = 0, QUOTE, BACKSLASH, COLON, COMMA, BRACE, END_BRACE, BRACKET, END_BRACKET] =
  Buffer.from(' "\\:,{}[]');

export class CondensedObject {
  readonly #names: readonly string[];
  readonly #found = new Map<string, string>();
  #bytes = 0;
  #first?: number;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #name = '';
  #part = new Part();

  /** `names` are the members that are wanted. An object that was cut off before the first of them came is of no use. */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    // White space is left out: a service may write it or not.
    const text = Buffer.allocUnsafe(chunk.length);
    let [from, length] = [0, 0];
    // Local variables are faster than fields, and this loop runs for every byte.
    let [inString, isEscaped] = [this.#inString, this.#isEscaped];
    for (const byte of chunk) {
      if (inString) {
        inString = isEscaped || byte !== QUOTE;
        isEscaped = !isEscaped && byte === BACKSLASH;
      } else if (byte <= BLANK) {
        continue;
      } else if (this.#isOfTheObject(byte)) {
        this.#part.write(text.subarray(from, length));
        from = length;
        this.#endPart(byte);
        continue;
      } else {
        inString = byte === QUOTE;
      }
      text[length++] = byte;
    }
    [this.#inString, this.#isEscaped] = [inString, isEscaped];
    this.#part.write(text.subarray(from, length));
  }

  /** The wanted members as JSON; undefined when the stream was not one complete object. */
  whole(): string | undefined {
    return this.#first === BRACE && this.#depth === 0 ? this.#text() : undefined;
  }

  /** The same of an object that was cut off: a member that did not come is taken for a large one. */
  cutOff(): string | undefined {
    if (this.#first !== BRACE || !this.#found.has(this.#names[0] ?? '')) return undefined;
    const missing = standIn(this.#bytes, null);
    for (const name of this.#names) if (!this.#found.has(name)) this.#found.set(name, missing);
    return this.#text();
  }

  #text(): string {
    return `{${[...this.#found].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`;
  }

  /** Whether the byte is punctuation of the object itself, and not of a value in it. */
  #isOfTheObject(byte: number): boolean {
    this.#first ??= byte;
    const before = this.#depth;
    if (byte === BRACE || byte === BRACKET) this.#depth += 1;
    if (byte === END_BRACE || byte === END_BRACKET) this.#depth -= 1;
    if (before !== this.#depth) return before + this.#depth === 1;
    return before === 1 && (byte === COLON || byte === COMMA);
  }

  #endPart(byte: number): void {
    const name = this.#names.find((wanted) => JSON.stringify(wanted) === this.#name);
    if (name !== undefined) this.#found.set(name, this.#part.text());
    this.#name = byte === COLON ? this.#part.text() : '';
    this.#part = new Part();
  }
}

class Part {
  #bytes = 0;
  #hash?: Hash;
  readonly #kept: Buffer[] = [];

  write(bytes: Buffer): void {
    this.#bytes += bytes.length;
    this.#kept.push(bytes);
    if (this.#bytes <= LARGEST_KEPT_BYTES) return;
    this.#hash ??= createHash('sha256');
    for (const kept of this.#kept.splice(0)) this.#hash.update(kept);
  }

  text(): string {
    if (this.#hash) return standIn(this.#bytes, this.#hash.digest('hex'));
    return Buffer.concat(this.#kept).toString('utf8');
  }
}

function standIn(bytes: number, sha256: string | null): string {
  return JSON.stringify({ segue: 'too large to keep', bytes, sha256 } satisfies Omit<LargeInfo, 'fetch'>);
}

/** Stands for an `info` that is too large to keep: what it was, and how to get it. */
export interface LargeInfo {
  segue: 'too large to keep';
  bytes: number;
  /** Of its JSON; null where not all of it came in time: `bytes` is how many did. */
  sha256: string | null;
  fetch: string;
}

export function isLargeInfo(info: unknown): info is LargeInfo {
  const { segue, bytes } = (info ?? {}) as Partial<LargeInfo>;
  return segue === 'too large to keep' && typeof bytes === 'number';
}
