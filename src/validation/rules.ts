/**
 * Rules of JSON values. A rule finds all problems of a value, and has the JSON Schema of good values. Part of the workflow
 * bundle, which must not contain a schema library.
 */
import { isRecord, type Path, type Problem } from '../api/json';

export type { Path, Problem };

export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  required?: string[];
  [keyword: string]: unknown;
}

type Check<Value = unknown> = (value: Value, path: Path) => Problem[];

export interface Rule {
  check: Check;
  schema: JsonSchema;
  isRequired?: true;
}

/** All problems as texts, for any JSON. */
export function validate(rule: Rule, value: unknown): string[] {
  return rule.check(value, []).map(problemText);
}

/** `media.banner.tool: must be a text` */
export function problemText({ path, message }: Problem): string {
  return `${path.join('.') || 'the input'}: ${message}`;
}

export function required(rule: Rule): Rule {
  return { ...rule, isRequired: true };
}

/** The description is for editors and other languages. */
export function described(description: string, rule: Rule): Rule {
  return { ...rule, schema: { ...rule.schema, description } };
}

export function must(be: string, schema: JsonSchema, isGood: (value: unknown) => boolean): Rule {
  const problemOf = (value: unknown): string => {
    const isBare = schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean');
    return isBare && isGood(String(value))
      ? `must be a text: put it in quotes, "${String(value)}"`
      : `must be ${be}`;
  };
  return { check: (value, path) => (isGood(value) ? [] : [{ path, message: problemOf(value) }]), schema };
}

export function matching(pattern: RegExp, be: string): Rule {
  const schema = { type: 'string', pattern: pattern.source };
  return must(be, schema, (value) => typeof value === 'string' && pattern.test(value));
}

export function oneOf(values: readonly string[]): Rule {
  const be = values.join(', ').replace(/, (\w+)$/, ' or $1');
  return must(be, { type: 'string', enum: values }, (value) => values.includes(value as string));
}

export function wholeNumber(maximum: number): Rule {
  return must(
    `a whole number from 1 to ${maximum}`,
    { type: 'integer', minimum: 1, maximum },
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maximum,
  );
}

export function listOf(rule: Rule, { least = 0, most }: { least?: number; most: number }): Rule {
  return {
    check: (value, path) => {
      if (!Array.isArray(value)) return [{ path, message: 'must be a list' }];
      if (value.length < least) return [{ path, message: 'must not be empty' }];
      if (value.length > most) return [{ path, message: `has ${value.length} entries, more than ${most}` }];
      return value.flatMap((entry, index) => rule.check(entry, [...path, index]));
    },
    schema: { type: 'array', items: rule.schema, minItems: least, maxItems: most },
  };
}

/** An object that may have other members, too. */
export function openObject(fields: Record<string, Rule>): Rule {
  const members = Object.entries(fields);
  return {
    check: (value, path) => {
      if (!isRecord(value)) return [{ path, message: 'must be an object' }];
      return members.flatMap(([name, { check, isRequired }]) => {
        const memberPath = [...path, name];
        if (!isLeftOut(value[name])) return check(value[name], memberPath);
        return isRequired ? [{ path: memberPath, message: 'is required' }] : [];
      });
    },
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        members.map(([name, { schema, isRequired }]) => [name, isRequired ? schema : nullable(schema)]),
      ),
      required: members.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    },
  };
}

/** Takes null as well: only `type` and `enum` of a rule's schema refuse it. */
export function nullable({ type, enum: values, ...others }: JsonSchema): JsonSchema {
  const known = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  return type === undefined ? others : { type: [type, 'null'].flat(), ...known, ...others };
}

/** The JSON Schema of an object that has this member, and not as null. */
export function hasMember(name: string): JsonSchema {
  return { required: [name], properties: { [name]: { not: { type: 'null' } } } };
}

/** An object without other members: a misspelt one would be work that is silently left out. */
export function object(fields: Record<string, Rule>): Rule {
  const { check, schema } = openObject(fields);
  return {
    check: (value, path) => [
      ...Object.keys(isRecord(value) ? value : {})
        .filter((name) => !Object.hasOwn(fields, name))
        .map((name): Problem => ({ path: [...path, name], message: 'is not known here', ofName: true })),
      ...check(value, path),
    ],
    schema: { ...schema, additionalProperties: false },
  };
}

/** One more check of an object. It is made even where the rule finds problems. */
export function also(rule: Rule, more: Check<Record<string, unknown>>, schema?: JsonSchema): Rule {
  return {
    check: (value, path) => [...rule.check(value, path), ...(isRecord(value) ? more(value, path) : [])],
    schema: { ...rule.schema, ...schema },
  };
}

/** An object whose writer names the members. */
export function eachNamed(name: Rule, rule: Rule): Rule {
  return {
    check: (value, path) =>
      isRecord(value)
        ? Object.entries(value).flatMap(([member, inner]) => rule.check(inner, [...path, member]))
        : [{ path, message: 'must be an object with a name for each' }],
    schema: { type: 'object', propertyNames: name.schema, additionalProperties: rule.schema },
  };
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Other languages write null for what they leave out. */
export function isLeftOut(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** At the top level only: a request keeps its own nulls. */
export function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => !isLeftOut(member))) as T;
}
