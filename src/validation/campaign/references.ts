/** Values that a job takes from the results of others, and the graph that they make of a campaign. */
import { isPointer } from '../../api/json';
import { type ResultReference } from '../../contract';
import { isRecord } from '../inputs';
import { type Path, type Problem } from './shape';

/** A reference, and where in the request it stands. */
export interface PlacedReference extends ResultReference {
  path: Path;
}

/** A job as the graph sees it. */
export interface GraphJob {
  name: string;
  /** Where it stands in the campaign. */
  path: Path;
  /** With paths that begin at the job's own. */
  references: PlacedReference[];
}

/** Whatever has exactly these two members is meant as a reference, whatever their values are. */
export function isReference(value: unknown): value is ResultReference {
  return (
    isRecord(value) &&
    Object.keys(value).length === 2 &&
    Object.hasOwn(value, 'from') &&
    Object.hasOwn(value, 'at')
  );
}

/** Every reference in a request, at any depth, in the order of writing. The request must not be deeper than a stack. */
export function referencesIn(request: unknown): PlacedReference[] {
  return found(request, []);
}

function found(value: unknown, path: Path): PlacedReference[] {
  if (isReference(value)) return [{ from: value.from, at: value.at, path }];
  if (value === null || typeof value !== 'object') return [];
  return Array.isArray(value)
    ? value.flatMap((member, index) => found(member, [...path, index]))
    : Object.entries(value).flatMap(([name, member]) => found(member, [...path, name]));
}

/** The request with a value for each reference; what was handed in stays as it is. */
export function resolveReferences(
  request: Record<string, unknown>,
  lookup: (reference: ResultReference) => unknown,
): Record<string, unknown> {
  return resolved(request, lookup) as Record<string, unknown>;
}

function resolved(value: unknown, lookup: (reference: ResultReference) => unknown): unknown {
  if (isReference(value)) return lookup({ from: value.from, at: value.at });
  if (Array.isArray(value)) return value.map((member) => resolved(member, lookup));
  if (!isRecord(value)) return value;
  // Unlike an assignment, this makes a member of every name, `__proto__` too.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, lookup)]));
}

/** References that lead nowhere, and jobs that wait for each other. */
export function validateGraph(jobs: readonly GraphJob[]): Problem[] {
  const names = jobs.map(({ name }) => name);
  const leadNowhere = jobs.flatMap((job) =>
    job.references.flatMap((reference) => validateReference(reference, job, names)),
  );
  return [...leadNowhere, ...validateCycles(jobs)];
}

function validateReference(
  { from, at, path }: PlacedReference,
  job: Pick<GraphJob, 'name' | 'path'>,
  names: readonly string[],
): Problem[] {
  const place = [...job.path, ...path];
  const problems: Problem[] = [];
  const name: unknown = from;
  if (typeof name !== 'string')
    problems.push({ path: [...place, 'from'], words: 'must be the name of a job' });
  else if (name === job.name) problems.push({ path: [...place, 'from'], words: 'is the job itself' });
  else if (!names.includes(name))
    problems.push({ path: [...place, 'from'], words: `there is no job "${name.slice(0, 60)}"` });
  const pointer: unknown = at;
  if (typeof pointer !== 'string' || !isPointer(pointer))
    problems.push({ path: [...place, 'at'], words: 'must be a JSON pointer, like /images/0/url' });
  return problems;
}

/** Each cycle once, in full, at the first of its jobs. */
function validateCycles(jobs: readonly GraphJob[]): Problem[] {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const done = new Set<string>();
  const problems: Problem[] = [];
  const follow = (job: GraphJob, way: GraphJob[]): void => {
    const start = way.indexOf(job);
    if (start >= 0) {
      problems.push(cycleProblem(way.slice(start), jobs));
      return;
    }
    if (done.has(job.name)) return;
    for (const name of new Set(job.references.map(({ from }) => from))) {
      const next = byName.get(name);
      // A job that names itself has been told so.
      if (next && next !== job) follow(next, [...way, job]);
    }
    done.add(job.name);
  };
  for (const job of jobs) follow(job, []);
  return problems;
}

function cycleProblem(cycle: GraphJob[], jobs: readonly GraphJob[]): Problem {
  const first = cycle.reduce((a, b) => (jobs.indexOf(b) < jobs.indexOf(a) ? b : a));
  const turn = cycle.indexOf(first);
  const names = [...cycle.slice(turn), ...cycle.slice(0, turn), first].map(({ name }) => name);
  return { path: first.path, words: `waits for itself: ${names.join(' -> ')}` };
}
