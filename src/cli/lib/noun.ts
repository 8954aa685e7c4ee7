/** The commands for runs that exist: follow, status, cancel, list, and changes of an open run. */
import { type Command, Option } from 'commander';
import { NO_JOB } from '../../client/report';
import { type Run } from '../../client/run';
import { type SegueClient } from '../../client/segueClient';
import { type PauseOrder } from '../../contract';
import { assertValid } from '../../errors';
import { validateOrder } from '../../validation/inputs';
import { shellArgument } from './advice';
import { withSegue } from './connect';
import { asFlags, byOption, limitFlag, validateTimeout } from './flags';
import { age, counted, table } from './format';
import { EXIT, type ExitCode, exiting, isOpen, print, printJson, say } from './io';
import { addJson, addWaitFlags, follow, type JsonFlag, type Shows, type WaitFlags } from './run';

interface Finds<R extends Run> {
  a: string;
  /** The key in what a person types: a key or a workflow id. */
  keyOf: (text: string) => string | undefined;
  get: (segue: SegueClient, key: string) => Promise<R>;
}

export type Noun<State, R extends Run<State>, Flags extends WaitFlags = WaitFlags> = Finds<R> &
  Shows<State, R, Flags>;

/** Finds a run by its key or id. Temporal is contacted only when everything that was typed is right. */
export async function withRun<R extends Run>(
  { a, keyOf, get }: Finds<R>,
  text: string,
  work: (run: R) => Promise<ExitCode>,
  problems: string[] = [],
): Promise<ExitCode> {
  assertValid([...validateKey({ a, keyOf }, text), ...problems], 'Nothing was asked');
  return withSegue(async (segue) => work(await get(segue, keyOf(text) ?? text)));
}

export function validateKey(
  { a, keyOf }: { a: string; keyOf: (text: string) => string | undefined },
  text: string,
): string[] {
  return keyOf(text) === undefined ? [`KEY: "${text}" is neither a key nor the id of ${a}`] : [];
}

export function addFollow<State, R extends Run<State>, Flags extends WaitFlags>(
  parent: Command,
  noun: Noun<State, R, Flags>,
): Command {
  const { validateFlags = () => [] } = noun;
  return addWaitFlags(parent.command('follow <key>'), noun)
    .description(`wait for ${noun.a} that was started`)
    .action(
      exiting(async (key: string, flags: Flags) => {
        const problems = [...validateTimeout(flags), ...(await validateFlags(flags))];
        return withRun(noun, key, (run) => follow(run, flags, noun), problems);
      }),
    );
}

export function addStatus<State, R extends Run<State>, Flags extends WaitFlags>(
  parent: Command,
  noun: Noun<State, R, Flags>,
): Command {
  return addJson(parent.command('status <key>'))
    .alias('show')
    .description(`show the status of ${noun.a}`)
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

/** `continues` says what may continue at the service when no task is known. */
export function addCancel(parent: Command, noun: Finds<Run>, about: string, continues: string): void {
  addJson(parent.command('cancel <key>'))
    .description(about)
    .action(
      exiting((key: string, flags: JsonFlag) =>
        withRun(noun, key, (run) => cancelRun(run, flags, continues)),
      ),
    );
}

export async function cancelRun(run: Run, { json }: JsonFlag, continues: string): Promise<ExitCode> {
  let report = await run.report();
  if (isOpen(report))
    await run.cancel().catch(async (error: unknown) => {
      // It may have ended in the same moment.
      report = await run.report();
      if (isOpen(report)) throw error;
    });
  const { status, taskId } = report;
  if (json) printJson(report);
  if (!isOpen(report)) {
    say(`${run.workflowId} is over already: ${status}. Nothing was cancelled.`);
    return status === 'cancelled' ? EXIT.done : EXIT.failed;
  }
  if (!json) print(`${run.workflowId} was asked to stop`);
  const task =
    taskId === null
      ? continues
      : `The service continues with task ${taskId}. Its result: segue get task ${shellArgument(taskId)}`;
  say(task);
  return EXIT.done;
}

export interface ChangeFlags extends JsonFlag {
  by: string;
  reason?: string;
}

type Change<R extends Run> = (run: R) => Promise<{ done: string; applied?: boolean }>;
/** Adds the problems of what was typed to `problems`. */
type BeginChange<R extends Run, Flags> = (
  flags: Flags,
  problems: string[],
  args: string[],
) => Change<R> | Promise<Change<R>>;

export function addChange<R extends Run, Flags extends ChangeFlags>(
  command: Command,
  noun: Finds<R>,
  begin: BeginChange<R, Flags>,
): Command {
  const act = async (key: string): Promise<ExitCode> => {
    const flags = command.opts<Flags>();
    const problems: string[] = [];
    const change = await begin(flags, problems, command.args);
    const work = async (run: R): Promise<ExitCode> => {
      const { done, ...more } = await change(run);
      if (flags.json) printJson({ ...(await run.report()), ...more });
      else print(`${run.workflowId}: ${done}`);
      return EXIT.done;
    };
    return withRun(noun, key, work, problems);
  };
  return addJson(command).addOption(byOption()).action(exiting(act));
}

/** An order that says only who gives it, and why. */
export function addOrder<R extends Run>(
  parent: Command,
  noun: Finds<R>,
  verb: string,
  past: string,
  give: (run: R, order: PauseOrder) => Promise<unknown>,
): Command {
  return addChange<R, ChangeFlags>(parent.command(`${verb} <key>`), noun, ({ by, reason }, problems) => {
    problems.push(...asFlags(validateOrder({ by, reason })));
    return async (run) => {
      await give(run, { by, reason });
      return { done: `${past} by ${by}` };
    };
  }).option('--reason <text>', 'why');
}

interface ListFlags extends JsonFlag {
  limit: number;
}

interface Listing<Entry extends object, Filter> {
  one: string;
  plural: string;
  columns: string[];
  rowOf: (entry: Entry) => string[];
  stages: readonly string[];
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
    .addOption(new Option('--stage <stage>', 'only runs in this stage').choices(listing.stages))
    .option('--limit <n>', 'show at most this many', limitFlag, 50)
    .action((flags: ListFlags & Filter) => list(listing, flags));
}

async function list<Entry extends { startedAt: string }, Filter>(
  { one, plural, columns, rowOf, client }: Listing<Entry, Filter>,
  flags: ListFlags & Filter,
): Promise<void> {
  const { limit, json } = flags;
  await withSegue(async (segue) => {
    const source = client(segue);
    const found: Entry[] = [];
    for await (const entry of source.list(flags)) {
      if (found.push(entry) >= limit) break;
    }
    const rows = found.map((entry) => [...rowOf(entry), `${age(entry.startedAt)} ago`]);
    if (json) for (const entry of found) printJson({ ...NO_JOB, error: null, ...entry });
    else if (found.length > 0) table([[...columns, 'STARTED'], ...rows]).forEach(print);
    const total = found.length < limit ? found.length : await source.count(flags);
    if (found.length === 0) say(`There are no such ${plural}.`);
    else if (total <= found.length) say(counted(found.length, one, plural));
    else say(`${found.length} of ${total} ${plural}; --limit shows more`);
  });
}
