/** What jobs take out of the results of earlier ones. */
import { type JobEnd } from '../../contract';
import { referencesIn, resolveReferences } from '../../validation/campaign';
import { readEnd } from '../lib/otherRuns';
import { type Campaign, jobNamed } from './run';

/** By `<from> <at>`. */
export type Values = Map<string, Taken>;

type Taken = { value: unknown } | { problem: string };

/** In one reading: so many of the largest are no more than one may tell. */
const MOST_POINTERS = 16;

/** Read from the runs that made them, and kept nowhere else. What many jobs take from one run is read together. */
export async function valuesFor(run: Campaign, requests: Record<string, unknown>[]): Promise<Values> {
  const values: Values = new Map();
  const references = requests.flatMap((request) => referencesIn(request));
  const read = async (from: string, pointers: string[]): Promise<void> => {
    const end = await readEnd({ workflowId: jobNamed(run, from)?.workflowId ?? '', pointers });
    for (const at of pointers) values.set(`${from} ${at}`, valueIn(end, from, at));
  };
  const sources = [...new Set(references.map(({ from }) => from))];
  await Promise.all(
    sources.flatMap((from) => {
      const pointers = [...new Set(references.flatMap((one) => (one.from === from ? [one.at] : [])))];
      return listsOf(pointers).map((list) => read(from, list));
    }),
  );
  return values;
}

/** The request with what it takes from others, or why that cannot be had. */
export function withValues(
  request: Record<string, unknown>,
  values: Values,
): { request: Record<string, unknown> } | { problem: string } {
  const problems = new Set<string>();
  const whole = resolveReferences(request, ({ from, at }) => {
    const taken = values.get(`${from} ${at}`) ?? { problem: `from ${from} at ${at}: there is nothing` };
    if ('value' in taken) return taken.value;
    problems.add(taken.problem);
    return undefined;
  });
  return problems.size > 0 ? { problem: [...problems].join('; ') } : { request: whole };
}

function valueIn(end: JobEnd, from: string, at: string): Taken {
  if (end.is !== 'succeeded')
    return { problem: `the result of ${from} cannot be read: its run is ${end.is}` };
  const taken = end.values[at] ?? { problem: 'there is nothing' };
  return 'problem' in taken ? { problem: `from ${from} at ${at}: ${taken.problem}` } : taken;
}

function listsOf(pointers: string[]): string[][] {
  const lists: string[][] = [];
  for (let from = 0; from < pointers.length; from += MOST_POINTERS)
    lists.push(pointers.slice(from, from + MOST_POINTERS));
  return lists;
}
