/** What a schedule starts, on a real Temporal server, against the sandbox over real sockets; its ledger is the judge. */
import { startTarget } from '../../../src/runs/schedule/targets';
import { type CampaignInput, jobNewsSignal, type ScheduleTarget } from '../../../src/contract';
import { campaignWorkflowId, firedKey, firingWorkflowId } from '../../../src/contract/ids';
import { cutout, newCampaign, TestCampaign, useCampaigns } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { endedOf, NEVER_BY_ITSELF, useSchedules } from '../../support/builders/schedules';
import { testConfig, withWorker } from '../../support/servers/temporal';
import { addFault, answering } from '../../support/service/sandbox';

const campaigns = useCampaigns();
const { newName, until } = useSchedules(campaigns.client);
const { temporal, sandbox } = campaigns;

const FIRST = '2026-01-01T02:00:00Z';
const SECOND = '2026-01-02T02:00:00Z';
const NIGHTLY = { spec: { cron: '0 2 * * *' }, timezone: 'UTC' };

async function campaignTarget(more: Partial<CampaignInput> = {}): Promise<ScheduleTarget> {
  const media = { mug: cutout(sandbox.url) };
  const { key, ...spec } = await newCampaign(sandbox.url, { scope: { organization: '1' }, media, ...more });
  return { kind: 'campaign', spec };
}

async function outlookTarget(): Promise<ScheduleTarget> {
  const { project } = await newCampaign(sandbox.url);
  return { kind: 'outlook', spec: { project, boards: ['launch-board'] } };
}

function campaignOf(schedule: string, time: string): TestCampaign {
  const workflowId = campaignWorkflowId(firedKey(schedule, time));
  return new TestCampaign(temporal.client.workflow.getHandle(workflowId));
}

test('fires on a short interval, each time under a key of its own', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  await schedules.create(name, { spec: { every: '1s' }, target: await outlookTarget() });
  const { firings } = await until(name, 'two firings', (report) => endedOf(report).length >= 2);
  const ended = endedOf({ firings });
  for (const firing of ended)
    expect(firing).toMatchObject({
      firing: `${firingWorkflowId(name)}-${firing.time}`,
      key: firedKey(name, firing.time),
      workflowId: `outlook/${firedKey(name, firing.time)}`,
      ...{ status: 'succeeded', error: null },
    });
});

test('P1: the same times backfilled twice submit nothing new', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  const target = await campaignTarget();
  await schedules.create(name, { ...NIGHTLY, target });
  await schedules.backfill(name, FIRST, SECOND);
  const first = await until(name, 'two firings', (report) => endedOf(report).length === 2);
  expect(first.firings.map(({ key, status }) => [key, status])).toEqual([
    [firedKey(name, SECOND), 'succeeded'],
    [firedKey(name, FIRST), 'succeeded'],
  ]);
  await schedules.backfill(name, FIRST, SECOND);
  const second = await until(name, 'four firings', (report) => endedOf(report).length === 4);
  expect(second).toMatchObject({ fired: 4, skipped: { overlap: 0, catchup: 0, buffer: 0 } });
  expect(new Set(second.firings.map(({ workflowId }) => workflowId)).size).toBe(2);
  expect(await campaigns.summary()).toMatchObject({ submissions: 2, duplicates: 0 });
  const { firing } = second.firings[0] ?? { firing: '' };
  expect(await temporal.client.workflow.getHandle(firing).result()).toMatchObject({
    ...{ schedule: name, time: SECOND, existing: true, status: 'succeeded', error: null },
  });
});

test('P1: a time that the server fires for twice, when the clock is put back, starts one run', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  const spec = { cron: '0 1 * * *' };
  await schedules.create(name, { spec, timezone: 'Europe/Berlin', target: await campaignTarget() });
  await schedules.backfill(name, '2025-10-25T12:00:00Z', '2025-10-26T12:00:00Z');
  const { firings } = await until(name, 'two firings', (report) => endedOf(report).length === 2);
  expect(firings.map(({ time }) => time)).toEqual(['2025-10-26T00:00:00Z', '2025-10-25T23:00:00Z']);
  const run = { key: `${name}-20251025T230000Z`, status: 'succeeded' };
  expect(firings).toMatchObject([run, run]);
  expect(await campaigns.summary()).toMatchObject({ submissions: 1, duplicates: 0 });
});

test('a firing stays open as long as its campaign; others are skipped meanwhile, and counted', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  const target = await campaignTarget({ approval: { from: 'u-2' } });
  await schedules.create(name, { spec: { every: '1s' }, target });
  const waiting = await until(name, 'skipped firings', ({ skipped }) => skipped.overlap >= 2);
  expect(waiting.firings).toMatchObject([{ status: 'running' }]);
  const [{ time } = { time: '' }] = waiting.firings;
  await expect(schedules.trigger(name)).rejects.toThrow(/is open, so another firing would be skipped/);
  // Nothing more is to begin when this one is over.
  await schedules.pause(name, 'it is enough');
  await until(name, 'the pause', ({ paused }) => paused);
  const campaign = campaignOf(name, time);
  await campaign.untilStage('approving');
  await campaign.decide({ decision: 'reject', by: 'sam' });
  const over = await until(name, 'the end', (report) => endedOf(report).length === 1);
  expect(over).toMatchObject({
    paused: true,
    note: 'it is enough',
    fired: 1,
    firings: [{ status: 'failed', error: 'rejected by sam' }],
  });
});

test('a campaign whose end its project refuses is unsaved', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  await schedules.create(name, { ...NIGHTLY, target: await campaignTarget({ approval: { from: 'u-2' } }) });
  await schedules.backfill(name, FIRST, FIRST);
  const campaign = campaignOf(name, FIRST);
  await campaign.untilStage('approving');
  await addFault(sandbox.url, answering(422, 'update-project'));
  await campaign.decide({ decision: 'approve', by: 'sam' });
  const { firings } = await until(name, 'the end', (report) => endedOf(report).length === 1);
  const error = expect.stringMatching(/^the project does not show the end: /) as unknown;
  expect(firings).toMatchObject([{ status: 'unsaved', error }]);
});

test('P2: a run that was terminated cannot tell its end, and is looked at', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  await schedules.create(name, { ...NIGHTLY, target: await campaignTarget({ approval: { from: 'u-2' } }) });
  await schedules.backfill(name, FIRST, FIRST);
  const campaign = campaignOf(name, FIRST);
  await eventually('the question', async () => (await campaign.status()).approval !== null);
  await campaign.handle.terminate('not needed');
  // The firing checks once an hour; a report of an end makes it check now.
  const firing = temporal.client.workflow.getHandle(`${firingWorkflowId(name)}-${FIRST}`);
  await firing.signal(jobNewsSignal, {
    workflowId: campaign.handle.workflowId,
    stage: 'failed',
    taskId: null,
  });
  expect(await firing.result()).toMatchObject({ status: 'terminated', error: 'not needed' });
});

test('P2: a run that was over before it could be asked to tell its end is looked at', async () => {
  const name = newName();
  const target = await outlookTarget();
  const config = testConfig();
  // As an attempt leaves it that died after the start: its run is this firing's own, and has ended meanwhile.
  const firing = await temporal.client.workflow.start('firing', {
    workflowId: `${firingWorkflowId(name)}-${FIRST}`,
    taskQueue: config.taskQueue,
    args: [{ ...NIGHTLY, target }],
  });
  const { workflowId } = await startTarget(temporal.client, target, {
    ...{ key: firedKey(name, FIRST), token: firing.firstExecutionRunId },
    taskQueue: campaigns.config.taskQueue,
  });
  await temporal.client.workflow.getHandle(workflowId).result();
  await withWorker(temporal, config, sandbox.url, async () => {
    expect(await firing.result()).toMatchObject({ workflowId, existing: false, status: 'succeeded' });
  });
});

test('a cancelled firing leaves what it started alone', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  await schedules.create(name, { ...NIGHTLY, target: await campaignTarget({ approval: { from: 'u-2' } }) });
  await schedules.backfill(name, FIRST, FIRST);
  const campaign = campaignOf(name, FIRST);
  await eventually('the question', async () => (await campaign.status()).approval !== null);
  const firing = temporal.client.workflow.getHandle(`${firingWorkflowId(name)}-${FIRST}`);
  await firing.cancel();
  await expect(firing.result()).rejects.toThrow();
  await campaign.decide({ decision: 'approve', by: 'sam' });
  expect(await campaign.result()).toMatchObject({ status: 'completed' });
  expect(await schedules.show(name)).toMatchObject({ firings: [{ status: 'cancelled' }] });
});

test('a time whose key belongs to something else starts nothing, and says so', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  await schedules.create(name, { ...NIGHTLY, target: await campaignTarget() });
  const media = { shoe: cutout(sandbox.url, 'shoe') };
  const other = await newCampaign(sandbox.url, { key: firedKey(name, FIRST), media });
  await (await campaigns.start(other)).result();
  await schedules.backfill(name, FIRST, FIRST);
  const { firings } = await until(name, 'the end', (report) => endedOf(report).length === 1);
  expect(firings).toMatchObject([
    { status: 'failed', error: expect.stringContaining('asks for something else') },
  ]);
});

test('trigger fires at once, also of a paused schedule', async () => {
  const name = newName();
  const { schedules } = campaigns.client();
  await schedules.create(name, { spec: NEVER_BY_ITSELF, timezone: 'UTC', target: await outlookTarget() });
  await schedules.pause(name, 'holidays');
  await schedules.trigger(name);
  const { firings } = await until(name, 'a firing', (report) => endedOf(report).length === 1);
  expect(firings).toMatchObject([{ status: 'succeeded', key: expect.stringMatching(/-\d{8}T\d{6}Z$/) }]);
});
