/** How commands ask for schedules: nobody is asked before all that was typed is known to be good. */
import { type Command } from 'commander';
import { type SchedulesClient } from '../../client/schedules';
import { loadStarterConfig } from '../../config';
import { requireGood } from '../../errors';
import { type Connected, withTemporal } from '../lib/connect';
import { env } from '../lib/io';

export interface JsonFlag {
  json?: boolean;
}

export function json(command: Command, words = 'print one JSON object'): Command {
  return command.option('--json', words);
}

export const OVERLAP = 'while the one before is open: skip, buffer-one, buffer-all or allow-all';

/** A script must know how each of them ends. */
export function exits(done: string, wrong = 'something is wrong, and nothing was done'): string {
  return `\nExit: 0 ${done} · 1 there is no such schedule · 2 ${wrong} · 4 Temporal cannot be reached.`;
}

export async function withSchedules(
  work: (schedules: SchedulesClient, connected: Connected) => Promise<void>,
): Promise<void> {
  const config = loadStarterConfig(env());
  await withTemporal((connected) => work(connected.segue(config).schedules, connected));
}

export function requireGoodFlags(problems: string[], what: string): void {
  requireGood(problems.map(asFlag), what);
}

/** Problems of options are told as those of flags. */
export function asFlag(problem: string): string {
  return FLAGS.test(problem) ? `--${problem}` : problem;
}

const FLAGS = /^(cron|every|calendar|timezone|overlap|catchup|note|from|to): /;
