/**
 * JSON pointers (RFC 6901): `/a/b~1c/0`. The empty pointer is the whole document. Also the depth and the size of a value,
 * and shorter texts. Workflows import this file too.
 */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export type Path = readonly (string | number)[];

/** What is wrong with a value, and where. */
export interface Problem {
  path: Path;
  message: string;
  /** The name is wrong, not its value. */
  ofName?: true;
}

export function isPointer(text: string): boolean {
  return /^(\/([^~]|~[01])*)?$/.test(text);
}

/** A pointer to a part of a document, not to the whole: a write there keeps the rest. */
export function isInnerPointer(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isPointer(value);
}

export function pointerTokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointerTokens(pointer)) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, token)) return undefined;
    // A list has items by number; `length` is no item.
    if (Array.isArray(value) && !/^\d+$/.test(token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}

export function pointerTo(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Looks no deeper than `levels`, so that it cannot overflow the stack itself. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** As JSON, in UTF-8; `undefined` counts as null. */
export function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value ?? null)).length;
}

/** The longest message or reason that is kept. */
const LONGEST_MESSAGE = 500;

/** The text in at most `longest` characters; "…" is the last of them where something is left out. */
export function truncate(text: string, longest = LONGEST_MESSAGE): string {
  if (text.length <= longest) return text;
  // Half of a surrogate pair is no character, and not every database stores it.
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The text in at most `most` bytes, as UTF-8 in JSON; never cut inside a character. */
export function truncateBytes(text: string, most: number): string {
  let fitting = truncate(text, most);
  // Without the two quotes of the JSON, in which a character has at most six bytes.
  const excess = (): number => bytesOf(fitting) - 2 - most;
  while (excess() > 0) fitting = truncate(fitting, fitting.length - Math.ceil(excess() / 6));
  return fitting;
}
