import { type Command } from 'commander';
import { problemsWithin } from '../validation/campaign';
import { type OutlookRun, type OutlookSpec } from '../client/outlooks';
import { type JobReport } from '../client/report';
import { loadStarterConfig } from '../config';
import { type NudgeOutcome, type OutlookResult } from '../contract';
import { requireGood } from '../errors';
import { nudgeSubject } from '../contract/ids';
import { isRecord } from '../validation/inputs';
import { followCommand } from './commandLine';
import { type Connected, withTemporal } from './connect';
import { type ExitCode } from './exit';
import { durationFlag } from './flags';
import { readTextFile } from './input';
import { print, printJson, say } from './print';
import { sayThatItExists, sayWhenNobodyPolls, tellStarted } from './starting';
import { exitCodeOf, headline, waitFor } from './waiting';
import { env, io } from './io';

interface OutlookFlags {
  key?: string;
  json?: boolean;
  timeout?: string;
}

const EXAMPLES = `
Examples:
  segue outlook run examples/outlook.yaml --key spring-2026-03-02
  segue outlook start outlook.yaml --key "spring-$(date +%F)" --json`;

export function addTo(program: Command): void {
  const outlook = program
    .command('outlook')
    .description("keep the last weeks of a campaign's workspace in its project")
    .addHelpText('after', EXAMPLES);

  waiting(asking(outlook.command('run <spec>')))
    .description('look once and wait for the end; SPEC is a YAML or JSON file, - for stdin')
    .action(async (file: string, flags: OutlookFlags) => {
      io().exitCode = await withStarted(file, flags, (run) => waitForLook(run, flags));
    });
  asking(outlook.command('start <spec>'))
    .description('start that and return at once')
    .option('--json', 'print one JSON object')
    .action(async (file: string, flags: OutlookFlags) => {
      io().exitCode = await withStarted(file, flags, (run, connected) => tellStarted(run, connected, flags));
    });
  waiting(outlook.command('follow <key>'))
    .description('wait for one that was started')
    .action(async (key: string, flags: OutlookFlags) => {
      const config = loadStarterConfig(env());
      io().exitCode = await withTemporal(async ({ segue }) =>
        waitForLook(await segue(config).outlooks.get(key), flags),
      );
    });
}

function asking(command: Command): Command {
  return command.option('--key <key>', "names this look, instead of the spec's own key");
}

function waiting(command: Command): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--timeout <duration>', 'stop waiting after this long; the run goes on', durationFlag);
}

async function withStarted(
  file: string,
  { key }: OutlookFlags,
  work: (run: OutlookRun, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const spec = await readSpec(await readTextFile('SPEC', file), file === '-' ? 'stdin' : file, key);
  const config = loadStarterConfig(env());
  return withTemporal(async (connected) => {
    const run = await connected.segue(config).outlooks.start(spec);
    if (run.existing) await sayThatItExists(run, () => 'Nobody looks again; another --key is another look.');
    await sayWhenNobodyPolls(connected, run.taskQueue);
    return work(run, connected);
  });
}

/** One spec is looked by again and again, each time with another key. */
async function readSpec(text: string, name: string, key: string | undefined): Promise<OutlookSpec> {
  const { readSpecText } = await import('../client/campaigns/text.js');
  const { problemsOfOutlook } = await import('../runs/outlook.js');
  const withKey = (spec: unknown): unknown => (isRecord(spec) && key !== undefined ? { ...spec, key } : spec);
  const { spec, problems } = readSpecText(text, name, (read) =>
    problemsWithin([], problemsOfOutlook(withKey(read))),
  );
  requireGood(problems, 'The outlook was not started');
  return withKey(spec) as OutlookSpec;
}

async function waitForLook(run: OutlookRun, flags: OutlookFlags): Promise<ExitCode> {
  const report = await waitFor(run, flags, { onChange: () => undefined });
  if (flags.json) printJson(report);
  else showLook(report);
  if (report.status === 'running') say(`Stopped waiting; it goes on. Follow it: ${followCommand(run)}`);
  return exitCodeOf(report);
}

function showLook(report: JobReport): void {
  print(headline(report));
  if (report.error) print(report.error);
  if (report.status !== 'succeeded') return;
  const { week, written, nudges, remarks } = report.info as OutlookResult;
  print(
    written ? `The project has the outlook of the week of ${week}.` : 'Nothing is new; nothing was written.',
  );
  for (const nudge of nudges) print(`Nudged about ${nudgeSubject(nudge)}: ${inWords(nudge.notified)}`);
  for (const remark of remarks) print(`Remark: ${remark}`);
}

function inWords(notified: NudgeOutcome): string {
  return notified.status === 'planned' ? `planned for ${notified.at}` : notified.status;
}
