/** Which workspace, and which part of it, a call is about; and what may be an id. Workflows import this file too. */
import { isRecord } from './json';

export interface Scope {
  organization?: string;
  space?: string;
}

/** Whether an HTTP header can carry the value as it is. */
export function fitsHeader(value: string): boolean {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}

/** Encoded, a workspace's id is a part of a workflow id. */
const LONGEST_SCOPE = 100;

/** Of any value: other languages write null for what they leave out. */
export function validateScope(scope: unknown): string[] {
  if (scope === undefined || scope === null) return [];
  if (!isRecord(scope)) return ['scope: must be an object'];
  return Object.entries(scope).flatMap(([name, value]) => {
    if (name !== 'organization' && name !== 'space')
      return [`scope.${name}: is neither organization nor space`];
    if (value === undefined || value === null) return [];
    return typeof value === 'string' && fitsHeader(value) && value.length <= LONGEST_SCOPE
      ? []
      : [`scope.${name}: must be an id that an HTTP header can carry, at most ${LONGEST_SCOPE} long`];
  });
}

/** Whether a value is a text of ASCII without blanks, and no longer than that. */
export function isPrintable(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest && /^[\x21-\x7e]+$/.test(value);
}

/** Whether a text can be the service's id of something and a part of a path: not empty, no outer blanks, no climbing. */
export function isId(text: string): boolean {
  return text !== '' && text === text.trim() && text !== '.' && text !== '..' && isWellFormed(text);
}

/** Whether UTF-8 can encode the text. A worker shuts down when it sends another short text to Temporal as an id or message. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

export function isIdText(value: unknown): value is string {
  return typeof value === 'string' && isId(value) && value.length <= 200;
}

export const ID_FORM = 'an id: not empty, no blanks around it, at most 200 long';
