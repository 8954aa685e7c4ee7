/** Campaigns whose histories are committed: reset, or continued as new, they go on in another run. */
import { startSandbox } from '../support/service/sandbox';
import { changedSignal, jobNewsSignal, pauseUpdate, resumeUpdate } from '../../src/contract';
import { cutout, newCampaign, startCampaign, TestCampaign } from '../support/builders/campaign';
import { continueAsNew } from '../support/servers/continueAsNew';
import { eventually } from '../support/eventually';
import { resetRun } from '../support/servers/reset';
import { testConfig, withWorker } from '../support/servers/temporal';
import { approved, BY_SAM, conducting, decide, mend, unfinished, untilTask } from './recordCampaign';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';

function researched(url: string) {
  return { ...approved(url), research: { boards: ['launch-board', 'no-board'] } };
}

/** Signals it until its history is so long that it continues as new. */
async function signalUntilNextRun(campaign: TestCampaign): Promise<void> {
  const before = (await campaign.handle.describe()).runId;
  await eventually('another run', async () => {
    for (let n = 0; n < 10; n++)
      await campaign.handle.signal(changedSignal, {
        ...{ applied: ['another'], refused: [], noRoom: [], unknown: [] },
      });
    return (await campaign.handle.describe()).runId !== before;
  });
}

/** It gets signals while it waits for its approver, until it has continued as new twice. */
const signalledWhileApproving = whereHistoriesAreShort(
  500,
  conducting(researched, async (campaign) => {
    await campaign.untilStage('approving');
    await campaign.decide({ decision: 'change', by: 'sam', jobs: ['cutout'] });
    await campaign.untilRound(2);
    for (let runs = 0; runs < 2; runs++) await signalUntilNextRun(campaign);
    await campaign.decide({ decision: 'approve', by: 'sam', round: 2 });
  }),
);

/** Jobs say that they end while it reads how two others ended, which said so too early; then its history is long. */
const endingMeanwhile = whereHistoriesAreShort(
  90,
  conducting(
    async (url) => ({
      ...(await unfinished(url)),
      media: { slow: cutout(url), slower: cutout(url), quick: cutout(url) },
    }),
    async (campaign, url, temporal) => {
      const before = (await campaign.handle.describe()).runId;
      const jobs = await eventually('all tasks', async () => {
        const { jobs } = await campaign.status();
        return jobs.every(({ taskId }) => taskId !== null) ? jobs : undefined;
      });
      const [slow = '', slower = '', quick = ''] = jobs.map(({ workflowId }) => workflowId ?? '');
      for (const workflowId of [slow, slower])
        await campaign.handle.signal(jobNewsSignal, { workflowId, stage: 'succeeded', taskId: null });
      await temporal.client.workflow.getHandle(quick).terminate('enough');
      // An update that meets the moment between two runs fails, and is sent again.
      const order = (update: typeof pauseUpdate): Promise<boolean> =>
        eventually('the update', () => campaign.handle.executeUpdate(update, BY_SAM).then(() => true));
      for (let times = 0; times < 8; times++) {
        await order(pauseUpdate);
        await order(resumeUpdate);
      }
      await eventually('another run', async () => (await campaign.handle.describe()).runId !== before);
      await mend(url);
    },
  ),
);

/** It gets signals while its jobs run, until it has continued as new twice; the run in between is kept. */
const signalledWhileProducing = whereHistoriesAreShort(
  90,
  conducting(
    async (url) => ({ ...(await unfinished(url)), media: { one: cutout(url), other: cutout(url) } }),
    async (campaign, url) => {
      await eventually('all tasks', async () => {
        return (await campaign.status()).jobs.every(({ taskId }) => taskId !== null);
      });
      for (let runs = 0; runs < 2; runs++) await signalUntilNextRun(campaign);
      await mend(url);
    },
  ),
);

export const campaignNextRunScenarios: Record<string, Scenario> = {
  /** What was decided is applied again, before there is anything to decide. */
  'campaign-reset-after-its-decision': conducting(approved, async (campaign, _url, temporal) => {
    await decide('approve')(campaign);
    await campaign.result();
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await decide('approve')(campaign);
  }),

  'campaign-attached-to-running-jobs': conducting(unfinished, async (campaign, url, temporal) => {
    await untilTask(campaign);
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await campaign.untilJob('cutout', 'running');
    await mend(url);
  }),

  /** The worker that prepared it knew its zone; the one that goes on with it does not. */
  async 'campaign-zone-forgotten'(temporal, keep) {
    const sandbox = await startSandbox();
    const config = testConfig();
    const input = await newCampaign(sandbox.url, approved(sandbox.url));
    const { handle } = await startCampaign(temporal, config, input);
    const clock = { timezone: 'Mars/Olympus', startOfWeek: 1, remarks: [] };
    const { poll } = config;
    await continueAsNew(temporal, config.taskQueue, {
      ...input,
      poll,
      carried: { stage: 'producing', clock },
    });
    await withWorker(temporal, config, sandbox.url, async () => {
      const campaign = new TestCampaign(temporal.client.workflow.getHandle(handle.workflowId));
      await eventually('a planned reminder', async () => {
        const { approval } = await campaign.status();
        return Boolean(approval?.nextReminderAt);
      });
      await decide('approve')(campaign);
      await campaign.result();
      await keep(campaign.handle);
    });
    await sandbox.stop();
  },

  'campaign-ends-carried-over': endingMeanwhile,

  'campaign-ends-handing-over': handingOver(endingMeanwhile),

  'campaign-continued-twice': handingOver(signalledWhileProducing),

  'campaign-question-carried-over': signalledWhileApproving,

  'campaign-question-handing-over': handingOver(signalledWhileApproving),
};
