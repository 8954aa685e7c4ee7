import { type Command } from 'commander';
import { NO_JOB } from '../../client/report';
import { type ScheduleEntry } from '../../client/schedules/report';
import { type CreatedSchedule, type SchedulesClient } from '../../client/schedules';
import { loadStarterConfig } from '../../config';
import { softNumber } from '../flags';
import { print, printJson, say } from '../print';
import { sayWhenNobodyPolls } from '../starting';
import { exits, json, type JsonFlag, OVERLAP, requireGoodFlags, withSchedules } from './asking';
import { type BatchFlags, type CreateFlags } from './flags';
import { addOrders } from './orders';
import { env } from '../io';
import { problemsOfScheduleName } from '../../runs/schedule/spec';

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

export function addTo(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('start campaigns, outlooks and batches at the times of a calendar')
    .addHelpText('after', EXAMPLES);

  json(schedule.command('create <name> <target> <spec>'))
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
  json(schedule.command('list'), 'print one JSON object a line')
    .description('list the schedules: when they fire next, when they fired last')
    .addHelpText('after', '\nExit: 0 listed · 4 Temporal cannot be reached.')
    .action((flags: JsonFlag) => withSchedules((schedules) => listAll(schedules, flags)));
  json(schedule.command('show <name>'))
    .description('show the next five times, the last firings with their outcome, and how many were skipped')
    .addHelpText('after', exits('shown'))
    .action(async (name: string, flags: JsonFlag) => {
      requireGoodFlags(problemsOfScheduleName(name), 'There is no such schedule');
      await withSchedules((schedules) => showOne(schedules, name, flags));
    });
  addOrders(schedule);
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
  const { scheduleRows } = await import('./words.js');
  if (flags.json)
    for (const entry of found)
      printJson({ ...NO_JOB, key: entry.name, status: 'running', info: entry, error: null });
  else if (found.length > 0) scheduleRows(found).forEach(print);
  say(found.length === 0 ? 'There are no schedules.' : `${found.length} schedules`);
}

async function showOne(schedules: SchedulesClient, name: string, flags: JsonFlag): Promise<void> {
  const report = await schedules.show(name);
  const { detailLines } = await import('./words.js');
  if (flags.json) printJson({ ...NO_JOB, key: name, status: 'running', info: report, error: null });
  else detailLines(report).forEach(print);
}
