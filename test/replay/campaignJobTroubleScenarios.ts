/** Campaigns whose histories are committed: a job fails, takes long, waits for a person, or cannot begin as it was asked for. */
import { type AddMediaOrder, addMediaUpdate, pauseUpdate, resumeUpdate } from '../../src/contract';
import { mediaKeyOf } from '../../src/contract/ids';
import { cutout, type TestCampaign } from '../support/builders/campaign';
import { decideByLedger } from '../support/builders/deciding';
import { forgetRun } from '../support/servers/forgetRun';
import { seedTranscription } from '../support/service/records';
import { segueClient, testConfig } from '../support/servers/temporal';
import {
  approved,
  BY_SAM,
  conducting,
  decide,
  lostAnswer,
  mend,
  NOTIFY,
  onCutout,
  unfinished,
} from './recordCampaign';
import { type Scenario } from './scenario';

const BAD = { tool: 'remove-background', request: { image_url: 'http://127.0.0.1:9/none.png' } };

/** Of its first job. */
async function firstKey(campaign: TestCampaign): Promise<string> {
  const { jobs } = await campaign.status();
  return mediaKeyOf(jobs[0]?.workflowId ?? '') ?? '';
}

const TEXT = { from: 'intro', at: '/text' };
/** Takes a long transcript several times, and is long itself. */
const LARGE = {
  ...{ name: 'many', by: 'sam', optional: true, tool: 'image-outpainting' },
  request: {
    ...{ image_url: TEXT, mask_url: TEXT, negative_prompt: TEXT, guidance_scale: TEXT, count: TEXT },
    prompt: 'x'.repeat(300_000),
  },
};
/** One is not too large, and two of them are more than begin at once. */
const HALF_LARGE = {
  ...{ optional: true, tool: 'remove-background' },
  request: { image_url: TEXT, magic_crop: TEXT, background_color: TEXT, output_format: TEXT },
};

/** One long transcript, of so many letters. */
async function longTranscript(url: string, letters = 60_000) {
  const cues = [{ start: 0, end: 1, text: 'x'.repeat(letters) }];
  return { transcripts: { intro: { id: await seedTranscription(url, { cues }) } }, concurrency: 10 };
}

const adding =
  (orders: AddMediaOrder[]) =>
  async ({ handle }: TestCampaign): Promise<void> => {
    await handle.executeUpdate(pauseUpdate, BY_SAM);
    for (const order of orders) await handle.executeUpdate(addMediaUpdate, { args: [order] });
    await handle.executeUpdate(resumeUpdate, BY_SAM);
  };

export const campaignJobTroubleScenarios: Record<string, Scenario> = {
  'campaign-overdue-job': (temporal, keep) => {
    const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '7d' } });
    return conducting(
      unfinished,
      async (campaign, url) => {
        await campaign.untilJob('cutout', 'overdue');
        await mend(url);
        const job = await segueClient(temporal, config).media.get(await firstKey(campaign));
        await job.pollNow();
      },
      { config },
    )(temporal, keep);
  },

  'campaign-held-job-decided': (temporal, keep) => {
    const config = testConfig();
    return conducting(
      lostAnswer,
      async (campaign, url) => {
        await campaign.untilJob('cutout', 'held');
        await decideByLedger(await segueClient(temporal, config).media.get(await firstKey(campaign)), url);
      },
      { config },
    )(temporal, keep);
  },

  'campaign-optional-job-failed': conducting((url) => ({
    notify: NOTIFY,
    media: {
      cutout: cutout(url),
      extra: { ...BAD, optional: true },
      onExtra: {
        ...{ tool: 'remove-background', optional: true },
        request: { image_url: { from: 'extra', at: '/images/0/url' } },
      },
    },
  })),

  'campaign-request-too-large': conducting(longTranscript, adding([LARGE])),

  'campaign-begun-in-bunches': conducting(async (url) => ({
    ...(await longTranscript(url, 8_500)),
    media: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, HALF_LARGE])),
  })),

  'campaign-addition-refused': conducting(approved, async (campaign) => {
    await campaign.untilStage('approving');
    const order = { name: 'more', by: 'sam', tool: 'remove-background', request: {} };
    await campaign.handle.executeUpdate(addMediaUpdate, { args: [order] }).catch(() => undefined);
    await decide('approve')(campaign);
  }),

  'campaign-result-gone': conducting(approved, async (campaign, _url, temporal) => {
    const { jobs } = await campaign.untilStage('approving');
    const workflowId = jobs[0]?.workflowId ?? '';
    await forgetRun(temporal, workflowId);
    const built = { name: 'banner', by: 'sam', optional: true, ...onCutout('/images/0/url') };
    await campaign.handle.executeUpdate(addMediaUpdate, { args: [built] });
    await campaign.untilRound(2);
    await decide('approve')(campaign);
  }),
};
