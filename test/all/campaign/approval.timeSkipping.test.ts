/** Days of waiting for an approval, and hours for a job, in seconds. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import {
  type CampaignInput,
  jobNewsSignal,
  MEDIA_WORKFLOW,
  pauseUpdate,
  resumeUpdate,
} from '../../../src/contract';
import { campaignJobKey, mediaWorkflowId } from '../../../src/contract/ids';
import {
  cutout,
  keptOf,
  newCampaign,
  notificationsOf,
  startCampaign,
  type TestCampaign,
  untilItWaitsForItsProject,
} from '../../support/builders/campaign';
import { shared } from '../../support/jest/shared';
import { addFault, answering, ask, readLedger, useSandbox } from '../../support/service/sandbox';
import { hourInBerlin, inBerlin, isWorkingTime } from '../../support/builders/workingHours';
import { testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';
import { OWN_START } from '../../support/builders/jobs';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const temporal = useTimeSkipping();
// Without ETags, which is harder; what is written is tested with both in saving.test.ts.
const sandbox = useSandbox({ pace: { kind: 'instant' }, etags: false });

async function run(
  more: Partial<CampaignInput>,
  work: (campaign: TestCampaign) => Promise<void>,
  before: (taskQueue: string, spec: CampaignInput) => Promise<void> = () => Promise.resolve(),
) {
  const config = testConfig();
  const spec = await newCampaign(sandbox.url, {
    media: { cutout: cutout(sandbox.url) },
    notify: { userId: 'u-1', workspaceId: '1' },
    ...more,
  });
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      await before(config.taskQueue, spec);
      await work(await startCampaign(temporal, config, spec));
    },
    { checkScheduledTime: false },
  );
  return spec;
}

test('reminders keep working hours over a daylight-saving change, until the question expires', async () => {
  let reminders: Date[] = [];
  let days = 0;
  // At full size it waits for seven months, to prove that one run is enough: its history stays under 4,096 events.
  const [expires, fewest, events] = shared().full ? [220, 51, 4_096] : [21, 5, 500];
  const soonest = (await temporal.now()) + 10 * DAY_MS;
  const before = inBerlin(new Date(soonest)).offset;
  const change = hourInBerlin(soonest, ({ offset }) => offset !== before);
  // Clocks change on a Sunday. The campaign starts on the Thursday ten days before, and its first reminder is due on the
  // Saturday, so it goes out on the Monday. From nine in the morning, 63 hours lead to a midnight, and so to nine again:
  // Monday, Thursday, Monday.
  await temporal.skip(change - soonest);
  const approval = { from: 'u-2', remind: '63h', expires: `${expires}d` } as const;
  const spec = await run({ approval }, async (campaign) => {
    expect(await campaign.result()).toMatchObject({ status: 'expired', notified: { status: 'sent' } });
    reminders = await campaign.reminders();
    const { startTime, closeTime, historyLength } = await campaign.handle.describe();
    expect(historyLength).toBeLessThan(events);
    days = ((closeTime?.getTime() ?? 0) - startTime.getTime()) / DAY_MS;
  });
  expect(Math.round(days)).toBe(expires);
  const local = reminders.map(inBerlin);
  expect(local.length).toBeGreaterThanOrEqual(fewest);
  expect(local.every(isWorkingTime)).toBe(true);
  expect(new Set(local.map(({ offset }) => offset))).toEqual(new Set(['GMT+01:00', 'GMT+02:00']));
  // Each is at nine, in winter and in summer.
  expect(new Set(local.map(({ hour }) => hour))).toEqual(new Set([9]));

  expect((await keptOf(sandbox.url, spec)).lifecycle.stage).toBe('expired');
  const told = (await notificationsOf(sandbox.url)).map(
    ({ request }) => `${request.category} ${request.userId}`,
  );
  expect(told.filter((one) => one === 'agentNudge u-2')).toHaveLength(reminders.length);
  expect(told.at(-1)).toBe('agentError u-1');
  expect((await readLedger(sandbox.url)).summary).toMatchObject({
    submissions: 1,
    duplicateNotifications: 0,
  });
});

test('nobody is reminded while the campaign is paused, and somebody is afterwards', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  const by = { args: [{ by: 'Olga' }] as [{ by: string }] };
  await run({ approval: { from: 'u-2', remind: '24h', expires: '6d' } }, async (campaign) => {
    await campaign.untilStage('approving');
    await campaign.handle.executeUpdate(pauseUpdate, by);
    await temporal.skip(20 * DAY_MS);
    expect(await campaign.status()).toMatchObject({ stage: 'approving', approval: { reminders: 0 } });
    await campaign.handle.executeUpdate(resumeUpdate, by);
    expect(await campaign.result()).toMatchObject({ status: 'expired' });
    const { startTime } = await campaign.handle.describe();
    const reminders = await campaign.reminders();
    // Any six days have four working days, and the last may be less than a day before the end.
    expect(reminders.length).toBeGreaterThanOrEqual(2);
    expect(reminders.filter((one) => one.getTime() < startTime.getTime() + 20 * DAY_MS)).toEqual([]);
    expect(reminders.map(inBerlin).every(isWorkingTime)).toBe(true);
  });
  expect((await notificationsOf(sandbox.url)).map(({ request }) => request.category)).toEqual(
    expect.arrayContaining(['agentNeedsInput', 'agentNudge', 'agentError']),
  );
});

test('a question that the service takes only after somebody has decided is not sent any more', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  await addFault(sandbox.url, { ...answering(429, 'notify'), ms: HOUR_MS / 4, match: { nth: 1 } });
  await run({ approval: { from: 'u-2', expires: '2h' } }, async (campaign) => {
    await campaign.untilStage('approving');
    await campaign.untilNotified(1);
    await campaign.decide({ decision: 'change', by: 'Olga', jobs: ['cutout'] });
    await campaign.untilRound(2);
    expect(await campaign.result()).toMatchObject({ status: 'expired', remarks: [] });
  });
  const told = (await notificationsOf(sandbox.url)).map(({ request }) => request);
  expect(told).toMatchObject([
    { category: 'agentNeedsInput', body: expect.stringContaining('--round 2') },
    { category: 'agentError' },
  ]);
});

/** The only job of a campaign was begun by somebody else, so that the server does not tell the campaign its end. */
async function withFoundJob(
  work: (campaign: TestCampaign, job: WorkflowHandle) => Promise<void>,
): Promise<CampaignInput> {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  await addFault(sandbox.url, answering(503, 'get-task'));
  const key = `c-${randomUUID()}`;
  // None comes within a test.
  const poll = { min: '2d', max: '2d', deadline: '7d', giveUp: '8d' } as const;
  const jobKey = campaignJobKey(key, 'cutout');
  const workflowId = mediaWorkflowId(jobKey);
  const spec = await run(
    { key, poll },
    async (campaign) => {
      await campaign.untilLooks(1);
      await work(campaign, temporal.client.workflow.getHandle(workflowId));
    },
    async (taskQueue, { project }) => {
      const write = { project, at: '/campaign/media/cutout' };
      const job = { key: jobKey, ...cutout(sandbox.url), poll, write };
      await temporal.client.workflow.start(MEDIA_WORKFLOW, {
        memo: OWN_START,
        workflowId,
        taskQueue,
        args: [job],
      });
    },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  return spec;
}

async function hoursOf({ handle }: TestCampaign): Promise<number> {
  const { startTime, closeTime } = await handle.describe();
  return ((closeTime?.getTime() ?? 0) - startTime.getTime()) / HOUR_MS;
}

const FAILED = { cause: { type: 'CampaignFailed' } };

test('a job that the campaign found, and that tells nothing since it was terminated, is looked at every hour', async () => {
  await withFoundJob(async (campaign, job) => {
    await job.terminate('enough');
    await expect(campaign.result()).rejects.toMatchObject(FAILED);
    const hours = await hoursOf(campaign);
    expect(hours).toBeGreaterThan(0.9);
    expect(hours).toBeLessThan(1.5);
  });
});

test('a job that said that it ends, and did not yet, is looked at again after a minute', async () => {
  await withFoundJob(async (campaign, job) => {
    const news = { workflowId: job.workflowId, stage: 'succeeded', taskId: null };
    await campaign.handle.signal(jobNewsSignal, news);
    await campaign.untilLooks(2);
    await job.terminate('enough');
    await expect(campaign.result()).rejects.toMatchObject(FAILED);
    expect(await hoursOf(campaign)).toBeLessThan(0.9);
  });
});

test('a campaign that is cancelled looks once more at what has not told its end, before it gives up', async () => {
  const spec = await withFoundJob(async (campaign, job) => {
    // A job that is cancelled ends when the project has its task.
    await addFault(sandbox.url, answering(503, 'get-project'));
    await campaign.handle.cancel();
    await campaign.untilLooks(2);
    await untilItWaitsForItsProject(job);
    await job.terminate('enough');
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await expect(campaign.result()).rejects.toThrow();
  });
  expect(await keptOf(sandbox.url, spec)).toMatchObject({
    lifecycle: { stage: 'cancelled', open: [] },
    media: { cutout: { status: 'terminated', taskId: expect.any(String) } },
  });
});
