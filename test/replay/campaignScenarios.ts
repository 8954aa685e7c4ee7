/** Campaigns whose histories are committed: every way through one. */
import { addMediaUpdate, pauseUpdate, resumeUpdate } from '../../src/contract';
import { cutout, newCampaign, startCampaign } from '../support/builders/campaign';
import { eventually } from '../support/eventually';
import { SANDBOX_PLACES, seed, seedRecord, seedTranscription } from '../support/service/records';
import { resetRun } from '../support/servers/reset';
import { addFault, answering, startSandbox } from '../support/service/sandbox';
import { testConfig, withWorker } from '../support/servers/temporal';
import {
  approved,
  BY_SAM,
  conducting,
  decide,
  lostAnswer,
  NOTIFY,
  onCutout,
  unfinished,
} from './recordCampaign';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';

const ofManyJobs = whereHistoriesAreShort(
  40,
  conducting((url) => ({
    media: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, cutout(url)])),
    concurrency: 2,
  })),
);

export const campaignScenarios: Record<string, Scenario> = {
  'campaign-completed': conducting(
    (url) => ({
      scope: { organization: '1' },
      notify: NOTIFY,
      require: { boards: ['launch-board'] },
      research: { drafts: { accounts: ['1'] }, boards: ['launch-board'] },
      media: { cutout: cutout(url), banner: onCutout('/images/0/url') },
      approval: { from: 'u-2' },
    }),
    decide('approve'),
  ),

  'campaign-rejected': conducting(approved, decide('reject')),

  'campaign-approver-not-told': conducting(
    async (url) => {
      await addFault(url, answering(400, 'notify'));
      return approved(url);
    },
    async (campaign) => {
      await campaign.untilStage('approving');
      await eventually('the remark', async () => (await campaign.status()).remarks.length > 0);
      await campaign.decide({ decision: 'approve', by: 'sam' });
    },
  ),

  'campaign-expired': conducting((url) => ({
    notify: NOTIFY,
    media: { cutout: cutout(url) },
    approval: { from: 'u-2', expires: '1s' },
  })),

  'campaign-changed': conducting(approved, async (campaign) => {
    await campaign.untilStage('approving');
    await campaign.decide({ decision: 'change', by: 'sam', jobs: ['cutout'] });
    await campaign.untilRound(2);
    await campaign.decide({ decision: 'approve', by: 'sam' });
  }),

  /** Each by its own kind of run. */
  async 'campaign-transcript-and-wait'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const config = testConfig();
    const work = async (): Promise<void> => {
      const waits = {
        picture: { asset: await seedRecord(sandbox.url, 'asset', [1, 4]) },
        teaser: { video: await seedRecord(sandbox.url, 'video', ['DONE']) },
        crawl: { run: await seedRecord(sandbox.url, 'run', ['COMPLETED']) },
      };
      const transcripts = { intro: { id: await seedTranscription(sandbox.url) } };
      const spec = await newCampaign(sandbox.url, { transcripts, waits });
      const campaign = await startCampaign(temporal, config, spec);
      await campaign.result();
      await keep(campaign.handle);
    };
    await withWorker(temporal, config, sandbox.url, work, { layout: SANDBOX_PLACES });
    await sandbox.stop();
  },

  'campaign-cannot-begin': conducting((url) => ({
    notify: NOTIFY,
    require: { boards: ['no-board'] },
    media: { cutout: cutout(url) },
  })),

  'campaign-jobs-failed': conducting((url) => ({
    notify: NOTIFY,
    media: {
      cutout: cutout(url),
      nothing: onCutout('/nowhere'),
      bad: { tool: 'remove-background', request: { image_url: 'http://127.0.0.1:9/none.png' } },
      onBad: { tool: 'remove-background', request: { image_url: { from: 'bad', at: '/images/0/url' } } },
    },
  })),

  'campaign-paused-and-extended': conducting(approved, async (campaign, url) => {
    await campaign.untilStage('approving');
    await campaign.handle.executeUpdate(pauseUpdate, BY_SAM);
    await campaign.handle.executeUpdate(addMediaUpdate, {
      args: [{ name: 'more', by: 'sam', ...cutout(url) }],
    });
    await campaign.handle.executeUpdate(resumeUpdate, BY_SAM);
    await campaign.untilRound(2);
    await campaign.decide({ decision: 'approve', by: 'sam' });
  }),

  'campaign-cancelled': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-task'));
      return { media: { cutout: cutout(url), second: cutout(url, 'shoe') }, concurrency: 1 };
    },
    async (campaign) => {
      await campaign.untilJob('cutout', 'running');
      await campaign.handle.cancel();
    },
  ),

  'campaign-cancelled-while-approving': conducting(approved, async (campaign) => {
    await campaign.untilStage('approving');
    await campaign.handle.cancel();
  }),

  'campaign-repeat-failed': conducting(approved, async (campaign, url) => {
    await campaign.untilStage('approving');
    await addFault(url, answering(422, 'remove-background'));
    await campaign.decide({ decision: 'change', by: 'sam', jobs: ['cutout'] });
    await campaign.untilRound(2);
    await campaign.decide({ decision: 'approve', by: 'sam' });
  }),

  'campaign-job-terminated': conducting(unfinished, async (campaign, _url, temporal) => {
    await campaign.untilJob('cutout', 'running');
    const job = await eventually('its task', async () => {
      const { jobs } = await campaign.status();
      return jobs.find(({ taskId }) => taskId !== null);
    });
    await temporal.client.workflow.getHandle(job.workflowId ?? '').terminate('enough');
  }),

  'campaign-reset': conducting(approved, async (campaign, _url, temporal) => {
    await campaign.untilStage('approving');
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await campaign.untilStage('approving');
    await campaign.decide({ decision: 'approve', by: 'sam' });
  }),

  'campaign-held-job': conducting(lostAnswer, async (campaign) => {
    await campaign.untilJob('cutout', 'held');
    await campaign.handle.cancel();
  }),

  'campaign-in-an-unknown-zone': conducting(
    async (url) => {
      const settings = { timezone: 'Mars/Olympus', start_of_week: 'sol' };
      await seed(url, { workspaces: [{ id: 77, name: 'Far', slug: 'far', settings }] });
      return { ...approved(url), scope: { organization: '77' } };
    },
    async (campaign) => {
      expect(await campaign.untilStage('approving')).toMatchObject({
        timezone: 'UTC',
        remarks: [expect.stringMatching(/UTC is used$/), expect.stringMatching(/Monday is used$/)],
      });
      await campaign.decide({ decision: 'approve', by: 'sam' });
    },
  ),

  'campaign-continued-as-new': ofManyJobs,
  'campaign-handing-over': handingOver(ofManyJobs, 'prepareCampaign'),
};
