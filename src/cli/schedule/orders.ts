/** What people tell a schedule that is there: pause, resume, trigger, backfill, delete. */
import { type Command } from 'commander';
import { NO_JOB } from '../../client/report';
import { type SchedulesClient } from '../../client/schedules';
import { type ScheduleOverlap } from '../../contract';
import { osUser } from '../person';
import { print, printJson } from '../print';
import { exits, json, type JsonFlag, OVERLAP, requireGoodFlags, withSchedules } from './asking';
import {
  problemsOfBackfill,
  problemsOfPause,
  problemsOfResume,
  problemsOfScheduleName,
  problemsOfTrigger,
} from '../../runs/schedule/spec';

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

/** No flag is mandatory to commander: one that is missing is told with all else that is wrong. */
export function addOrders(schedule: Command): void {
  json(schedule.command('pause <name>'))
    .description('fire no more until it is resumed; what runs goes on')
    .option('--note <text>', 'required: why, for whoever resumes it')
    .addHelpText('after', exits('it is paused'))
    .action(async (name: string, { note, ...flags }: NoteFlags) => {
      requireGoodFlags(problemsOfPause(name, note), 'Nothing was paused');
      await order(name, flags, `${name} is paused`, (schedules) => schedules.pause(name, String(note)));
    });
  json(schedule.command('resume <name>'))
    .description('fire again from now on; what was missed is not caught up')
    .option('--note <text>', 'for whoever looks at it')
    .addHelpText('after', exits('it fires again'))
    .action(async (name: string, { note = `resumed by ${osUser()}`, ...flags }: NoteFlags) => {
      requireGoodFlags(problemsOfResume(name, note), 'Nothing was resumed');
      await order(name, flags, `${name} fires again`, (schedules) => schedules.resume(name, note));
    });
  json(schedule.command('trigger <name>'))
    .description('fire now')
    .option('--overlap <policy>', `${OVERLAP} (default: the schedule's own)`)
    .addHelpText('after', exits('it fires', 'something is wrong, or it would be skipped; nothing was done'))
    .action(async (name: string, { overlap, ...flags }: FiringFlags) => {
      requireGoodFlags(problemsOfTrigger(name, { overlap }), 'Nothing was triggered');
      const words = `${name} fires now; see: segue schedule show ${name}`;
      await order(name, flags, words, (schedules) => schedules.trigger(name, { overlap }));
    });
  json(schedule.command('backfill <name>'))
    .description('fire for all times from one moment to another; what fired before is not started again')
    .option('--from <time>', 'required: the first moment, like 2026-01-01T00:00:00Z')
    .option('--to <time>', 'required: the last moment')
    .option('--overlap <policy>', `${OVERLAP} (default: buffer-all)`)
    .addHelpText('after', exits('it fires for that time'))
    .action(async (name: string, { from, to, overlap, ...flags }: BackfillFlags) => {
      requireGoodFlags(problemsOfBackfill(name, { from, to, overlap }), 'Nothing was backfilled');
      const words = `${name} fires for that time; see: segue schedule show ${name}`;
      await order(name, flags, words, (schedules) =>
        schedules.backfill(name, String(from), String(to), { overlap }),
      );
    });
  json(schedule.command('delete <name>'))
    .description('delete a schedule; what it started goes on')
    .addHelpText('after', exits('it is deleted'))
    .action(async (name: string, flags: JsonFlag) => {
      requireGoodFlags(problemsOfScheduleName(name), 'Nothing was deleted');
      const words = `${name} is deleted; what it started goes on`;
      await order(name, flags, words, (schedules) => schedules.delete(name));
    });
}

/** Done when it is accepted. */
async function order(
  name: string,
  flags: JsonFlag,
  words: string,
  give: (schedules: SchedulesClient) => Promise<void>,
): Promise<void> {
  await withSchedules(give);
  if (flags.json) printJson({ ...NO_JOB, key: name, status: 'succeeded', error: null });
  else print(words);
}
