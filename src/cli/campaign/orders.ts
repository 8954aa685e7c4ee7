/** What people tell a running campaign: approve, reject, change, pause, resume, add. */
import { type Command } from 'commander';
import { type Campaign } from '../../client/campaigns/campaign';
import { type AddMediaOrder, type CampaignVerdict } from '../../contract';
import { InvalidInputError } from '../../errors';
import { withCampaign } from './key';
import { EXIT, type ExitCode, UsageError } from '../lib/exit';
import { listFlag } from '../lib/flags';
import { readRequestFile } from '../lib/input';
import { osUser } from '../lib/person';
import { print, printJson, say } from '../lib/print';
import { io } from '../lib/io';

interface OrderFlags {
  by?: string;
  json?: boolean;
}

interface DecisionFlags extends OrderFlags {
  comment?: string;
  jobs?: string[];
  round?: number;
}

const ABOUT: Record<CampaignVerdict, string> = {
  approve: 'approve the results of a campaign; it is completed with that',
  reject: 'reject the results of a campaign; it ends with that',
  change: 'have media jobs of a campaign made again, under new keys, and be asked again',
};

export function addOrders(campaign: Command): void {
  for (const [verdict, about] of Object.entries(ABOUT))
    addDecision(campaign, verdict as CampaignVerdict, about);

  order(campaign, 'pause <key>', 'begin no further jobs; those that run go on')
    .option('--reason <text>', 'why')
    .action(async (key: string, { by = osUser(), reason, json }: OrderFlags & { reason?: string }) => {
      io().exitCode = await withCampaign(key, async (one) => {
        await one.pause({ by, reason });
        return tell(one, `paused by ${by}`, { json });
      });
    });
  order(campaign, 'resume <key>', 'go on with a campaign that was paused').action(
    async (key: string, { by = osUser(), json }: OrderFlags) => {
      io().exitCode = await withCampaign(key, async (one) => {
        await one.resume({ by });
        return tell(one, `resumed by ${by}`, { json });
      });
    },
  );
  addMore(campaign);
}

function addDecision(campaign: Command, decision: CampaignVerdict, about: string): void {
  const command = order(campaign, `${decision} <key>`, about)
    .option('--comment <text>', 'what you think of it; it is kept with the decision')
    .option('--round <n>', 'only if this question is open, as `status` numbers it', Number);
  if (decision === 'change')
    command.option('--jobs <names>', 'the jobs to make again, with commas between', listFlag);
  command.addHelpText('after', '\nA decision that is sent twice is taken once.');
  command.action(async (key: string, { by = osUser(), comment, jobs, round, json }: DecisionFlags) => {
    io().exitCode = await withCampaign(key, async (one) => {
      const { applied, earlier, stale } = await one.decide({ decision, by, comment, jobs, round });
      const whose = earlier ? `, by ${earlier.by} at ${earlier.at}` : '';
      if (earlier && decision === 'change')
        say(`If it is meant once more, name the open question, as \`status\` numbers it: --round N`);
      if (stale.length > 0)
        say(
          `Made from what is now made again, and left as they are: ${stale.join(', ')}. --jobs may name them too.`,
        );
      return tell(one, applied ? `${decision}, decided by ${by}` : `was decided already${whose}`, {
        json,
        applied,
      });
    });
  });
}

function addMore(campaign: Command): void {
  order(campaign, 'add <key> <name> <tool>', 'add a media job to a campaign that runs')
    .option('--request <json>', 'the request of the tool; any value may be {"from": JOB, "at": POINTER}')
    .option('--input <file>', 'take the request from a JSON file, - for stdin')
    .option('--optional', 'the campaign goes on without it, should it fail')
    .addHelpText(
      'after',
      '\nExample:\n' +
        `  segue campaign add spring square image-outpainting --request '{"image_url": {"from": "cutout", "at": "/images/0/url"}, …}'`,
    )
    .action(async (key: string, name: string, tool: string, flags: AddFlags) => {
      const { by = osUser(), optional, json } = flags;
      const added: AddMediaOrder = { name, tool, by, optional, request: await requestOf(flags) };
      io().exitCode = await withCampaign(key, async (one) => {
        await one.addMedia(added);
        return tell(one, `${name} was added by ${by}`, { json });
      });
    });
}

interface AddFlags extends OrderFlags {
  request?: string;
  input?: string;
  optional?: boolean;
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
    throw new UsageError(`--request: is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function order(campaign: Command, usage: string, about: string): Command {
  return campaign
    .command(usage)
    .description(about)
    .option('--by <user>', 'who says so (default: the user of this machine)')
    .option('--json', 'print one JSON object');
}

async function tell(
  campaign: Campaign,
  words: string,
  { json, ...more }: { json?: boolean; applied?: boolean },
): Promise<ExitCode> {
  if (json) printJson({ ...(await campaign.report()), ...more });
  else print(`${campaign.workflowId}: ${words}`);
  return EXIT.done;
}
