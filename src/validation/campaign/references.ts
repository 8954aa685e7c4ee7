/** Values that a job takes from the results of others, and the graph of jobs that they make. */
import { isPointer, isRecord } from '../../api/json';
import { type ResultReference } from '../../contract';
import { type Path, type Problem } from '../rules';

export interface PlacedReference extends ResultReference {
  path: Path;
}

export interface GraphJob {
  name: string;
  path: Path;
  /** Their paths begin at the job. */
  references: PlacedReference[];
}

/** Any object with exactly these two members is a reference, whatever their values are. */
function isReference(value: unknown): value is ResultReference {
  return (
    isRecord(value) &&
    ['from', 'at'].every((name) => Object.hasOwn(value, name)) &&
    Object.keys(value).length === 2
  );
}

/** Every reference in a request, at any depth, in the order of writing. */
export function referencesIn(value: unknown, path: Path = []): PlacedReference[] {
  if (isReference(value)) return [{ from: value.from, at: value.at, path }];
  if (value === null || typeof value !== 'object') return [];
  return Array.isArray(value)
    ? value.flatMap((member, index) => referencesIn(member, [...path, index]))
    : Object.entries(value).flatMap(([name, member]) => referencesIn(member, [...path, name]));
}

/** A new request, with a value for each reference. */
export function resolveReferences<T>(value: T, lookup: (reference: ResultReference) => unknown): T {
  const resolve = (member: unknown): unknown => {
    if (isReference(member)) return lookup({ from: member.from, at: member.at });
    if (Array.isArray(member)) return member.map(resolve);
    if (!isRecord(member)) return member;
    // Unlike an assignment, this makes a member of every name, `__proto__` too.
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, resolve(inner)]));
  };
  return resolve(value) as T;
}

/** References to nothing, and jobs that wait for each other. */
export function validateGraph(jobs: readonly GraphJob[]): Problem[] {
  const names = jobs.map(({ name }) => name);
  const toNothing = jobs.flatMap(({ name, path, references }) =>
    references.flatMap((reference) => {
      const from = problemOfFrom(reference.from, name, names);
      const at = problemOfPointer(reference.at);
      return Object.entries({ from, at }).flatMap(([member, message]) =>
        message === undefined ? [] : [{ path: [...path, ...reference.path, member], message }],
      );
    }),
  );
  return [...toNothing, ...validateCycles(jobs)];
}

function problemOfFrom(from: unknown, own: string, names: readonly string[]): string | undefined {
  if (typeof from !== 'string') return 'must be the name of a job';
  if (from === own) return 'is the job itself';
  return names.includes(from) ? undefined : `there is no job "${from.slice(0, 60)}"`;
}

function problemOfPointer(at: unknown): string | undefined {
  return typeof at === 'string' && isPointer(at) ? undefined : 'must be a JSON pointer, like /images/0/url';
}

/** Each cycle once, in full. */
function validateCycles(jobs: readonly GraphJob[]): Problem[] {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const done = new Set<string>();
  const problems: Problem[] = [];
  const follow = (job: GraphJob, way: GraphJob[]): void => {
    const start = way.indexOf(job);
    if (start >= 0) {
      const names = [...way.slice(start), job].map(({ name }) => name);
      problems.push({ path: job.path, message: `waits for itself: ${names.join(' -> ')}` });
      return;
    }
    if (done.has(job.name)) return;
    for (const name of new Set(job.references.map(({ from }) => from))) {
      const next = byName.get(name);
      // A reference of a job to itself is a problem of the reference.
      if (next && next !== job) follow(next, [...way, job]);
    }
    done.add(job.name);
  };
  for (const job of jobs) follow(job, []);
  return problems;
}
