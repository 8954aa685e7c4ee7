/**
 * What a change is, and what it makes of a project's data. Pure, and part of the workflow bundle.
 *
 * Members of objects only: two who change one list by index would move each other's items.
 */
import { isDeeper, isPointer, isRecord, pointerTo, pointerTokens } from '../api/json';
import { ID_FORM, isIdText, isPrintable } from '../api/scope';
import { type ProjectChange, type Step } from '.';
import { LONGEST_CHANGE_ID } from './ids';

export type Data = Record<string, unknown>;

/** The change does not fit the data that it met; the message names the path. */
export class ChangeError extends Error {}

/**
 * A change longer than this could not travel through a history together with others. In characters of JSON, so that it
 * is the same in every language; each may take three bytes, and a history takes 2 MB at once.
 */
export const LONGEST_CHANGE = 300_000;
const DEEPEST = 200;
const FIELDS = ['title', 'description', 'primary_type'];
const VERBS = ['set', 'merge', 'remove'];

/** The data after all steps, in order. The input is not modified. */
export function changeData(data: Data, { steps = [] }: ProjectChange): Data {
  const copies: Copies = new WeakSet();
  return steps.reduce((changed, step) => makeStep(changed, step, copies), data);
}

/** Objects that were made here and may be changed: one with a thousand members is not copied for each of them. */
type Copies = WeakSet<Data>;

function makeStep(data: Data, step: Step, copies: Copies): Data {
  const path = pointerTokens(step.at);
  // Checked before a change is taken: the whole is only ever set to an object and never removed.
  if ('set' in step) return putAt(data, path, () => step.set, copies) as Data;
  if ('merge' in step) return putAt(data, path, (old) => mergePatch(old, step.merge), copies) as Data;
  return removeAt(data, path) as Data;
}

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // Unlike an assignment, this makes a member of every name, `__proto__` too.
  return Object.fromEntries(merged);
}

function putAt(
  target: unknown,
  path: string[],
  make: (old: unknown) => unknown,
  copies: Copies,
  depth = 0,
): unknown {
  const name = path[depth];
  if (name === undefined) return make(target);
  const parent = target === undefined ? {} : requireObject(target, path, depth);
  const value = putAt(memberOf(parent, name), path, make, copies, depth + 1);
  const copy = copies.has(parent) ? parent : { ...parent };
  copies.add(copy);
  // Unlike an assignment, this makes a member of every name, `__proto__` too.
  Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}

function removeAt(target: unknown, path: string[], depth = 0): unknown {
  const name = path[depth];
  if (name === undefined || target === undefined) return undefined;
  const parent = requireObject(target, path, depth);
  const old = memberOf(parent, name);
  if (old === undefined) return parent;
  const left = removeAt(old, path, depth + 1);
  if (left !== undefined) return { ...parent, [name]: left };
  return Object.fromEntries(Object.entries(parent).filter(([member]) => member !== name));
}

function memberOf(parent: Data, name: string): unknown {
  return Object.hasOwn(parent, name) ? parent[name] : undefined;
}

function requireObject(value: unknown, path: string[], depth: number): Data {
  if (isRecord(value)) return value;
  const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  const [parent, goal] = [pointerTo(path.slice(0, depth)), pointerTo(path)];
  throw new ChangeError(`${goal}: ${parent} is ${what}, and only members of objects can be changed`);
}

/** All problems of a value that should be a change; empty when it is valid. */
export function validateChange(change: unknown): string[] {
  if (!isRecord(change)) return ['change: must be an object with steps or fields'];
  const { steps = [], fields = {}, ...others } = change;
  const problems = Object.keys(others).map((name) => `change.${name}: is neither steps nor fields`);
  if (!Array.isArray(steps)) problems.push('steps: must be a list');
  else problems.push(...steps.flatMap((step, index) => validateStep(step, `steps[${index}]`)));
  if (!isRecord(fields)) problems.push('fields: must be an object');
  else problems.push(...validateFields(fields));
  const given = [steps, fields].flatMap((part) => Object.values((part ?? {}) as Data));
  if (problems.length === 0 && given.every((part) => part === undefined))
    problems.push('change: changes nothing; give steps or fields');
  if (isDeeper(change, DEEPEST)) problems.push(`change: is nested deeper than ${DEEPEST} levels`);
  else if (JSON.stringify(change).length > LONGEST_CHANGE)
    problems.push(`change: is longer than ${LONGEST_CHANGE} characters of JSON`);
  return problems;
}

/** Everything that is wrong with a request, apart from its change. */
export function validateRequest(request: unknown): string[] {
  if (!isRecord(request)) return ['the request: must be one object with project, changeId and change'];
  const { project, changeId, space } = request;
  const { resourcetype, id } = isRecord(project) ? project : {};
  const problems = validateChangeId(changeId);
  for (const [name, value] of Object.entries({ resourcetype, id }))
    if (!isIdText(value)) problems.push(`project.${name}: must be ${ID_FORM}`);
  if ((space ?? null) !== null && !isIdText(space)) problems.push('space: must be an id');
  return problems;
}

/** It is part of an update id, and a writer keeps many of them. */
export function validateChangeId(changeId: unknown): string[] {
  if (isPrintable(changeId, LONGEST_CHANGE_ID)) return [];
  return [`changeId: must be 1 to ${LONGEST_CHANGE_ID} printable characters without blanks`];
}

function validateStep(step: unknown, path: string): string[] {
  if (!isRecord(step)) return [`${path}: must be an object`];
  const problems: string[] = [];
  const verbs = VERBS.filter((verb) => step[verb] !== undefined);
  const others = Object.keys(step).filter((name) => name !== 'at' && !VERBS.includes(name));
  problems.push(...others.map((name) => `${path}.${name}: is not one of at, ${VERBS.join(', ')}`));
  if (typeof step.at !== 'string' || !isPointer(step.at))
    problems.push(`${path}.at: must be a JSON pointer, like /results/banner`);
  else if (pointerTokens(step.at).length > DEEPEST)
    problems.push(`${path}.at: is deeper than ${DEEPEST} levels`);
  if (verbs.length !== 1) problems.push(`${path}: must have one of ${VERBS.join(', ')}`);
  if (step.remove !== undefined && step.remove !== true) problems.push(`${path}.remove: must be true`);
  if (step.merge !== undefined && !isRecord(step.merge)) problems.push(`${path}.merge: must be an object`);
  if (step.at === '' && step.remove === true)
    problems.push(`${path}.remove: would remove all of the project's data`);
  if (step.at === '' && step.set !== undefined && !isRecord(step.set))
    problems.push(`${path}.set: the whole data must be an object`);
  return problems;
}

function validateFields(fields: Data): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!FIELDS.includes(name)) return [`fields.${name}: is not one of ${FIELDS.join(', ')}`];
    return typeof value === 'string' || value === undefined ? [] : [`fields.${name}: must be a text`];
  });
}
