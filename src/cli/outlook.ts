import { type Command } from 'commander';
import { problemsWithin } from '../validation/campaign';
import { type OutlookRun, type OutlookSpec } from '../client/outlooks';
import { type JobReport } from '../client/report';
import { type NudgeOutcome, type OutlookResult } from '../contract';
import { assertValid } from '../errors';
import { nudgeSubject } from '../contract/ids';
import { isRecord } from '../validation/inputs';
import { type Connected } from './lib/connect';
import { type ExitCode } from './lib/exit';
import { validateTimeout, readTextFile } from './lib/flags';
import { follow, headline, type WaitFlags } from './lib/follow';
import { exiting, print } from './lib/io';
import { addFollow, addJson, addWaitFlags, type Noun } from './lib/noun';
import { tellStarted, withStarted } from './lib/start';

interface OutlookFlags extends WaitFlags {
  key?: string;
}

const OUTLOOK: Noun<unknown, OutlookRun> = {
  a: 'an outlook',
  keyOf: (text) => text,
  get: (segue, key) => segue.outlooks.get(key),
  watch: () => () => undefined,
  show,
};

const EXAMPLES = `
Examples:
  segue outlook run examples/outlook.yaml --key spring-2026-03-02
  segue outlook start outlook.yaml --key "spring-$(date +%F)" --json`;

export function addTo(program: Command): void {
  const outlook = program
    .command('outlook')
    .description("keep the last weeks of a campaign's workspace in its project")
    .addHelpText('after', EXAMPLES);

  addWaitFlags(addKey(outlook.command('run <spec>')), 'run')
    .description('look once and wait for the end; SPEC is a YAML or JSON file, - for stdin')
    .action(
      exiting((file: string, flags: OutlookFlags) =>
        start(file, flags, (run) => follow(run, flags, OUTLOOK)),
      ),
    );
  addJson(addKey(outlook.command('start <spec>')))
    .description('start that and return at once')
    .action(
      exiting((file: string, flags: OutlookFlags) =>
        start(file, flags, (run, connected) => tellStarted(run, connected, flags)),
      ),
    );
  addFollow(outlook, OUTLOOK);
}

function addKey(command: Command): Command {
  return command.option('--key <key>', "names this look, instead of the spec's own key");
}

async function start(
  file: string,
  flags: OutlookFlags,
  work: (run: OutlookRun, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  assertValid(validateTimeout(flags), 'The outlook was not started');
  const spec = await readSpec(await readTextFile('SPEC', file), file === '-' ? 'stdin' : file, flags.key);
  return withStarted(
    {
      start: (segue) => segue.outlooks.start(spec),
      exists: () => 'Nobody looks again; another --key is another look.',
    },
    work,
  );
}

/** One spec is looked by again and again, each time with another key. */
async function readSpec(text: string, name: string, key: string | undefined): Promise<OutlookSpec> {
  const { readSpecText } = await import('../client/campaigns/text.js');
  const { validateOutlook } = await import('../runs/outlook.js');
  const withKey = (spec: unknown): unknown => (isRecord(spec) && key !== undefined ? { ...spec, key } : spec);
  const { spec, problems } = readSpecText(text, name, (read) =>
    problemsWithin([], validateOutlook(withKey(read))),
  );
  assertValid(problems, 'The outlook was not started');
  return withKey(spec) as OutlookSpec;
}

function show(report: JobReport): void {
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
