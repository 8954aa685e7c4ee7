import { type Command } from 'commander';
import { NO_JOB } from '../../client/report';
import { type ScheduleEntry } from '../../client/schedules/report';
import { type CreatedSchedule, type SchedulesClient } from '../../client/schedules';
import { loadStarterConfig } from '../../config';
import { type ScheduleOverlap } from '../../contract';
import { assertValid } from '../../errors';
import { type BatchFlags, type CreateFlags } from './flags';
import { type Connected, withTemporal } from '../lib/connect';
import { softNumber } from '../lib/flags';
import { env, osUser, print, printJson, say } from '../lib/io';
import { addJson, type JsonFlag } from '../lib/noun';
import { sayWhenNobodyPolls } from '../lib/start';

/** Loaded when a command runs: with Temporal's client, `--help` would be slow. */
const checks = () => import('../../runs/schedule/spec.js');

const EXAMPLES = `
Examples:
  segue schedule create nightly --cron "0 3 * * *" --timezone Europe/Berlin campaign spring.yaml
  segue schedule create hourly-look --every 1h outlook examples/outlook.yaml
  segue schedule create products --cron "0 2 * * *" batch https://example.com/tonight.ndjson --concurrency 100
  segue schedule create mondays --calendar '{"hour":9,"dayOfWeek":"MONDAY"}' outlook outlook.yaml
  segue schedule show nightly
  segue schedule pause nightly --note "the shop is closed"
  segue schedule backfill nightly --from 2026-01-01T00:00:00Z --to 2026-01-03T23:59:59Z`;

const CREATING = `
TARGET is campaign or outlook, with SPEC its YAML or JSON file, - for stdin; or batch, with SPEC the https address of its
manifest, which a worker reads at each firing. What is signed or secret in that address stands in the schedule.
Each firing has the key NAME-20260101T020000Z, of the time in UTC; a key in SPEC is not used. The same time fires once,
however often it is asked for.
Without --timezone, a worker is asked for the workspace's zone.

Exit: 0 it is there · 2 something is wrong, or another schedule has that name; nothing was made · 4 Temporal cannot be
reached, or nobody tells the workspace's zone.`;

const OVERLAP = 'while the one before is open: skip, buffer-one, buffer-all or allow-all';

/** A script must know how each of them ends. */
function exits(done: string, wrong = 'something is wrong, and nothing was done'): string {
  return `\nExit: 0 ${done} · 1 there is no such schedule · 2 ${wrong} · 4 Temporal cannot be reached.`;
}

async function withSchedules(
  work: (schedules: SchedulesClient, connected: Connected) => Promise<void>,
): Promise<void> {
  const config = loadStarterConfig(env());
  await withTemporal((connected) => work(connected.segue(config).schedules, connected));
}

export function addTo(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('start campaigns, outlooks and batches at the times of a calendar')
    .addHelpText('after', EXAMPLES);

  addJson(schedule.command('create <name> <target> <spec>'))
    .description('make a schedule; the same one a second time is left as it is')
    .option('--cron <expression>', 'at these times, like "0 2 * * *"')
    .option('--every <duration>', 'so often, like 1h, counted from midnight UTC')
    .option('--calendar <json>', "Temporal's own calendar, or a list of them")
    .option('--timezone <zone>', "by whose clock, like Europe/Berlin (default: the workspace's)")
    .option('--overlap <policy>', `${OVERLAP} (default: skip)`)
    .option('--catchup <duration>', 'how late a firing may be after an outage of Temporal (default: 1h)')
    .option('--note <text>', 'for whoever looks at it')
    .option('--concurrency <n>', 'of a batch: how many items are at the service at once (200)', softNumber)
    .option('--notify <user@workspace>', 'of a batch: who is told of the end, once')
    .option('--skip-bad', 'of a batch: leave bad lines out')
    .option('--organization <id>', "of a batch: workspace, instead of the worker's own")
    .option('--space <id>', "of a batch: sub-space, instead of the worker's own")
    .addHelpText('after', CREATING)
    .action(
      async (name: string, target: string, source: string, flags: CreateFlags & BatchFlags & JsonFlag) => {
        const { readSchedule } = await import('./flags.js');
        const { options, remarks } = await readSchedule(name, target, source, flags);
        await withSchedules(async (schedules, connected) => {
          const created = await schedules.create(name, options);
          tellCreated({ ...created, remarks: [...remarks, ...created.remarks] }, flags);
          await sayWhenNobodyPolls(connected, loadStarterConfig(env()).taskQueue);
        });
      },
    );
  addJson(schedule.command('list'), 'print one JSON object a line')
    .description('list the schedules: when they fire next, when they fired last')
    .addHelpText('after', '\nExit: 0 listed · 4 Temporal cannot be reached.')
    .action((flags: JsonFlag) => withSchedules((schedules) => listAll(schedules, flags)));
  addJson(schedule.command('show <name>'))
    .description('show the next five times, the last firings with their outcome, and how many were skipped')
    .addHelpText('after', exits('shown'))
    .action(async (name: string, flags: JsonFlag) => {
      assertValidFlags((await checks()).validateScheduleName(name), 'There is no such schedule');
      await withSchedules((schedules) => showOne(schedules, name, flags));
    });
  addChanges(schedule);
}

function tellCreated({ name, timezone, existing, remarks }: CreatedSchedule, flags: JsonFlag): void {
  for (const remark of remarks) say(`Remark: ${remark}`);
  if (flags.json) {
    const info = { timezone, remarks };
    printJson({ ...NO_JOB, key: name, status: 'succeeded', existing, info, error: null });
    return;
  }
  if (existing) say('It exists, and asks for the same; it was left as it is.');
  print(`${name} fires by the clock of ${timezone}; see: segue schedule show ${name}`);
}

async function listAll(schedules: SchedulesClient, flags: JsonFlag): Promise<void> {
  const found: ScheduleEntry[] = [];
  for await (const entry of schedules.list()) found.push(entry);
  const { scheduleRows } = await import('./format.js');
  if (flags.json)
    for (const entry of found)
      printJson({ ...NO_JOB, key: entry.name, status: 'running', info: entry, error: null });
  else if (found.length > 0) scheduleRows(found).forEach(print);
  say(found.length === 0 ? 'There are no schedules.' : `${found.length} schedules`);
}

async function showOne(schedules: SchedulesClient, name: string, flags: JsonFlag): Promise<void> {
  const report = await schedules.show(name);
  const { detailLines } = await import('./format.js');
  if (flags.json) printJson({ ...NO_JOB, key: name, status: 'running', info: report, error: null });
  else detailLines(report).forEach(print);
}

interface NoteFlags extends JsonFlag {
  note?: string;
}

interface FiringFlags extends JsonFlag {
  overlap?: ScheduleOverlap;
}

interface BackfillFlags extends FiringFlags {
  from?: string;
  to?: string;
}

/** Pause, resume, trigger, backfill, delete. A required flag that is missing is told with all else that is wrong. */
function addChanges(schedule: Command): void {
  addJson(schedule.command('pause <name>'))
    .description('fire no more until it is resumed; what runs goes on')
    .option('--note <text>', 'required: why, for whoever resumes it')
    .addHelpText('after', exits('it is paused'))
    .action(async (name: string, { note, ...flags }: NoteFlags) => {
      assertValidFlags((await checks()).validatePause(name, note), 'Nothing was paused');
      await change(name, flags, `${name} is paused`, (schedules) => schedules.pause(name, String(note)));
    });
  addJson(schedule.command('resume <name>'))
    .description('fire again from now on; what was missed is not caught up')
    .option('--note <text>', 'for whoever looks at it')
    .addHelpText('after', exits('it fires again'))
    .action(async (name: string, { note = `resumed by ${osUser()}`, ...flags }: NoteFlags) => {
      assertValidFlags((await checks()).validateResume(name, note), 'Nothing was resumed');
      await change(name, flags, `${name} fires again`, (schedules) => schedules.resume(name, note));
    });
  addJson(schedule.command('trigger <name>'))
    .description('fire now')
    .option('--overlap <policy>', `${OVERLAP} (default: the schedule's own)`)
    .addHelpText('after', exits('it fires', 'something is wrong, or it would be skipped; nothing was done'))
    .action(async (name: string, { overlap, ...flags }: FiringFlags) => {
      assertValidFlags((await checks()).validateTrigger(name, { overlap }), 'Nothing was triggered');
      const words = `${name} fires now; see: segue schedule show ${name}`;
      await change(name, flags, words, (schedules) => schedules.trigger(name, { overlap }));
    });
  addJson(schedule.command('backfill <name>'))
    .description('fire for all times from one moment to another; what fired before is not started again')
    .option('--from <time>', 'required: the first moment, like 2026-01-01T00:00:00Z')
    .option('--to <time>', 'required: the last moment')
    .option('--overlap <policy>', `${OVERLAP} (default: buffer-all)`)
    .addHelpText('after', exits('it fires for that time'))
    .action(async (name: string, { from, to, overlap, ...flags }: BackfillFlags) => {
      assertValidFlags(
        (await checks()).validateBackfill(name, { from, to, overlap }),
        'Nothing was backfilled',
      );
      const words = `${name} fires for that time; see: segue schedule show ${name}`;
      await change(name, flags, words, (schedules) =>
        schedules.backfill(name, String(from), String(to), { overlap }),
      );
    });
  addJson(schedule.command('delete <name>'))
    .description('delete a schedule; what it started goes on')
    .addHelpText('after', exits('it is deleted'))
    .action(async (name: string, flags: JsonFlag) => {
      assertValidFlags((await checks()).validateScheduleName(name), 'Nothing was deleted');
      const words = `${name} is deleted; what it started goes on`;
      await change(name, flags, words, (schedules) => schedules.delete(name));
    });
}

async function change(
  name: string,
  flags: JsonFlag,
  words: string,
  give: (schedules: SchedulesClient) => Promise<void>,
): Promise<void> {
  await withSchedules(give);
  if (flags.json) printJson({ ...NO_JOB, key: name, status: 'succeeded', error: null });
  else print(words);
}

/** Problems of options are told as those of flags. */
function assertValidFlags(problems: string[], what: string): void {
  assertValid(problems.map(asFlag), what);
}

export function asFlag(problem: string): string {
  return FLAGS.test(problem) ? `--${problem}` : problem;
}

const FLAGS = /^(cron|every|calendar|timezone|overlap|catchup|note|from|to): /;
