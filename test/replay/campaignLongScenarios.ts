/** Campaigns whose histories are committed: hours and days of waiting, recorded where those pass in seconds. */
import { randomUUID } from 'node:crypto';
import { jobNewsSignal, MEDIA_WORKFLOW, pauseUpdate, resumeUpdate } from '../../src/contract';
import { campaignJobKey, mediaWorkflowId } from '../../src/ids';
import { cutout, type TestCampaign } from '../support/campaign';
import { addFault, answering } from '../support/sandbox';
import { type TestTemporal } from '../support/temporal';
import { BY_SAM, conductingForLong, NOTIFY } from './recordCampaign';
import { type Scenario } from './scenario';

function reminded(url: string) {
  return {
    notify: NOTIFY,
    media: { cutout: cutout(url) },
    approval: { from: 'u-2', remind: '24h', expires: '6d' } as const,
  };
}

/** Its jobs were begun by somebody else, and are at their tasks for as long as nobody stops them. */
const attached =
  (...names: string[]) =>
  async (url: string, { client }: TestTemporal, taskQueue: string) => {
    await addFault(url, answering(503, 'get-task'));
    const key = `c-${randomUUID()}`;
    for (const name of names) {
      const jobKey = campaignJobKey(key, name);
      const poll = { min: '5m', max: '5m', deadline: '7d', giveUp: '8d' };
      const job = { key: jobKey, ...cutout(url), poll };
      const workflowId = mediaWorkflowId(jobKey);
      await client.workflow.start(MEDIA_WORKFLOW, { workflowId, taskQueue, args: [job] });
    }
    return { key, media: Object.fromEntries(names.map((name) => [name, cutout(url)])) };
  };

/** The runs of its jobs, when it has looked at each of them. */
async function jobsOf(campaign: TestCampaign): Promise<string[]> {
  const { jobs } = await campaign.untilStage('producing');
  await campaign.untilLooks(jobs.length);
  return (await campaign.status()).jobs.map(({ workflowId }) => workflowId ?? '');
}

export const campaignLongScenarios: Record<string, Scenario> = {
  'campaign-reminded': conductingForLong(reminded),

  'campaign-reminded-after-a-pause': conductingForLong(reminded, async (campaign, { skip }) => {
    await campaign.untilStage('approving');
    await campaign.handle.executeUpdate(pauseUpdate, BY_SAM);
    await skip(7 * 24 * 3_600_000);
    await campaign.handle.executeUpdate(resumeUpdate, BY_SAM);
  }),

  /** It was terminated, and so told nobody. */
  'campaign-looked-every-hour': conductingForLong(attached('cutout'), async (campaign, { client }) => {
    const [job = ''] = await jobsOf(campaign);
    await client.workflow.getHandle(job).terminate('enough');
  }),

  /** One said that it ends, and was slow to do so. What became of another meanwhile does not put it off. */
  'campaign-looked-again': conductingForLong(
    attached('slow', 'quick', 'silent'),
    async (campaign, { client }) => {
      const [slow = '', quick = '', silent = ''] = await jobsOf(campaign);
      const end = (job: string): Promise<unknown> => client.workflow.getHandle(job).terminate('enough');
      const tell = (job: string): Promise<void> =>
        campaign.handle.signal(jobNewsSignal, { workflowId: job, stage: 'succeeded', taskId: null });
      await tell(slow);
      await campaign.untilLooks(4);
      await end(quick);
      await tell(quick);
      await campaign.untilLooks(5);
      await end(slow);
      await end(silent);
      await campaign.result().catch(() => undefined);
      const { jobs } = await campaign.status();
      const [slowEnd = 0, , silentEnd = 0] = jobs.map(({ since }) => Date.parse(since));
      // Looked at after a minute, and after an hour.
      expect(silentEnd - slowEnd).toBeGreaterThan(50 * 60_000);
    },
  ),
};
