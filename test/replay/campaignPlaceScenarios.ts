/** Campaigns whose histories are committed: their place in the project is taken, refused or not known. */
import { type CampaignInput } from '../../src/contract';
import {
  cutout,
  keptOf,
  newCampaign,
  startCampaign,
  startIdleCampaign,
  type TestCampaign,
} from '../support/builders/campaign';
import { eventually } from '../support/eventually';
import { addFault, answering, ask } from '../support/service/sandbox';
import { testConfig } from '../support/servers/temporal';
import { approved, conducting, mend, NOTIFY } from './recordCampaign';
import { type Scenario } from './scenario';

export const campaignPlaceScenarios: Record<string, Scenario> = {
  /** Where the campaign is to stand, the project has something else. */
  'campaign-configuration-refused': conducting((url) => ({
    at: '/theirs/campaign',
    notify: NOTIFY,
    media: { cutout: cutout(url) },
  })),

  'campaign-place-not-read': conducting(async (url) => {
    await addFault(url, { ...answering(400, 'get-project'), match: { nth: 1 } });
    return { media: { cutout: cutout(url) } };
  }),

  /** Before it knows whose place in the project it is. */
  'campaign-cancelled-without-a-place': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-project'));
      return { media: { cutout: cutout(url) } };
    },
    async ({ handle }) => {
      await eventually('its first task', async () => (await handle.describe()).historyLength > 4);
      await handle.cancel();
    },
  ),

  /** Another campaign runs there. */
  'campaign-place-taken': (temporal, keep) => {
    const config = testConfig();
    let first: TestCampaign | undefined;
    return conducting(
      async (url) => {
        const { project, ...spec } = await newCampaign(url, approved(url));
        first = await startCampaign(temporal, config, { project, ...spec });
        await first.untilStage('approving');
        return { ...approved(url), project };
      },
      async (second) => {
        await second.result().catch(() => undefined);
        await first?.handle.terminate();
      },
      { config },
    )(temporal, keep);
  },

  /** Another took it after this one had looked, and wrote later. */
  'campaign-place-given-up': (temporal, keep) => {
    let spec: CampaignInput | undefined;
    return conducting(
      async (url) => {
        spec = await newCampaign(url, {
          scope: { organization: '1' },
          require: { boards: ['launch-board'] },
          media: { cutout: cutout(url) },
        });
        await addFault(url, answering(503, 'get-board'));
        return spec;
      },
      async (campaign, url) => {
        const given = spec;
        if (!given) return;
        const { key, project } = given;
        await eventually('its state to be there', async () => {
          const kept = await keptOf(url, given).catch(() => undefined);
          return kept?.configuration.key === key && kept.lifecycle.stage === 'preparing';
        });
        const other = await startIdleCampaign(temporal, `other-${key}`);
        const theirs = { configuration: { key: `other-${key}` }, lifecycle: { stage: 'approving' } };
        const place = `/projects/${project.resourcetype}/${project.id}`;
        await ask(url, `PATCH ${place}`, { body: { data: { theirs: true, campaign: theirs } } });
        await mend(url);
        await campaign.result().catch(() => undefined);
        await other.terminate();
      },
    )(temporal, keep);
  },
};
