import { type CampaignEntry, type CampaignFilter } from '../../client/campaigns';
import { loadStarterConfig } from '../../config';
import { CAMPAIGN_STAGES } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { requireGood } from '../../errors';
import { withTemporal } from '../lib/connect';
import { projectFrom } from '../jobs/flags';
import { showList } from '../lib/list';
import { env } from '../lib/io';

export interface CampaignListFlags {
  stage?: string;
  project?: string;
  limit: number;
  json?: boolean;
}

export async function showCampaigns(flags: CampaignListFlags): Promise<void> {
  const filter = filterFrom(flags);
  const config = loadStarterConfig(env());
  await withTemporal(async ({ segue }) => {
    const { campaign } = segue(config);
    const found = { list: campaign.list(filter), count: () => campaign.count(filter) };
    await showList(found, flags, { noun: 'campaigns', columns: COLUMNS, rowOf });
  });
}

/** All problems at once; nothing is asked with a filter that finds nothing by mistake. */
function filterFrom({ stage, project }: CampaignListFlags): CampaignFilter {
  const problems: string[] = [];
  const known = CAMPAIGN_STAGES.find((name) => name === stage);
  if (stage !== undefined && !known)
    problems.push(`--stage: "${stage}" is none of ${CAMPAIGN_STAGES.join(', ')}`);
  const ref = project === undefined ? undefined : projectFrom(project);
  if (project !== undefined && !ref) problems.push(`--project: "${project}" is not TYPE/ID`);
  requireGood(problems, 'Nothing was listed');
  return { stage: known, project: ref };
}

const COLUMNS = ['KEY', 'STATUS', 'STAGE', 'PROJECT', 'STARTED'];

function rowOf({ key, status, stage, project, startedAt }: CampaignEntry): string[] {
  const age = formatDuration(Math.max(0, Date.now() - Date.parse(startedAt)));
  return [key, status, stage ?? '', project ?? '', `${age} ago`];
}
