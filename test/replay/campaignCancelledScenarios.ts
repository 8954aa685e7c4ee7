/** Campaigns whose histories are committed: cancelled at moments when something else happens to them. */
import { jobNewsSignal } from '../../src/contract';
import { cutout } from '../support/builders/campaign';
import { eventually } from '../support/eventually';
import { forgetRun } from '../support/servers/forgetRun';
import { resetRun } from '../support/servers/reset';
import { addFault, answering } from '../support/service/sandbox';
import { conducting, mend, unfinished, untilTask } from './recordCampaign';
import { type Scenario } from './scenario';

export const campaignCancelledScenarios: Record<string, Scenario> = {
  'campaign-cancelled-while-preparing': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-workspace'));
      return { media: { cutout: cutout(url) } };
    },
    async ({ handle }, url) => {
      await eventually('its first task', async () => (await handle.describe()).historyLength > 4);
      await handle.cancel();
      await mend(url);
    },
  ),

  /** It learns that there is room for another job when it is not to begin any. */
  'campaign-cancelled-while-a-job-ends': conducting(
    async (url) => ({
      ...(await unfinished(url)),
      ...{ media: { first: cutout(url), second: cutout(url) }, concurrency: 1 },
    }),
    async (campaign, url) => {
      await untilTask(campaign);
      const { handle } = campaign;
      const workflowId = (await campaign.status()).jobs[0]?.workflowId ?? '';
      await handle.signal(jobNewsSignal, { workflowId, stage: 'succeeded', taskId: null });
      await eventually('the read of its end', async () => {
        const { raw } = await handle.describe();
        return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'readEnd');
      });
      await handle.cancel();
      await mend(url);
    },
  ),

  /** Their ends come together, and are read so. */
  'campaign-cancelled-with-many-jobs': conducting(
    async (url) => ({
      ...(await unfinished(url)),
      media: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, cutout(url)])),
    }),
    async (campaign) => {
      await eventually('all tasks', async () => {
        const { jobs } = await campaign.status();
        return jobs.every(({ taskId }) => taskId !== null);
      });
      await campaign.handle.cancel();
      await campaign.result().catch(() => undefined);
      expect(await campaign.activities()).toEqual(expect.arrayContaining(['cancelRuns', 'readEnds']));
    },
  ),

  /** It cannot even be told to stop. */
  'campaign-cancelled-when-a-job-is-gone': conducting(unfinished, async (campaign, _url, temporal) => {
    await untilTask(campaign);
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await campaign.untilLooks(1);
    const { jobs } = await campaign.status();
    await forgetRun(temporal, jobs[0]?.workflowId ?? '');
    await campaign.handle.cancel();
  }),
};
