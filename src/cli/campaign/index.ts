import { type Command } from 'commander';
import { type Campaign, type CampaignEntry, type CampaignFilter } from '../../client/campaigns';
import { type JobReport } from '../../client/report';
import { CAMPAIGN_STAGES, type CampaignResult, type CampaignStatus } from '../../contract';
import { campaignKeyOf, submitTaskQueue } from '../../contract/ids';
import { assertValid } from '../../errors';
import { addDecisions } from './decisions';
import { failureLines, newsLines, resultLines, statusLines } from './format';
import { adviceOnCampaign } from '../lib/advice';
import { projectFlag, readTextFile, validateTimeout } from '../lib/flags';
import { headline, type WaitFlags } from '../lib/follow';
import { print, say } from '../lib/io';
import {
  addCancel,
  addFollow,
  addList,
  addRun,
  addStart,
  addStatus,
  type Begin,
  type Noun,
} from '../lib/noun';
import { watcher } from '../lib/screen';

const EXAMPLES = `
Examples:
  segue campaign run examples/campaigns/cutout.yaml
  segue campaign start spring.yaml --json
  segue campaign approve spring --by u-1 --comment "Fresh!"
  segue campaign change spring --by u-1 --jobs banner --comment "more sky"
  segue schema campaign > campaign.schema.json`;

/** A script must know when `run` and `follow` come back. */
const WAITING = `
Waits through approval; --timeout and Ctrl-C stop waiting, never the campaign.
A campaign that is rejected or expires ends with 1; with 3 when a job is held and nothing else goes on.`;

const CAMPAIGN: Noun<CampaignStatus, Campaign> = {
  a: 'a campaign',
  keyOf: campaignKeyOf,
  get: (segue, key) => segue.campaign.get(key),
  watch: () => watcher({ lines: statusLines, news: newsLines }),
  show,
};

export function addTo(program: Command): void {
  const campaign = program
    .command('campaign')
    .description('run campaigns: one spec, many jobs, and the people who decide')
    .addHelpText('after', EXAMPLES);
  addRun(campaign.command('run <spec>'), CAMPAIGN, begin)
    .description('start a campaign and wait for its end; SPEC is a YAML or JSON file, - for stdin')
    .addHelpText('after', WAITING);
  addStart(campaign.command('start <spec>'), begin).description('start a campaign and return at once');
  addFollow(campaign, CAMPAIGN).addHelpText('after', WAITING);
  addStatus(campaign, CAMPAIGN);
  addDecisions(campaign, CAMPAIGN);
  const about = 'stop a campaign and its jobs; the service goes on with tasks that it accepted';
  addCancel(campaign, CAMPAIGN, about, 'Tasks that the service accepted go on there: segue campaign status');
  addList<CampaignEntry, CampaignFilter>(campaign, {
    plural: 'campaigns',
    columns: ['KEY', 'STATUS', 'STAGE', 'PROJECT'],
    rowOf: ({ key, status, stage, project }) => [key, status, stage ?? '', project ?? ''],
    stages: CAMPAIGN_STAGES,
    client: (segue) => segue.campaign,
  }).option('--project <type/id>', 'only those of this project', projectFlag);
}

const begin: Begin<Campaign, WaitFlags> = async (file, flags, go) => {
  assertValid(validateTimeout(flags), 'The campaign was not started');
  const { readCampaignSpec } = await import('../../client/campaigns/text.js');
  const spec = readCampaignSpec(await readTextFile('SPEC', file), file === '-' ? 'stdin' : file);
  return go({
    start: (segue) => segue.campaign.start(spec),
    exists: () => 'Nothing is made again; another key is another campaign.',
    submitQueue: submitTaskQueue,
  });
};

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
