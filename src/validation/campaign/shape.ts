/** How the parts of a plain JSON value are checked, where no schema library may be: in the workflow bundle. */
import { isRecord } from '../inputs';
import { suggestion } from './nearest';
import { type Path, type Problem } from './problem';

export type Check = (value: unknown, path: Path) => Problem[];

export interface Field {
  check: Check;
  required: boolean;
}

export function required(check: Check): Field {
  return { check, required: true };
}

/** Other languages write null for what they leave out. */
export function isLeftOut(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

export function must(isGood: (value: unknown) => boolean, be: string): Check {
  return (value, path) => (isGood(value) ? [] : [{ path, words: `must be ${be}` }]);
}

/** An object with these members and no other: a misspelt one would be work that is silently left out. */
export function object(fields: Record<string, Check | Field>): Check {
  const names = Object.keys(fields);
  return (value, path) => {
    if (!isRecord(value)) return [{ path, words: 'must be an object' }];
    const unknown = Object.keys(value)
      .filter((name) => !names.includes(name))
      .map((name) => unknownMember([...path, name], names));
    const wrong = Object.entries(fields).flatMap(([name, field]) => {
      const { check, required: isRequired } =
        typeof field === 'function' ? { check: field, required: false } : field;
      const place = [...path, name];
      if (!isLeftOut(value[name])) return check(value[name], place);
      return isRequired ? [{ path: place, words: 'is required' }] : [];
    });
    return [...unknown, ...wrong];
  };
}

/** `known` are the members that there may be. */
export function unknownMember(path: Path, known: readonly string[]): Problem {
  return { path, words: `is not known here${suggestion(String(path.at(-1)), known)}`, ofName: true };
}

export function listOf(check: Check, { least = 0, most }: { least?: number; most: number }): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return [{ path, words: 'must be a list' }];
    if (value.length < least) return [{ path, words: 'must not be empty' }];
    if (value.length > most) return [{ path, words: `has ${value.length} entries, more than ${most}` }];
    return value.flatMap((entry, index) => check(entry, [...path, index]));
  };
}

/** An object whose members are named by whoever writes it. */
export function eachNamed(check: Check): Check {
  return (value, path) =>
    isRecord(value)
      ? Object.entries(value).flatMap(([name, member]) => check(member, [...path, name]))
      : [{ path, words: 'must be an object with a name for each' }];
}
