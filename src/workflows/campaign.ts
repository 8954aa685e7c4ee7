import { validateCampaign, withoutGaps } from '../validation/campaign';
import { type CampaignInput, type CampaignResult } from '../contract';
import { campaignWorkflowId } from '../contract/ids';
import { withEndReport } from './lib/listeners';
import { refuseUnsafeStart, requireInput } from './lib/refuse';
import { askForApproval } from './campaign/approval';
import { saveAll } from './campaign/project';
import { finish, prepare, produce, research, withCompletion } from './campaign/stages';
import { Campaign } from './campaign/state';
import { showStart } from './campaign/status';
import { handleReports } from './campaign/supervise';
import { handleUpdates, STAGE_AFTER } from './campaign/updates';

/** One campaign: checks that everything exists, researches, produces media, asks for approval; the project shows each step. */
export async function campaign(input: CampaignInput): Promise<CampaignResult> {
  requireInput(validateCampaign(input));
  refuseUnsafeStart(input.key, campaignWorkflowId(input.key), input);

  const run = new Campaign(withoutGaps(input));
  handleReports(run);
  handleUpdates(run);
  showStart(run);
  if (run.progress.stage !== 'preparing') saveAll(run);

  return withEndReport(run.progress.listeners, () => withCompletion(run, () => conduct(run)));
}

async function conduct(run: Campaign): Promise<CampaignResult> {
  if (run.progress.stage === 'preparing') await prepare(run);
  if (run.progress.stage === 'researching') await research(run);
  for (;;) {
    // An open question was asked by the previous run.
    if (run.progress.approval === null) await produce(run);
    const verdict = run.input.approval ? await askForApproval(run) : 'approve';
    if (verdict !== 'change') return finish(run, STAGE_AFTER[verdict]);
  }
}
