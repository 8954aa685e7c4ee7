/** How the parts of a plain JSON value are checked, where no schema library may be: in the workflow bundle. */
import { isWellFormed } from '../../api/scope';
import { isLeftOut, isRecord, isText } from '../inputs';

/** What is wrong, and where: a starter who has the text of a spec turns the path into a line and a column. */
export type Path = readonly (string | number)[];

export interface Problem {
  path: Path;
  words: string;
  /** Whether the name is wrong, not what it names. */
  ofName?: true;
}

/** `media.banner.tool: must be a text` */
export function problemText({ path, words }: Problem): string {
  return `${path.join('.') || 'the campaign'}: ${words}`;
}

/** Problems that others tell as `field: words`, at their place in the whole. */
export function problemsWithin(path: Path, texts: string[]): Problem[] {
  return texts.map((text) => {
    const colon = text.indexOf(': ');
    return { path: [...path, ...text.slice(0, colon).split('.')], words: text.slice(colon + 2) };
  });
}

export type Check = (value: unknown, path: Path) => Problem[];

export interface Field {
  check: Check;
  required: boolean;
}

export function required(check: Check): Field {
  return { check, required: true };
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
      .map((name) => unknownMember([...path, name]));
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

export function unknownMember(path: Path): Problem {
  return { path, words: 'is not known here', ofName: true };
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

const LONGEST_COMMENT = 4_000;

/** Who gives an order to a running batch or campaign, and why. */
export const person = must(
  (value) => isText(value) && value.trim() !== '' && value.length <= 200 && isWellFormed(value),
  'who says so',
);
export const comment = must(
  (value) => typeof value === 'string' && value.length <= LONGEST_COMMENT && isWellFormed(value),
  `a text of at most ${LONGEST_COMMENT} characters`,
);

export function orderText(problem: Problem): string {
  return problem.path.length === 0 ? `the order: ${problem.words}` : problemText(problem);
}
