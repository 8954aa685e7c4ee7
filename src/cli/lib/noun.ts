/** The commands that every noun has: status, follow, cancel, list, and changes to a run that is open. */
import { type Command } from 'commander';
import { type JobReport, NO_JOB } from '../../client/report';
import { type Run } from '../../client/run';
import { type SegueClient } from '../../client/segueClient';
import { loadStarterConfig } from '../../config';
import { type ProjectRef } from '../../contract';
import { assertValid } from '../../errors';
import { withTemporal } from './connect';
import { EXIT, type ExitCode } from './exit';
import { validateLimit, validateTimeout, projectFrom, softNumber } from './flags';
import { follow, type Shows, type WaitFlags } from './follow';
import { age, table } from './format';
import { env, exiting, osUser, print, printJson, say } from './io';

export interface Noun<State, R extends Run<State>> extends Shows<State, R> {
  /** Its name with the article: `a batch`. */
  a: string;
  /** The key in what a person types: a key or a workflow id. */
  keyOf: (text: string) => string | undefined;
  get: (segue: SegueClient, key: string) => Promise<R>;
}

export interface JsonFlag {
  json?: boolean;
}

export function addJson(command: Command, about = 'print one JSON object'): Command {
  return command.option('--json', about);
}

export function addWaitFlags(command: Command, what = 'job'): Command {
  return addJson(command).option('--timeout <duration>', `stop waiting after this long; the ${what} goes on`);
}

/** Finds the run that a person means. Nothing is asked while something that was typed is wrong. */
export async function withRun<State, R extends Run<State>>(
  { a, keyOf, get }: Noun<State, R>,
  text: string,
  work: (run: R) => Promise<ExitCode>,
  problems: string[] = [],
): Promise<ExitCode> {
  assertValid([...validateKey({ a, keyOf }, text), ...problems], 'Nothing was asked');
  const config = loadStarterConfig(env());
  return withTemporal(async ({ segue }) => work(await get(segue(config), keyOf(text) ?? text)));
}

export function validateKey(
  { a, keyOf }: { a: string; keyOf: (text: string) => string | undefined },
  text: string,
): string[] {
  return keyOf(text) === undefined ? [`KEY: "${text}" is neither a key nor the id of ${a}`] : [];
}

export function addStatus<State, R extends Run<State>>(parent: Command, noun: Noun<State, R>): Command {
  return addJson(parent.command('status <key>'))
    .alias('show')
    .description(`show how ${noun.a} stands`)
    .action(
      exiting((key: string, { json }: JsonFlag) =>
        withRun(noun, key, async (run) => {
          const report = await run.report();
          if (json) printJson(report);
          else await noun.show(report, run);
          return EXIT.done;
        }),
      ),
    );
}

export function addFollow<State, R extends Run<State>, Flags extends WaitFlags = WaitFlags>(
  parent: Command,
  noun: Noun<State, R>,
  work: (run: R, flags: Flags) => Promise<ExitCode> = (run, flags) => follow(run, flags, noun),
  problemsOf: (flags: Flags) => string[] = validateTimeout,
): Command {
  return addWaitFlags(parent.command('follow <key>'), noun.a.replace(/^an? /, ''))
    .description(`wait for ${noun.a} that was started`)
    .action(
      exiting((key: string, flags: Flags) =>
        withRun(noun, key, (run) => work(run, flags), problemsOf(flags)),
      ),
    );
}

/** `goesOn` says what stopping the run does not stop. */
export function addCancel<State, R extends Run<State>>(
  parent: Command,
  noun: Noun<State, R>,
  about: string,
  goesOn: (report: JobReport, state: State | undefined) => string,
): void {
  addJson(parent.command('cancel <key>'))
    .description(about)
    .action(
      exiting((key: string, flags: JsonFlag) => withRun(noun, key, (run) => cancel(run, flags, goesOn))),
    );
}

async function cancel<State>(
  run: Run<State>,
  { json }: JsonFlag,
  goesOn: (report: JobReport, state: State | undefined) => string,
): Promise<ExitCode> {
  const before = await run.report();
  const isOver = !['running', 'held'].includes(before.status);
  const asked = !isOver && (await askToStop(run));
  const report = isOver || asked ? before : await run.report();
  const { status, workflowId } = report;
  if (json) printJson(report);
  if (!asked) {
    say(`${workflowId} is over already: ${status}. Nothing was cancelled.`);
    return status === 'cancelled' ? EXIT.done : EXIT.failed;
  }
  if (!json) print(`${workflowId} was asked to stop`);
  say(goesOn(report, await run.state()));
  return EXIT.done;
}

/** Whether it was still there to be asked. */
async function askToStop(run: Run): Promise<boolean> {
  try {
    await run.cancel();
    return true;
  } catch (error) {
    const { WorkflowNotFoundError } = await import('@temporalio/client');
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

export interface ChangeFlags extends JsonFlag {
  by?: string;
  reason?: string;
}

/** A command that changes an open run, in the name of a person. */
export function changeCommand(parent: Command, usage: string, about: string): Command {
  return addJson(parent.command(usage))
    .description(about)
    .option('--by <user>', 'who says so (default: the user of this machine)');
}

/** `change` returns what was done; `problems` are told with those of the key. */
export function changeRun<State, R extends Run<State>>(
  noun: Noun<State, R>,
  key: string,
  { by = osUser(), json }: ChangeFlags,
  change: (run: R, by: string) => Promise<{ done: string; applied?: boolean }>,
  problemsOf: (by: string) => string[] = () => [],
): Promise<ExitCode> {
  const work = async (run: R): Promise<ExitCode> => {
    const { done, ...more } = await change(run, by);
    if (json) printJson({ ...(await run.report()), ...more });
    else print(`${run.workflowId}: ${done}`);
    return EXIT.done;
  };
  return withRun(noun, key, work, problemsOf(by));
}

export interface ListFlags extends JsonFlag {
  stage?: string;
  tool?: string;
  project?: string;
  limit: number;
}

export interface Listing<Entry extends object, Filter> {
  /** What they are called, in the plural. */
  plural: string;
  columns: string[];
  rowOf: (entry: Entry) => string[];
  /** Adds what is wrong with the flags to `problems`. */
  filterFrom: (flags: ListFlags, problems: string[]) => Filter;
  client: (segue: SegueClient) => {
    list: (filter: Filter) => AsyncIterable<Entry>;
    count: (filter: Filter) => Promise<number>;
  };
}

export function addList<Entry extends { startedAt: string }, Filter>(
  parent: Command,
  listing: Listing<Entry, Filter>,
): Command {
  return addJson(parent.command('list'), 'print one JSON object a line')
    .description(`list ${listing.plural}, newest first`)
    .option('--stage <stage>', 'only those that are here, or ended so')
    .option('--limit <n>', 'show at most so many', softNumber, 50)
    .action((flags: ListFlags) => list(listing, flags));
}

async function list<Entry extends { startedAt: string }, Filter>(
  { plural, columns, rowOf, filterFrom, client }: Listing<Entry, Filter>,
  flags: ListFlags,
): Promise<void> {
  const problems = validateLimit(flags);
  const filter = filterFrom(flags, problems);
  assertValid(problems, 'Nothing was listed');
  const { limit, json } = flags;
  const config = loadStarterConfig(env());
  await withTemporal(async ({ segue }) => {
    const source = client(segue(config));
    const found: Entry[] = [];
    for await (const entry of source.list(filter)) {
      if (found.push(entry) >= limit) break;
    }
    const rows = found.map((entry) => [...rowOf(entry), `${age(entry.startedAt)} ago`]);
    if (json) for (const entry of found) printJson({ ...NO_JOB, error: null, ...entry });
    else if (found.length > 0) table([[...columns, 'STARTED'], ...rows]).forEach(print);
    const total = found.length < limit ? found.length : Math.max(await source.count(filter), found.length);
    if (total === 0) say(`There are no such ${plural}.`);
    else if (total > found.length) say(`${found.length} of ${total} ${plural}; --limit shows more`);
    else say(`${total} ${plural}`);
  });
}

/** A value that must be one of those; undefined where the flag is not given. */
export function oneOf<T extends string>(
  flag: string,
  text: string | undefined,
  known: readonly T[],
  problems: string[],
): T | undefined {
  const found = known.find((name) => name === text);
  if (text !== undefined && !found) problems.push(`${flag}: "${text}" is none of ${known.join(', ')}`);
  return found;
}

export function projectFilter({ project }: ListFlags, problems: string[]): ProjectRef | undefined {
  const ref = project === undefined ? undefined : projectFrom(project);
  if (project !== undefined && !ref) problems.push(`--project: "${project}" is not TYPE/ID`);
  return ref;
}
