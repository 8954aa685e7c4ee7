/** Campaigns whose histories are committed: hours and days of waiting, recorded where those pass in seconds. */
import { type WorkflowHandle } from '@temporalio/client';
import { jobNewsSignal, MEDIA_WORKFLOW, pauseUpdate, resumeUpdate } from '../../src/contract';
import { campaignJobKey, mediaWorkflowId } from '../../src/contract/ids';
import {
  cutout,
  newCampaign,
  type TestCampaign,
  untilItWaitsForItsProject,
} from '../support/builders/campaign';
import { addFault, answering, ask } from '../support/service/sandbox';
import { type SkippingTemporal, type TestTemporal } from '../support/servers/temporal';
import { BY_SAM, conductingForLong, NOTIFY } from './recordCampaign';
import { type Scenario } from './scenario';
import { OWN_START } from '../support/builders/jobs';

const HOUR_MS = 3_600_000;

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
    const { key, project } = await newCampaign(url);
    for (const name of names) {
      const jobKey = campaignJobKey(key, name);
      const poll = { min: '2d', max: '2d', deadline: '7d', giveUp: '8d' };
      const write = { project, at: `/campaign/media/${name}` };
      const job = { key: jobKey, ...cutout(url), poll, write };
      const workflowId = mediaWorkflowId(jobKey);
      await client.workflow.start(MEDIA_WORKFLOW, { memo: OWN_START, workflowId, taskQueue, args: [job] });
    }
    return { key, project, media: Object.fromEntries(names.map((name) => [name, cutout(url)])) };
  };

/** The runs of its jobs, when it has looked at each of them. */
async function jobsOf(campaign: TestCampaign): Promise<string[]> {
  const { jobs } = await campaign.untilStage('producing');
  await campaign.untilLooks(jobs.length);
  return (await campaign.status()).jobs.map(({ workflowId }) => workflowId ?? '');
}

/** Cancels a campaign whose job cannot end: the service does not let it record its task. */
async function cancelInTrouble(
  campaign: TestCampaign,
  { client }: SkippingTemporal,
  url: string,
): Promise<WorkflowHandle> {
  const [job = ''] = await jobsOf(campaign);
  await addFault(url, answering(503, 'get-project'));
  await campaign.handle.cancel();
  await campaign.untilLooks(2);
  const handle = client.workflow.getHandle(job);
  await untilItWaitsForItsProject(handle);
  return handle;
}

/** The second notification is the reminder. */
async function remindedInVain(url: string) {
  await addFault(url, { ...answering(400, 'notify'), match: { nth: 2 } });
  return {
    notify: { userId: 'u-1', workspaceId: '1' },
    media: { cutout: cutout(url) },
    approval: { from: 'u-2', remind: '24h', expires: '6d' } as const,
  };
}

export const campaignLongScenarios: Record<string, Scenario> = {
  'campaign-reminded': conductingForLong(reminded),

  'campaign-reminded-after-a-pause': conductingForLong(reminded, async (campaign, { skip }) => {
    await campaign.untilStage('approving');
    await campaign.handle.executeUpdate(pauseUpdate, BY_SAM);
    await skip(7 * 24 * 3_600_000);
    await campaign.handle.executeUpdate(resumeUpdate, BY_SAM);
  }),

  'campaign-reminder-refused': conductingForLong(remindedInVain),

  /** It could be told only when it was decided. */
  'campaign-question-outdated': conductingForLong(
    async (url) => {
      await addFault(url, { ...answering(429, 'notify'), ms: HOUR_MS / 4, match: { nth: 1 } });
      const approval = { from: 'u-2', expires: '2h' } as const;
      return { scope: { organization: '1' }, media: { cutout: cutout(url) }, approval };
    },
    async (campaign) => {
      await campaign.untilStage('approving');
      await campaign.untilNotified(1);
      await campaign.decide({ decision: 'change', by: 'sam', jobs: ['cutout'] });
      await campaign.untilRound(2);
    },
  ),

  'campaign-cancelled-and-looked-once-more': conductingForLong(attached('cutout'), async (...it) => {
    const job = await cancelInTrouble(...it);
    await job.terminate('enough');
    await ask(it[2], 'DELETE /_sandbox/faults');
  }),

  /** Neither the job nor the project is known to be done with when it ends. */
  'campaign-cancelled-in-vain': conductingForLong(attached('cutout'), async (...it) => {
    await cancelInTrouble(...it);
    await it[0].result().catch(() => undefined);
    await ask(it[2], 'DELETE /_sandbox/faults');
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
    },
  ),
};
