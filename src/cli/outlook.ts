import { type Command, Option } from 'commander';
import { type OutlookRun, type OutlookSpec } from '../client/outlooks';
import { type JobReport } from '../client/report';
import { type OutlookResult } from '../contract';
import { assertValid } from '../errors';
import { nudgeSubject } from '../contract/ids';
import { isRecord } from '../validation/inputs';
import { validateTimeout, readTextFile } from './lib/flags';
import { print } from './lib/io';
import { addFollow, type Noun } from './lib/noun';
import { addRun, addStart, type Begin, headline, type WaitFlags } from './lib/run';

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
  addRun(outlook.command('run <spec>'), OUTLOOK, begin)
    .description('make one outlook and wait for the end; SPEC is a YAML or JSON file, - for stdin')
    .addOption(keyOption());
  addStart(outlook.command('start <spec>'), begin)
    .description('start it and return at once')
    .addOption(keyOption());
  addFollow(outlook, OUTLOOK);
}

const keyOption = () => new Option('--key <key>', "names this outlook, instead of the spec's own key");

const begin: Begin<OutlookRun, WaitFlags & { key?: string }> = async (file, flags, go) => {
  assertValid(validateTimeout(flags), 'The outlook was not started');
  const { readSpecText } = await import('../client/campaigns/text.js');
  const { outlookSpec } = await import('../validation/inputs.js');
  const withKey = (spec: unknown): unknown =>
    isRecord(spec) && flags.key !== undefined ? { ...spec, key: flags.key } : spec;
  const { spec, problems } = readSpecText(
    await readTextFile('SPEC', file),
    file === '-' ? 'stdin' : file,
    (read) => outlookSpec.check(withKey(read), []),
  );
  assertValid(problems, 'The outlook was not started');
  return go(
    (segue) => segue.outlooks.start(withKey(spec) as OutlookSpec),
    () => 'It is not made again; another --key makes another.',
  );
};

function show(report: JobReport): void {
  print(headline(report));
  if (report.error) print(report.error);
  if (report.status !== 'succeeded') return;
  const { week, written, nudges, remarks } = report.info as OutlookResult;
  print(
    written ? `The project has the outlook of the week of ${week}.` : 'Nothing is new; nothing was written.',
  );
  for (const nudge of nudges) {
    const { notified } = nudge;
    const outcome = notified.status === 'planned' ? `planned for ${notified.at}` : notified.status;
    print(`Nudged about ${nudgeSubject(nudge)}: ${outcome}`);
  }
  for (const remark of remarks) print(`Remark: ${remark}`);
}
