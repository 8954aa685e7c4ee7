import { type Command } from 'commander';
import { type Campaign } from '../../client/campaigns/campaign';
import { type JobReport } from '../../client/report';
import { loadStarterConfig } from '../../config';
import { type CampaignResult, type CampaignStatus } from '../../contract';
import { submitTaskQueue } from '../../contract/ids';
import { withCampaign } from './key';
import { type CampaignListFlags, showCampaigns } from './list';
import { addOrders } from './orders';
import { adviceOnCampaign, failureLines, newsLines, resultLines, statusLines } from './format';
import { cancelRun } from '../lib/cancel';
import { followCommand } from '../lib/commandLine';
import { type Connected, withTemporal } from '../lib/connect';
import { EXIT, type ExitCode } from '../lib/exit';
import { countFlag, durationFlag } from '../lib/flags';
import { readTextFile } from '../lib/input';
import { print, printJson, say } from '../lib/print';
import { watcher } from '../lib/screen';
import { sayThatItExists, sayWhenNobodyPolls, tellStarted } from '../lib/start';
import { exitCodeOf, headline, waitFor } from '../lib/follow';
import { env, io } from '../lib/io';

interface CampaignFlags {
  json?: boolean;
  timeout?: string;
}

const EXAMPLES = `
Examples:
  segue campaign run examples/campaigns/cutout.yaml
  segue campaign start spring.yaml --json
  segue campaign approve spring --by u-1 --comment "Fresh!"
  segue campaign change spring --by u-1 --jobs banner --comment "more sky"
  segue schema campaign > campaign.schema.json`;

/** What `run` and `follow` wait for; a script must know when they come back. */
const WAITING = `
Waits through approval; --timeout and Ctrl-C stop waiting, never the campaign.
Exit: 0 completed · 1 failed, rejected, expired, cancelled · 3 a job is held and nothing else goes on ·
4 Temporal cannot be reached · 5 waiting stopped, still running. A spec that is wrong: 2, and nothing was started.`;

export function addTo(program: Command): void {
  const campaign = program
    .command('campaign')
    .description('run campaigns: one spec, many jobs, and the people who decide')
    .addHelpText('after', EXAMPLES);

  waiting(campaign.command('run <spec>'))
    .description('start a campaign and wait for its end; SPEC is a YAML or JSON file, - for stdin')
    .action(async (file: string, flags: CampaignFlags) => {
      io().exitCode = await withStarted(file, (started) => waitForCampaign(started, flags));
    });
  campaign
    .command('start <spec>')
    .description('start a campaign and return at once')
    .option('--json', 'print one JSON object')
    .action(async (file: string, flags: CampaignFlags) => {
      io().exitCode = await withStarted(file, (started, connected) => tellStarted(started, connected, flags));
    });
  waiting(campaign.command('follow <key>'))
    .description('wait for the end of a campaign that was started')
    .action(async (key: string, flags: CampaignFlags) => {
      io().exitCode = await withCampaign(key, (one) => waitForCampaign(one, flags));
    });
  campaign
    .command('status <key>')
    .alias('show')
    .description('show how a campaign stands: its stage, its jobs, what it waits for')
    .option('--json', 'print one JSON object')
    .action(async (key: string, flags: CampaignFlags) => {
      io().exitCode = await withCampaign(key, async (one) => {
        showReport(await one.report(), flags);
        return EXIT.done;
      });
    });
  addOrders(campaign);
  campaign
    .command('cancel <key>')
    .description('stop a campaign and its jobs; the service goes on with tasks that it accepted')
    .option('--json', 'print one JSON object')
    .action(async (key: string, flags: CampaignFlags) => {
      io().exitCode = await withCampaign(key, (one) => cancelRun(one, flags, whatGoesOn));
    });
  campaign
    .command('list')
    .description('list campaigns, newest first')
    .option('--stage <stage>', 'only those that are here, or ended so')
    .option('--project <type/id>', 'only those of this project')
    .option('--limit <n>', 'show at most so many', countFlag, 50)
    .option('--json', 'print one JSON object a line')
    .action((flags: CampaignListFlags) => showCampaigns(flags));
}

function waiting(command: Command): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--timeout <duration>', 'stop waiting after this long; the campaign goes on', durationFlag)
    .addHelpText('after', WAITING);
}

/** The spec is read and checked before anything is asked of Temporal. */
async function withStarted(
  file: string,
  work: (campaign: Campaign, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { readCampaignSpec } = await import('../../client/campaigns/text.js');
  const spec = readCampaignSpec(await readTextFile('SPEC', file), file === '-' ? 'stdin' : file);
  const config = loadStarterConfig(env());
  return withTemporal(async (connected) => {
    const started = await connected.segue(config).campaign.start(spec);
    if (started.existing)
      await sayThatItExists(started, () => 'Nothing is made again; another key is another campaign.');
    await sayWhenNobodyPolls(connected, started.taskQueue, submitTaskQueue(started.taskQueue));
    return work(started, connected);
  });
}

async function waitForCampaign(campaign: Campaign, flags: CampaignFlags): Promise<ExitCode> {
  const draw = watcher({ lines: (status: CampaignStatus) => statusLines(status), news: newsLines });
  let wasAsked = false;
  const onChange = (status: CampaignStatus): void => {
    draw(status);
    // Whoever waits may be the one who is waited for.
    const isAsked = status.approval !== null;
    if (isAsked && !wasAsked && !io().stderr.isTTY) adviceOnCampaign(status).forEach(say);
    wasAsked = isAsked;
  };
  const report = await waitFor(campaign, flags, { onChange });
  showReport(report, flags);
  if (report.status === 'running')
    say(`Stopped waiting; the campaign goes on. Follow it: ${followCommand(campaign)}`);
  return exitCodeOf(report);
}

function showReport(report: JobReport, { json }: CampaignFlags): void {
  if (json) {
    printJson(report);
    return;
  }
  const { status, stage, error, info } = report;
  print(`${headline(report)}${stage !== null && stage !== status ? `, ${stage}` : ''}`);
  if (error) print(error);
  if (status === 'running' || status === 'held') {
    const now = info as CampaignStatus | null;
    if (now) statusLines(now).forEach(print);
    else say('No worker answers for it: only that it runs is known. Start one: segue worker');
    if (now) adviceOnCampaign(now).forEach(say);
  } else if (stage === 'completed' || stage === 'rejected' || stage === 'expired') {
    resultLines(info as CampaignResult).forEach(print);
  } else {
    failureLines(report).forEach(print);
  }
}

function whatGoesOn(_report: JobReport, status: CampaignStatus | undefined): string {
  const tasks = (status?.jobs ?? []).flatMap(({ name, taskId, status: is }) =>
    taskId && (is === 'running' || is === 'overdue' || is === 'held') ? [`${name} (task ${taskId})`] : [],
  );
  return tasks.length > 0
    ? `The service goes on with ${tasks.join(', ')}. The task ids are kept in the project.`
    : 'What is being submitted is waited for: if the service takes it, it goes on with it.';
}
