import { type Command } from 'commander';
import { type Campaign, type CampaignEntry, type CampaignFilter } from '../../client/campaigns';
import { type JobReport } from '../../client/report';
import {
  LISTED_CAMPAIGN_STAGES,
  type CampaignResult,
  type CampaignStatus,
  type CampaignVerdict,
} from '../../contract';
import { campaignKeyOf } from '../../contract/ids';
import { assertValid } from '../../errors';
import { failureLines, newsLines, resultLines, statusLines } from './format';
import { adviceOnCampaign } from '../lib/advice';
import {
  listFlag,
  objectFrom,
  orProblem,
  projectFlag,
  readObjectFile,
  readTextFile,
  validateTimeout,
} from '../lib/flags';
import { print, say, UsageError } from '../lib/io';
import {
  addCancel,
  addChange,
  addFollow,
  addList,
  addOrder,
  addStatus,
  type ChangeFlags,
  type Noun,
} from '../lib/noun';
import { addRun, addStart, type Begin, headline, type WaitFlags } from '../lib/run';
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
A campaign that is rejected or expires, or whose end the project did not take, ends with 1; with 3 when a job is held and nothing else can continue.`;

export const CAMPAIGN: Noun<CampaignStatus, Campaign> = {
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
  addDecisions(campaign);
  const about = 'stop a campaign and its jobs; accepted tasks continue at the service';
  addCancel(campaign, CAMPAIGN, about, 'Accepted tasks continue at the service: segue campaign status');
  addList<CampaignEntry, CampaignFilter>(campaign, {
    ...{ one: 'campaign', plural: 'campaigns' },
    columns: ['KEY', 'STATUS', 'STAGE', 'PROJECT'],
    rowOf: ({ key, status, stage, project }) => [key, status, stage ?? '', project ?? ''],
    stages: LISTED_CAMPAIGN_STAGES,
    client: (segue) => segue.campaign,
  }).option('--project <type/id>', 'only those of this project', projectFlag);
}

const begin: Begin<Campaign, WaitFlags> = async (file, flags, go) => {
  assertValid(validateTimeout(flags), 'The campaign was not started');
  const { readCampaignSpec } = await import('../../client/campaigns/text.js');
  const spec = readCampaignSpec(await readTextFile('SPEC', file), file === '-' ? 'stdin' : file);
  return go(
    (segue) => segue.campaign.start(spec),
    () => 'Nothing is made again; another key is another campaign.',
  );
};

function show(report: JobReport): void {
  const { status, stage, error, info } = report;
  print(`${headline(report)}${stage !== null && stage !== status ? `, ${stage}` : ''}`);
  // The table names the reason of each held job.
  if (error && status !== 'held') print(error);
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

interface DecisionFlags extends ChangeFlags {
  comment?: string;
  jobs?: string[];
  round?: number;
}

interface AddFlags extends ChangeFlags {
  request?: string;
  input?: string;
  optional?: boolean;
}

const ABOUT: Record<CampaignVerdict, string> = {
  approve: 'approve the results of a campaign; it is completed with that',
  reject: 'reject the results of a campaign; it ends with that',
  change: 'have media jobs of a campaign made again, under new keys, and be asked again',
};

const ADD_EXAMPLE = `
Example:
  segue campaign add spring square image-outpainting --request '{"image_url": {"from": "cutout", "at": "/images/0/url"}, …}'`;

function addDecisions(campaign: Command): void {
  for (const verdict of Object.keys(ABOUT) as CampaignVerdict[]) addVerdict(campaign, verdict);

  addOrder(campaign, CAMPAIGN, 'pause', 'paused', (one, order) => one.pause(order)).description(
    'start no more jobs; running jobs continue',
  );
  addOrder(campaign, CAMPAIGN, 'resume', 'resumed', (one, order) => one.resume(order)).description(
    'resume a paused campaign',
  );
  addChange<Campaign, AddFlags>(
    campaign.command('add <key> <name> <tool>'),
    CAMPAIGN,
    async (flags, problems, [, name = '', tool = '']) => {
      const { by, optional } = flags;
      const request = await orProblem(requestFrom(flags), problems, {});
      return async (one) => {
        await one.addMedia({ name, tool, by, optional, request });
        return { done: `${name} was added by ${by}` };
      };
    },
  )
    .description('add a media job to a running campaign')
    .option('--request <json>', 'the request of the tool; any value may be {"from": JOB, "at": POINTER}')
    .option('--input <file>', 'take the request from a JSON file, - for stdin')
    .option('--optional', 'the campaign continues without it if it fails')
    .addHelpText('after', ADD_EXAMPLE);
}

async function requestFrom({ request, input }: AddFlags): Promise<Record<string, unknown>> {
  if (request !== undefined && input === undefined) return objectFrom('--request', request);
  if (input !== undefined && request === undefined) return readObjectFile('--input', input);
  throw new UsageError('give the request by --request or by --input; one of them');
}

function addVerdict(campaign: Command, decision: CampaignVerdict): void {
  const decide = async (one: Campaign, { by, comment, jobs, round }: DecisionFlags) => {
    const { applied, earlier, stale } = await one.decide({ decision, by, comment, jobs, round });
    if (earlier && decision === 'change')
      say('If it is meant once more, name the open question, as `status` numbers it: --round N');
    if (stale.length > 0)
      say(
        `Made from what is now made again, and left as they are: ${stale.join(', ')}. --jobs may name them too.`,
      );
    const whose = earlier ? `, by ${earlier.by} at ${earlier.at}` : '';
    return { done: applied ? `${decision}, decided by ${by}` : `was decided already${whose}`, applied };
  };
  const command = campaign.command(`${decision} <key>`);
  addChange<Campaign, DecisionFlags>(command, CAMPAIGN, (flags) => (one) => decide(one, flags))
    .description(ABOUT[decision])
    .option('--comment <text>', 'a comment, kept with the decision')
    .option('--round <n>', 'only if this question is open, as `status` numbers it', Number)
    .addHelpText('after', '\nA decision that is sent twice is taken once.');
  if (decision === 'change')
    command.option('--jobs <names>', 'the jobs to make again, separated by commas', listFlag);
}
