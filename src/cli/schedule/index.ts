import { type Command } from 'commander';
import { NO_JOB } from '../../client/report';
import { type ScheduleEntry } from '../../client/schedules/report';
import { type CreatedSchedule, type SchedulesClient } from '../../client/schedules';
import { loadStarterConfig } from '../../config';
import { assertValid } from '../../errors';
import { type ScheduleOrder } from '../../runs/schedule/spec';
import { type CreateFlags } from './flags';
import { withSegue } from '../lib/connect';
import { addScopeFlags, asFlags, softNumber } from '../lib/flags';
import { counted } from '../lib/format';
import { env, osUser, print, printJson, say } from '../lib/io';
import { addJson, type JsonFlag, sayWhenNobodyPolls } from '../lib/run';

/** Loaded when a command runs, since it loads Temporal's client: `--help` must be quick. */
const checks = () => import('../../runs/schedule/spec.js');

const EXAMPLES = `
Examples:
  segue schedule create nightly --cron "0 3 * * *" --timezone Europe/Berlin campaign spring.yaml
  segue schedule create hourly-look --every 1h outlook examples/outlook.yaml
  segue schedule create products --cron "0 2 * * *" batch https://example.com/tonight.ndjson --concurrency 100
  segue schedule create mondays --calendar '{"hour":9,"dayOfWeek":"MONDAY"}' outlook outlook.yaml
  segue schedule show nightly
  segue schedule pause nightly --reason "the shop is closed"
  segue schedule backfill nightly --from 2026-01-01T00:00:00Z --to 2026-01-03T23:59:59Z`;

const CREATING = `
TARGET is campaign or outlook, with SPEC its YAML or JSON file, - for stdin; or batch, with SPEC the https address of its
manifest, which a worker reads at each firing. What is signed or secret in that address stands in the schedule.
Each firing has the key NAME-20260101T020000Z, of the time in UTC; a key in SPEC is not used. The same time fires once,
however often it is asked for.
Without --timezone, a worker is asked for the workspace's zone.`;

const OVERLAP = 'while the one before is open: skip, buffer-one, buffer-all or allow-all';

export function addTo(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('start campaigns, outlooks and batches at the times of a calendar')
    .addHelpText('after', EXAMPLES);

  addScopeFlags(
    addJson(schedule.command('create <name> <target> <spec>')),
    "of a batch; not the worker's own",
  )
    .description('create a schedule; one that exists with the same spec is left as it is')
    .option('--cron <expression>', 'at these times, like "0 2 * * *"')
    .option('--every <duration>', 'at this interval, like 1h, counted from midnight UTC')
    .option('--calendar <json>', "Temporal's own calendar, or a list of them")
    .option('--timezone <zone>', "time zone, like Europe/Berlin (default: the workspace's)")
    .option('--overlap <policy>', `${OVERLAP} (default: skip)`)
    .option('--catchup <duration>', 'how late a firing may be after an outage of Temporal (default: 1h)')
    .option('--note <text>', 'a note, shown with the schedule')
    .option('--concurrency <n>', 'of a batch: how many items are at the service at once (200)', softNumber)
    .option('--notify <user@workspace>', 'of a batch: who is notified once, at the end')
    .option('--skip-bad', 'of a batch: leave bad lines out')
    .addHelpText('after', CREATING)
    .action(async (name: string, target: string, source: string, flags: CreateFlags & JsonFlag) => {
      const { readSchedule } = await import('./flags.js');
      const options = await readSchedule(name, target, source, flags);
      await withSegue(async ({ schedules }, connected) => {
        tellCreated(await schedules.create(name, options), flags);
        await sayWhenNobodyPolls(connected, loadStarterConfig(env()).taskQueue);
      });
    });
  addJson(schedule.command('list'), 'print one JSON object a line')
    .description('list the schedules: when they fire next, when they fired last')
    .action((flags: JsonFlag) => withSegue(({ schedules }) => listAll(schedules, flags)));
  addJson(schedule.command('show <name>'))
    .description('show the next five times, the last firings with their outcome, and how many were skipped')
    .action(async (name: string, { json }: JsonFlag) => {
      assertValidFlags((await checks()).validateScheduleOrder('show', { name }), 'There is no such schedule');
      const report = await withSegue(({ schedules }) => schedules.show(name));
      const { detailLines } = await import('./format.js');
      if (json) printOne(name, 'running', { info: report });
      else detailLines(report).forEach(print);
    });
  addChanges(schedule);
}

function tellCreated({ name, timezone, existing, remarks }: CreatedSchedule, flags: JsonFlag): void {
  for (const remark of remarks) say(`Remark: ${remark}`);
  if (flags.json) {
    printOne(name, 'succeeded', { existing, info: { timezone, remarks } });
    return;
  }
  if (existing) say('It exists, and asks for the same; it was left as it is.');
  print(`${name} fires by the clock of ${timezone}; see: segue schedule show ${name}`);
}

async function listAll(schedules: SchedulesClient, { json }: JsonFlag): Promise<void> {
  const found: ScheduleEntry[] = [];
  for await (const entry of schedules.list()) found.push(entry);
  const { scheduleRows } = await import('./format.js');
  if (json) for (const entry of found) printOne(entry.name, 'running', { info: entry });
  else if (found.length > 0) scheduleRows(found).forEach(print);
  say(found.length === 0 ? 'There are no schedules.' : counted(found.length, 'schedule'));
}

function printOne(name: string, status: 'running' | 'succeeded', more: object = {}): void {
  printJson({ ...NO_JOB, key: name, status, error: null, ...more });
}

interface Change {
  about: string;
  past: string;
  /** The note where no reason is given. */
  note?: () => string;
  act: (schedules: SchedulesClient, order: ScheduleOrder) => Promise<void>;
}

interface ChangeFlags extends JsonFlag, Omit<ScheduleOrder, 'name' | 'note'> {
  reason?: string;
}

type Verb = 'pause' | 'resume' | 'trigger' | 'backfill' | 'delete';

function addChange(schedule: Command, verb: Verb, { about, past, note, act }: Change): Command {
  return addJson(schedule.command(`${verb} <name>`))
    .description(about)
    .action(async (name: string, { reason = note?.(), overlap, from, to, json }: ChangeFlags) => {
      const order = { name, note: reason, overlap, from, to };
      assertValidFlags((await checks()).validateScheduleOrder(verb, order), `Nothing was ${past}`);
      await withSegue(({ schedules }) => act(schedules, order));
      if (json) printOne(name, 'succeeded');
      else print(`${name}: ${past}`);
    });
}

/** Required flags are checked with all others, so that one message names every problem. */
function addChanges(schedule: Command): void {
  const why = ['--reason <text>', 'why, shown with the schedule'] as const;
  addChange(schedule, 'pause', {
    about: 'fire no more until it is resumed; open runs continue',
    past: 'paused',
    note: () => `by ${osUser()}`,
    act: (schedules, { name, note = '' }) => schedules.pause(name, note),
  }).option(...why);
  addChange(schedule, 'resume', {
    about: 'fire again from now on; what was missed is not caught up',
    past: 'resumed',
    note: () => `resumed by ${osUser()}`,
    act: (schedules, { name, note }) => schedules.resume(name, note),
  }).option(...why);
  addChange(schedule, 'trigger', {
    about: 'fire now',
    past: 'triggered',
    act: (schedules, { name, overlap }) => schedules.trigger(name, { overlap }),
  }).option('--overlap <policy>', `${OVERLAP} (default: the schedule's own)`);
  addChange(schedule, 'backfill', {
    about: 'fire for all times from one moment to another; what fired before is not started again',
    past: 'backfilled',
    act: (schedules, { name, from = '', to = '', overlap }) =>
      schedules.backfill(name, from, to, { overlap }),
  })
    .option('--from <time>', 'required: the first moment, like 2026-01-01T00:00:00Z')
    .option('--to <time>', 'required: the last moment')
    .option('--overlap <policy>', `${OVERLAP} (default: buffer-all)`);
  addChange(schedule, 'delete', {
    about: 'delete a schedule; the runs that it started continue',
    past: 'deleted',
    act: (schedules, { name }) => schedules.delete(name),
  });
}

function assertValidFlags(problems: string[], what: string): void {
  assertValid(asFlags(problems, { name: 'NAME', note: '--reason' }), what);
}
