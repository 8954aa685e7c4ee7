/** Days of waiting for an approval, and hours for a job, in seconds. */
import { randomUUID } from 'node:crypto';
import { type CampaignInput, MEDIA_WORKFLOW, pauseUpdate, resumeUpdate } from '../../src/contract';
import { campaignJobKey, mediaWorkflowId } from '../../src/ids';
import {
  cutout,
  keptOf,
  newCampaign,
  notificationsOf,
  startCampaign,
  type TestCampaign,
} from '../support/campaign';
import { addFault, answering, ask, readLedger, useSandbox } from '../support/sandbox';
import { hourInBerlin, inBerlin, isWorkingTime } from '../support/workingHours';
import { testConfig, useTimeSkipping, withWorker } from '../support/temporal';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const temporal = useTimeSkipping();
const sandbox = useSandbox({ pace: { kind: 'instant' } });

async function run(
  more: Partial<CampaignInput>,
  work: (campaign: TestCampaign) => Promise<void>,
  before: (taskQueue: string) => Promise<void> = () => Promise.resolve(),
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
      await before(config.taskQueue);
      await work(await startCampaign(temporal, config, spec));
    },
    { checkScheduledTime: false },
  );
  return spec;
}

test('reminders keep working hours over a daylight-saving change, until the question expires', async () => {
  let reminders: Date[] = [];
  let days = 0;
  // Between two changes there are at most 31 weeks. From nine in the morning, 63 hours lead to a midnight, and so to
  // nine again: Monday, Thursday, Monday.
  const spec = await run({ approval: { from: 'u-2', remind: '63h', expires: '220d' } }, async (campaign) => {
    expect(await campaign.result()).toMatchObject({ status: 'expired', notified: { status: 'sent' } });
    reminders = await campaign.reminders();
    const { startTime, closeTime, historyLength } = await campaign.handle.describe();
    expect(historyLength).toBeLessThan(4_096);
    days = ((closeTime?.getTime() ?? 0) - startTime.getTime()) / DAY_MS;
  });
  expect(Math.round(days)).toBe(220);
  const local = reminders.map(inBerlin);
  expect(local.length).toBeGreaterThan(50);
  expect(local.every(isWorkingTime)).toBe(true);
  expect(new Set(local.map(({ offset }) => offset))).toEqual(new Set(['GMT+01:00', 'GMT+02:00']));
  // After the first each is at nine, in winter and in summer.
  expect(new Set(local.slice(1).map(({ hour }) => hour))).toEqual(new Set([9]));

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
}, 120_000);

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
}, 120_000);

test('a reminder that the service does not take before the evening goes out the next morning', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  // The first is the question.
  await addFault(sandbox.url, { ...answering(429, 'notify'), ms: HOUR_MS, match: { nth: 2 } });
  const now = await temporal.now();
  const evening = hourInBerlin(now, ({ day, hour }) => day === 'Tue' && hour === 17) + HOUR_MS / 2;
  await temporal.skip(evening - now);
  await run({ approval: { from: 'u-2', remind: '24h', expires: '47h' } }, async (campaign) => {
    expect(await campaign.result()).toMatchObject({ status: 'expired', remarks: [] });
    expect((await campaign.reminders()).map(inBerlin)).toMatchObject([
      { day: 'Wed', hour: 17 },
      { day: 'Thu', hour: 9 },
    ]);
  });
  const told = (await notificationsOf(sandbox.url)).map(({ request }) => request.category);
  expect(told.filter((category) => category === 'agentNudge')).toHaveLength(1);
}, 120_000);

test('a job that the campaign found, and that tells nothing since it was terminated, is looked at every hour', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  await addFault(sandbox.url, answering(503, 'get-task'));
  const key = `c-${randomUUID()}`;
  const poll = { min: '5m', max: '5m', deadline: '7d', giveUp: '8d' } as const;
  const jobKey = campaignJobKey(key, 'cutout');
  await run(
    { key, poll },
    async (campaign) => {
      await campaign.untilLooks(1);
      await temporal.client.workflow.getHandle(mediaWorkflowId(jobKey)).terminate('enough');
      await expect(campaign.result()).rejects.toMatchObject({ cause: { type: 'CampaignFailed' } });
      const { startTime, closeTime } = await campaign.handle.describe();
      const hours = ((closeTime?.getTime() ?? 0) - startTime.getTime()) / HOUR_MS;
      expect(hours).toBeGreaterThan(0.9);
      expect(hours).toBeLessThan(1.5);
    },
    async (taskQueue) => {
      const job = { key: jobKey, ...cutout(sandbox.url), poll };
      const workflowId = mediaWorkflowId(jobKey);
      await temporal.client.workflow.start(MEDIA_WORKFLOW, { workflowId, taskQueue, args: [job] });
    },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
}, 120_000);
