/** What people decide about a running campaign: approve, reject, change, pause, resume, add. */
import { type Command } from 'commander';
import { type Campaign } from '../../client/campaigns/campaign';
import { type CampaignStatus, type CampaignVerdict } from '../../contract';
import { InvalidInputError } from '../../errors';
import { reasonOf, UsageError } from '../lib/exit';
import { listFlag, readRequestFile } from '../lib/flags';
import { exiting, say } from '../lib/io';
import { changeCommand, type ChangeFlags, changeRun, type Noun } from '../lib/noun';

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

export function addDecisions(campaign: Command, noun: CampaignNoun): void {
  for (const [verdict, about] of Object.entries(ABOUT))
    addVerdict(campaign, noun, verdict as CampaignVerdict, about);

  changeCommand(campaign, 'pause <key>', 'begin no further jobs; those that run go on')
    .option('--reason <text>', 'why')
    .action(
      exiting((key: string, flags: ChangeFlags) =>
        changeRun(noun, key, flags, async (one, by) => {
          await one.pause({ by, reason: flags.reason });
          return { done: `paused by ${by}` };
        }),
      ),
    );
  changeCommand(campaign, 'resume <key>', 'go on with a campaign that was paused').action(
    exiting((key: string, flags: ChangeFlags) =>
      changeRun(noun, key, flags, async (one, by) => {
        await one.resume({ by });
        return { done: `resumed by ${by}` };
      }),
    ),
  );
  changeCommand(campaign, 'add <key> <name> <tool>', 'add a media job to a campaign that runs')
    .option('--request <json>', 'the request of the tool; any value may be {"from": JOB, "at": POINTER}')
    .option('--input <file>', 'take the request from a JSON file, - for stdin')
    .option('--optional', 'the campaign goes on without it, should it fail')
    .addHelpText(
      'after',
      '\nExample:\n' +
        `  segue campaign add spring square image-outpainting --request '{"image_url": {"from": "cutout", "at": "/images/0/url"}, …}'`,
    )
    .action(
      exiting(async (key: string, name: string, tool: string, flags: AddFlags) => {
        const request = await requestOf(flags);
        return changeRun(noun, key, flags, async (one, by) => {
          await one.addMedia({ name, tool, by, optional: flags.optional, request });
          return { done: `${name} was added by ${by}` };
        });
      }),
    );
}

function addVerdict(campaign: Command, noun: CampaignNoun, decision: CampaignVerdict, about: string): void {
  const command = changeCommand(campaign, `${decision} <key>`, about)
    .option('--comment <text>', 'what you think of it; it is kept with the decision')
    .option('--round <n>', 'only if this question is open, as `status` numbers it', Number);
  if (decision === 'change')
    command.option('--jobs <names>', 'the jobs to make again, with commas between', listFlag);
  command.addHelpText('after', '\nA decision that is sent twice is taken once.').action(
    exiting((key: string, flags: DecisionFlags) =>
      changeRun(noun, key, flags, async (one, by) => {
        const { comment, jobs, round } = flags;
        const { applied, earlier, stale } = await one.decide({ decision, by, comment, jobs, round });
        if (earlier && decision === 'change')
          say(`If it is meant once more, name the open question, as \`status\` numbers it: --round N`);
        if (stale.length > 0)
          say(
            `Made from what is now made again, and left as they are: ${stale.join(', ')}. --jobs may name them too.`,
          );
        const whose = earlier ? `, by ${earlier.by} at ${earlier.at}` : '';
        return { done: applied ? `${decision}, decided by ${by}` : `was decided already${whose}`, applied };
      }),
    ),
  );
}

async function requestOf({ request, input }: AddFlags): Promise<Record<string, unknown>> {
  if ((request === undefined) === (input === undefined))
    throw new InvalidInputError(
      ['give the request by --request or by --input; one of them'],
      'Nothing was added',
    );
  if (input !== undefined) return readRequestFile(input);
  try {
    return JSON.parse(request ?? '') as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`--request: is not JSON: ${reasonOf(error)}`);
  }
}
