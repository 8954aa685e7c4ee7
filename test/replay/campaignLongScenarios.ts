/** Campaigns whose histories are committed: hours and days of waiting, recorded where those pass in seconds. */
import { randomUUID } from 'node:crypto';
import { jobNewsSignal, MEDIA_WORKFLOW, pauseUpdate, resumeUpdate } from '../../src/contract';
import { campaignJobKey, mediaWorkflowId } from '../../src/ids';
import { cutout, type TestCampaign } from '../support/campaign';
import { eventually } from '../support/eventually';
import { addFault, answering } from '../support/sandbox';
import { type TestTemporal } from '../support/temporal';
import { BY_SAM, NOTIFY, runLongCampaign } from './recordCampaign';
import { type Scenario } from './scenario';

function reminded(url: string) {
  return {
    notify: NOTIFY,
    media: { cutout: cutout(url) },
    approval: { from: 'u-2', remind: '24h', expires: '6d' } as const,
  };
}

/** Its job was begun by somebody else, and is at its task for as long as nobody stops it. */
async function attached(url: string, { client }: TestTemporal, taskQueue: string) {
  await addFault(url, answering(503, 'get-task'));
  const key = `c-${randomUUID()}`;
  const jobKey = campaignJobKey(key, 'cutout');
  const job = { key: jobKey, ...cutout(url), poll: { min: '5m', max: '5m', deadline: '7d', giveUp: '8d' } };
  const workflowId = mediaWorkflowId(jobKey);
  await client.workflow.start(MEDIA_WORKFLOW, { workflowId, taskQueue, args: [job] });
  return { key, media: { cutout: cutout(url) } };
}

async function firstJob(campaign: TestCampaign): Promise<string> {
  return eventually('the job', async () => {
    const { jobs } = await campaign.status();
    return jobs[0]?.workflowId ?? undefined;
  });
}

export const campaignLongScenarios: Record<string, Scenario> = {
  'campaign-reminded': (_temporal, keep) => runLongCampaign(keep, reminded),

  'campaign-reminded-after-a-pause': (_temporal, keep) =>
    runLongCampaign(keep, reminded, async (campaign, { skip }) => {
      await campaign.untilStage('approving');
      await campaign.handle.executeUpdate(pauseUpdate, BY_SAM);
      await skip(7 * 24 * 3_600_000);
      await campaign.handle.executeUpdate(resumeUpdate, BY_SAM);
    }),

  /** It was terminated, and so told nobody. */
  'campaign-looked-every-hour': (_temporal, keep) =>
    runLongCampaign(keep, attached, async (campaign, { client }) => {
      const job = await firstJob(campaign);
      await campaign.untilLooks(1);
      await client.workflow.getHandle(job).terminate('enough');
    }),

  /** It said that it ends, and was slow to do so. */
  'campaign-looked-again': (_temporal, keep) =>
    runLongCampaign(keep, attached, async (campaign, { client }) => {
      const job = await firstJob(campaign);
      await campaign.untilLooks(1);
      await campaign.handle.signal(jobNewsSignal, { workflowId: job, stage: 'succeeded', taskId: null });
      await campaign.untilLooks(2);
      await client.workflow.getHandle(job).terminate('enough');
    }),
};
