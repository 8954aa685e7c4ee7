import { type Command } from 'commander';
import { type CampaignEntry, type CampaignFilter } from '../../client/campaigns';
import { type Campaign } from '../../client/campaigns/campaign';
import { type JobReport } from '../../client/report';
import { type SegueClient } from '../../client/segueClient';
import { CAMPAIGN_STAGES, type CampaignResult, type CampaignStatus } from '../../contract';
import { campaignKeyOf, submitTaskQueue } from '../../contract/ids';
import { assertValid } from '../../errors';
import { addDecisions } from './decisions';
import { failureLines, newsLines, resultLines, statusLines } from './format';
import { adviceOnCampaign, POST_MAY_BE_IN_FLIGHT } from '../lib/advice';
import { type Connected } from '../lib/connect';
import { type ExitCode } from '../lib/exit';
import { validateTimeout, readTextFile } from '../lib/flags';
import { follow, headline, type WaitFlags } from '../lib/follow';
import { exiting, io, print, say } from '../lib/io';
import {
  addCancel,
  addFollow,
  addJson,
  addList,
  addStatus,
  addWaitFlags,
  type Noun,
  oneOf,
  projectFilter,
} from '../lib/noun';
import { watcher } from '../lib/screen';
import { tellStarted, withStarted } from '../lib/start';

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

const CAMPAIGN: Noun<CampaignStatus, Campaign> = {
  a: 'a campaign',
  keyOf: campaignKeyOf,
  get: (segue, key) => segue.campaign.get(key),
  watch,
  show,
};

export function addTo(program: Command): void {
  const campaign = program
    .command('campaign')
    .description('run campaigns: one spec, many jobs, and the people who decide')
    .addHelpText('after', EXAMPLES);

  addWaitFlags(campaign.command('run <spec>'), 'campaign')
    .description('start a campaign and wait for its end; SPEC is a YAML or JSON file, - for stdin')
    .addHelpText('after', WAITING)
    .action(
      exiting((file: string, flags: WaitFlags) => start(file, flags, (one) => follow(one, flags, CAMPAIGN))),
    );
  addJson(campaign.command('start <spec>'))
    .description('start a campaign and return at once')
    .action(
      exiting((file: string, flags: WaitFlags) =>
        start(file, flags, (one, connected) => tellStarted(one, connected, flags)),
      ),
    );
  addFollow(campaign, CAMPAIGN).addHelpText('after', WAITING);
  addStatus(campaign, CAMPAIGN);
  addDecisions(campaign, CAMPAIGN);
  addCancel(
    campaign,
    CAMPAIGN,
    'stop a campaign and its jobs; the service goes on with tasks that it accepted',
    whatGoesOn,
  );
  addList<CampaignEntry, CampaignFilter>(campaign, {
    plural: 'campaigns',
    columns: ['KEY', 'STATUS', 'STAGE', 'PROJECT'],
    rowOf: ({ key, status, stage, project }) => [key, status, stage ?? '', project ?? ''],
    filterFrom: (flags, problems) => ({
      stage: oneOf('--stage', flags.stage, CAMPAIGN_STAGES, problems),
      project: projectFilter(flags, problems),
    }),
    client: (segue) => segue.campaign,
  }).option('--project <type/id>', 'only those of this project');
}

/** The spec is read and checked before anything is asked of Temporal. */
async function start(
  file: string,
  flags: WaitFlags,
  work: (campaign: Campaign, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  assertValid(validateTimeout(flags), 'The campaign was not started');
  const { readCampaignSpec } = await import('../../client/campaigns/text.js');
  const spec = readCampaignSpec(await readTextFile('SPEC', file), file === '-' ? 'stdin' : file);
  const starting = {
    start: (segue: SegueClient) => segue.campaign.start(spec),
    exists: () => 'Nothing is made again; another key is another campaign.',
    submitQueue: submitTaskQueue,
  };
  return withStarted(starting, work);
}

function watch(): (status: CampaignStatus) => void {
  const draw = watcher({ lines: (status: CampaignStatus) => statusLines(status), news: newsLines });
  let wasAsked = false;
  return (status) => {
    draw(status);
    // Whoever waits may be the one who is waited for.
    const isAsked = status.approval !== null;
    if (isAsked && !wasAsked && !io().stderr.isTTY) adviceOnCampaign(status).forEach(say);
    wasAsked = isAsked;
  };
}

function show(report: JobReport): void {
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
    : POST_MAY_BE_IN_FLIGHT;
}
