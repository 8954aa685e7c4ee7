/** What people decide about a running campaign: approve, reject, change, pause, resume, add. */
import { type Command } from 'commander';
import { type Campaign } from '../../client/campaigns';
import { type CampaignStatus, type CampaignVerdict } from '../../contract';
import { listFlag, objectFrom, orProblem, readObjectFile } from '../lib/flags';
import { say, UsageError } from '../lib/io';
import { addChange, type ChangeFlags, type Noun } from '../lib/noun';

type CampaignNoun = Noun<CampaignStatus, Campaign>;

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

export function addDecisions(campaign: Command, noun: CampaignNoun): void {
  for (const verdict of Object.keys(ABOUT) as CampaignVerdict[]) addVerdict(campaign, noun, verdict);

  addChange<Campaign, ChangeFlags>(campaign.command('pause <key>'), noun, ({ by, reason }) => async (one) => {
    await one.pause({ by, reason });
    return { done: `paused by ${by}` };
  })
    .description('begin no further jobs; those that run go on')
    .option('--reason <text>', 'why');

  addChange<Campaign, ChangeFlags>(campaign.command('resume <key>'), noun, ({ by }) => async (one) => {
    await one.resume({ by });
    return { done: `resumed by ${by}` };
  }).description('go on with a campaign that was paused');

  addChange<Campaign, AddFlags>(
    campaign.command('add <key> <name> <tool>'),
    noun,
    async (flags, problems, [, name = '', tool = '']) => {
      const { by, optional } = flags;
      const request = await orProblem(requestFrom(flags), problems, {});
      return async (one) => {
        await one.addMedia({ name, tool, by, optional, request });
        return { done: `${name} was added by ${by}` };
      };
    },
  )
    .description('add a media job to a campaign that runs')
    .option('--request <json>', 'the request of the tool; any value may be {"from": JOB, "at": POINTER}')
    .option('--input <file>', 'take the request from a JSON file, - for stdin')
    .option('--optional', 'the campaign goes on without it, should it fail')
    .addHelpText('after', ADD_EXAMPLE);
}

async function requestFrom({ request, input }: AddFlags): Promise<Record<string, unknown>> {
  if (request !== undefined && input === undefined) return objectFrom('--request', request);
  if (input !== undefined && request === undefined) return readObjectFile('--input', input);
  throw new UsageError('give the request by --request or by --input; one of them');
}

function addVerdict(campaign: Command, noun: CampaignNoun, decision: CampaignVerdict): void {
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
  addChange<Campaign, DecisionFlags>(command, noun, (flags) => (one) => decide(one, flags))
    .description(ABOUT[decision])
    .option('--comment <text>', 'what you think of it; it is kept with the decision')
    .option('--round <n>', 'only if this question is open, as `status` numbers it', Number)
    .addHelpText('after', '\nA decision that is sent twice is taken once.');
  if (decision === 'change')
    command.option('--jobs <names>', 'the jobs to make again, with commas between', listFlag);
}
