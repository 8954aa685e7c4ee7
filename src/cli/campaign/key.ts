/** The campaign that a person means by its key or its workflow id. */
import { type Campaign } from '../../client/campaigns/campaign';
import { loadStarterConfig } from '../../config';
import { campaignKeyOf } from '../../contract/ids';
import { withTemporal } from '../lib/connect';
import { type ExitCode, UsageError } from '../lib/exit';
import { env } from '../lib/io';

export async function withCampaign(
  text: string,
  work: (campaign: Campaign) => Promise<ExitCode>,
): Promise<ExitCode> {
  const key = campaignKeyOf(text);
  if (key === undefined) throw new UsageError(`"${text}" is neither a key nor the id of a campaign`);
  const config = loadStarterConfig(env());
  return withTemporal(async ({ segue }) => work(await segue(config).campaign.get(key)));
}
