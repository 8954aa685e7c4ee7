/** The client of campaigns. */
import {
  CAMPAIGN_WORKFLOW,
  type CampaignSpec,
  type CampaignStage,
  type CampaignStatus,
} from '../../contract';
import { assertValid } from '../../errors';
import { campaignWorkflowId } from '../../contract/ids';
import { Campaign } from './campaign';
import { campaignStart, validateCampaignSpec } from '../../runs/campaign';
import { find, startOrFind } from '../../runs/start';
import { entryOf, type JobEntry, type JobFilter, queryOf } from '../listing';
import { RunsClient } from '../run';
import { countRuns, findRuns } from '../../runs/ownRun';

export interface CampaignFilter extends Pick<JobFilter, 'project'> {
  stage?: CampaignStage;
}

export type CampaignEntry = JobEntry<CampaignStage>;

const ONLY_CAMPAIGNS = [CAMPAIGN_WORKFLOW];

export class CampaignsClient extends RunsClient<CampaignSpec, CampaignStatus, Campaign> {
  /** Starts it, or gives back the run that its key already has, running or closed. A bad spec starts nothing. */
  async start(spec: CampaignSpec): Promise<Campaign> {
    assertValid(validateCampaignSpec(spec), 'The campaign was not started');
    return new Campaign(this.temporal, await startOrFind(this.temporal, campaignStart(spec, this.config)));
  }

  async get(key: string): Promise<Campaign> {
    return new Campaign(this.temporal, await find(this.temporal, campaignWorkflowId(key)));
  }

  /** Campaigns as Temporal lists them, newest first. A list lags behind by a moment. */
  async *list(filter: CampaignFilter = {}): AsyncGenerator<CampaignEntry> {
    for await (const run of findRuns(this.temporal, queryOf(filter), ONLY_CAMPAIGNS)) {
      const entry = entryOf<CampaignStage>(run);
      const isFailed = entry.stage === 'rejected' || entry.stage === 'expired';
      yield isFailed ? { ...entry, status: 'failed' } : entry;
    }
  }

  count(filter: CampaignFilter = {}): Promise<number> {
    return countRuns(this.temporal, queryOf(filter), ONLY_CAMPAIGNS);
  }
}
