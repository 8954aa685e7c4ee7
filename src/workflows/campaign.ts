import { setHandler } from '@temporalio/workflow';
import { problemsOfCampaign, withoutGaps } from '../validation/campaign';
import {
  type CampaignInput,
  type CampaignResult,
  campaignStatusQuery,
  type CampaignVerdict,
} from '../contract';
import { campaignWorkflowId } from '../contract/ids';
import { withEndReport } from './lib/listeners';
import { badInput } from './steps/job';
import { refuseUnsafeStart } from './steps/job';
import { askForApproval } from './campaign/approval';
import { endingWell, finish } from './campaign/ending';
import { handleJobNews } from './campaign/news';
import { handleOrders } from './campaign/orders';
import { prepare, research } from './campaign/preparing';
import { produce } from './campaign/producing';
import { type Campaign, startCampaign } from './campaign/run';
import { saveAll } from './campaign/saving';
import { showStart } from './campaign/stage';
import { describe } from './campaign/status';

/** One campaign: look whether all is there, read up, make its media, have it approved; the project knows each step. */
export async function campaign(input: CampaignInput): Promise<CampaignResult> {
  const problems = problemsOfCampaign(input);
  if (problems.length > 0) throw badInput(problems);
  refuseUnsafeStart(input.key, campaignWorkflowId(input.key), input);

  const run = startCampaign(withoutGaps(input));
  setHandler(campaignStatusQuery, () => describe(run), {
    description: 'What this campaign is doing: stages, jobs, what it waits for and since when.',
  });
  handleJobNews(run);
  handleOrders(run);
  showStart(run);
  if (run.progress.stage !== 'preparing') saveAll(run);

  return withEndReport(run.progress.listeners, () => endingWell(run, () => conduct(run)));
}

async function conduct(run: Campaign): Promise<CampaignResult> {
  if (run.progress.stage === 'preparing') await prepare(run);
  if (run.progress.stage === 'researching') await research(run);
  for (;;) {
    // An open question is one that the run before this one asked.
    if (run.progress.approval === null) await produce(run);
    const verdict = run.input.approval ? await askForApproval(run) : 'approve';
    if (verdict !== 'change') return finish(run, ENDS[verdict]);
  }
}

const ENDS = { approve: 'completed', reject: 'rejected', expired: 'expired' } as const satisfies Record<
  Exclude<CampaignVerdict, 'change'> | 'expired',
  CampaignResult['status']
>;
