/** What people decide about a running campaign: approve, reject, change, pause, resume, add. */
import { type Command } from 'commander';
import { type Campaign } from '../../client/campaigns';
import { type CampaignStatus, type CampaignVerdict } from '../../contract';
import { listFlag, readObjectFile, softJson } from '../lib/flags';
import { say } from '../lib/io';
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

  const pause = { usage: 'pause <key>', about: 'begin no further jobs; those that run go on' };
  addChange(campaign, noun, pause, async (one, { by, reason }) => {
    await one.pause({ by, reason });
    return { done: `paused by ${by}` };
  }).option('--reason <text>', 'why');

  const resume = { usage: 'resume <key>', about: 'go on with a campaign that was paused' };
  addChange(campaign, noun, resume, async (one, { by }) => {
    await one.resume({ by });
    return { done: `resumed by ${by}` };
  });

  const add = {
    usage: 'add <key> <name> <tool>',
    about: 'add a media job to a campaign that runs',
    validate: ({ request, input }: AddFlags) =>
      (request === undefined) === (input === undefined)
        ? ['give the request by --request or by --input; one of them']
        : [],
  };
  addChange(campaign, noun, add, async (one, flags, [, name = '', tool = '']) => {
    const { input, by, optional } = flags;
    const request = input === undefined ? softJson(flags.request) : await readObjectFile('--input', input);
    await one.addMedia({ name, tool, by, optional, request: request as Record<string, unknown> });
    return { done: `${name} was added by ${by}` };
  })
    .option('--request <json>', 'the request of the tool; any value may be {"from": JOB, "at": POINTER}')
    .option('--input <file>', 'take the request from a JSON file, - for stdin')
    .option('--optional', 'the campaign goes on without it, should it fail')
    .addHelpText('after', ADD_EXAMPLE);
}

function addVerdict(campaign: Command, noun: CampaignNoun, decision: CampaignVerdict): void {
  const usage = { usage: `${decision} <key>`, about: ABOUT[decision] };
  const command = addChange<Campaign, DecisionFlags>(campaign, noun, usage, async (one, flags) => {
    const { by, comment, jobs, round } = flags;
    const { applied, earlier, stale } = await one.decide({ decision, by, comment, jobs, round });
    if (earlier && decision === 'change')
      say('If it is meant once more, name the open question, as `status` numbers it: --round N');
    if (stale.length > 0)
      say(
        `Made from what is now made again, and left as they are: ${stale.join(', ')}. --jobs may name them too.`,
      );
    const whose = earlier ? `, by ${earlier.by} at ${earlier.at}` : '';
    return { done: applied ? `${decision}, decided by ${by}` : `was decided already${whose}`, applied };
  })
    .option('--comment <text>', 'what you think of it; it is kept with the decision')
    .option('--round <n>', 'only if this question is open, as `status` numbers it', Number)
    .addHelpText('after', '\nA decision that is sent twice is taken once.');
  if (decision === 'change')
    command.option('--jobs <names>', 'the jobs to make again, with commas between', listFlag);
}
