/** The jobs of a campaign: what builds on what, who waits for whom, and what people do in between. */
import { addMediaUpdate, pauseUpdate, resumeUpdate } from '../../src/contract';
import { campaignJobKey, mediaWorkflowId, recordKey, recordWorkflowId } from '../../src/ids';
import { cutout, keptOf, newCampaign, notificationsOf, useCampaigns } from '../support/campaign';
import { eventually } from '../support/eventually';
import { seed, seedRecord, seedTranscription } from '../support/records';
import { addFault, answering, ask, readLedger } from '../support/sandbox';
import { segueClient } from '../support/temporal';

const { config, sandbox, start, summary, temporal } = useCampaigns();

test('one failed job stops only what builds on it', async () => {
  const bad = { tool: 'remove-background', request: { image_url: 'http://127.0.0.1:9/none.png' } };
  const from = (name: string, at: string) => ({
    tool: 'remove-background',
    request: { image_url: { from: name, at } },
  });
  const spec = await newCampaign(sandbox.url, {
    media: {
      good: cutout(sandbox.url),
      bad,
      onBad: from('bad', '/images/0/url'),
      onOnBad: from('onBad', '/images/0/url'),
      onGood: from('good', '/images/0/url'),
      onNothing: from('good', '/pictures/0'),
      extra: { ...bad, optional: true },
    },
  });
  const campaign = await start(spec);
  await expect(campaign.result()).rejects.toMatchObject({ cause: { type: 'CampaignFailed' } });
  const { jobs } = await campaign.status();
  expect(Object.fromEntries(jobs.map(({ name, status }) => [name, status]))).toEqual({
    good: 'succeeded',
    bad: 'failed',
    onBad: 'skipped',
    onOnBad: 'skipped',
    onGood: 'succeeded',
    onNothing: 'failed',
    extra: 'failed',
  });
  const onNothing = jobs.find(({ name }) => name === 'onNothing');
  expect(onNothing?.error).toMatch(/from good at \/pictures\/0: .*images/);
  expect(await summary()).toMatchObject({ submissions: 4, duplicates: 0 });
  expect((await keptOf(sandbox.url, spec)).media).toMatchObject({
    onBad: { status: 'skipped' },
    onNothing: { status: 'failed' },
    bad: { status: 'failed' },
  });
});

test('a paused campaign begins nothing; media can be added, and all of it is made after', async () => {
  const spec = await newCampaign(sandbox.url, { media: { cutout: cutout(sandbox.url) }, concurrency: 1 });
  await addFault(sandbox.url, answering(503, 'get-task'));
  const campaign = await start(spec);
  await campaign.untilJob('cutout', 'running');
  await campaign.handle.executeUpdate(pauseUpdate, { args: [{ by: 'Olga', reason: 'lunch' }] });
  const added = { name: 'second', by: 'Olga', ...cutout(sandbox.url) };
  await campaign.handle.executeUpdate(addMediaUpdate, { args: [added] });
  await expect(campaign.handle.executeUpdate(addMediaUpdate, { args: [added] })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('taken') },
  });
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  await campaign.untilJob('cutout', 'succeeded');
  expect(await campaign.status()).toMatchObject({
    paused: { by: 'Olga', reason: 'lunch' },
    remarks: ['second was added by Olga'],
    waitsFor: { what: expect.stringContaining('Olga') },
    jobs: [{ status: 'succeeded' }, { name: 'second', status: 'waiting' }],
  });
  expect(await summary()).toMatchObject({ submissions: 1 });
  await campaign.handle.executeUpdate(resumeUpdate, { args: [{ by: 'Olga' }] });
  expect(await campaign.result()).toMatchObject({ status: 'completed' });
  expect(await summary()).toMatchObject({ submissions: 2, duplicates: 0 });
  expect(await keptOf(sandbox.url, spec)).toMatchObject({
    configuration: { media: { cutout: cutout(sandbox.url), second: cutout(sandbox.url) } },
  });
});

test('a request that becomes too large with what it takes from others fails its job, and only that', async () => {
  const cues = [{ start: 0, end: 1, text: 'x'.repeat(60_000) }];
  const intro = await seedTranscription(sandbox.url, { cues });
  const spec = await newCampaign(sandbox.url, { transcripts: { intro: { id: intro } } });
  const campaign = await start(spec);
  await campaign.handle.executeUpdate(pauseUpdate, { args: [{ by: 'Olga' }] });
  const image_url = Array.from({ length: 40 }, () => ({ from: 'intro', at: '/text' }));
  const added = {
    ...{ name: 'many', by: 'Olga', optional: true },
    ...{ tool: 'remove-background', request: { image_url } },
  };
  await campaign.handle.executeUpdate(addMediaUpdate, { args: [added] });
  await campaign.handle.executeUpdate(resumeUpdate, { args: [{ by: 'Olga' }] });
  expect(await campaign.result()).toMatchObject({
    status: 'completed',
    jobs: [
      { name: 'intro', status: 'succeeded' },
      { name: 'many', status: 'failed', error: expect.stringMatching(/^its request has \d+ bytes/) },
    ],
  });
  expect(await summary()).toMatchObject({ submissions: 0 });
});

test('a held job is shown, and the campaign goes on when it is decided', async () => {
  const spec = await newCampaign(sandbox.url, {
    notify: { userId: 'u-1', workspaceId: '1' },
    media: { cutout: cutout(sandbox.url) },
  });
  await addFault(sandbox.url, {
    operation: 'remove-background',
    match: { nth: 1 },
    fault: 'reset',
    when: 'after',
  });
  const campaign = await start(spec);
  await campaign.untilJob('cutout', 'held');
  expect((await campaign.status()).waitsFor?.what).toBe('a person to decide about cutout');
  const { entries } = await readLedger(sandbox.url);
  const taskId = entries.find(({ operation }) => operation === 'remove-background')?.taskId ?? '';
  const job = await segueClient(temporal, config).media.get(campaignJobKey(spec.key, 'cutout'));
  await job.resolve({ action: 'adopt', taskId, by: 'Olga', reason: 'it is there' });
  expect(await campaign.result()).toMatchObject({ status: 'completed', jobs: [{ taskId }] });
  expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0, duplicateNotifications: 0 });
  expect((await notificationsOf(sandbox.url)).map(({ request }) => request.category)).toEqual([
    'agentNeedsInput',
    'agentTaskCompleted',
  ]);
});

test('a wait that others began and gave up is taken over', async () => {
  const asset = await seedRecord(sandbox.url, 'asset', [1]);
  const wait = recordWorkflowId(recordKey('asset', asset));
  const first = await newCampaign(sandbox.url, { waits: { picture: { asset } } });
  const second = await newCampaign(sandbox.url, { waits: { picture: { asset } } });
  const theirs = await start(first);
  await theirs.untilJob('picture', 'running');
  await eventually('the wait', () => temporal.client.workflow.getHandle(wait).describe());
  const ours = await start(second);
  await eventually('the other wait to be found', async () => {
    const { jobs } = await ours.status();
    return jobs[0]?.attached;
  });
  await theirs.handle.cancel();
  await expect(theirs.result()).rejects.toThrow();
  await eventually('a wait of its own', async () => {
    const { jobs } = await ours.status();
    return jobs[0]?.status === 'running' && !jobs[0].attached;
  });
  await seed(sandbox.url, { assets: [{ id: asset, workspace: 1, statuses: [4] }] });
  expect(await ours.result()).toMatchObject({ status: 'completed', jobs: [{ status: 'succeeded' }] });
});

test('a job that somebody terminates is over, and its task stands in the project', async () => {
  await addFault(sandbox.url, answering(503, 'get-task'));
  const spec = await newCampaign(sandbox.url, { media: { cutout: cutout(sandbox.url) } });
  const campaign = await start(spec);
  const taskId = await eventually('the task', async () => {
    const { jobs } = await campaign.status();
    return jobs[0]?.taskId ?? undefined;
  });
  const workflowId = mediaWorkflowId(campaignJobKey(spec.key, 'cutout'));
  await temporal.client.workflow.getHandle(workflowId).terminate('enough');
  await expect(campaign.result()).rejects.toMatchObject({ cause: { type: 'CampaignFailed' } });
  expect(await keptOf(sandbox.url, spec)).toMatchObject({
    lifecycle: { stage: 'failed', open: [] },
    media: { cutout: { status: 'terminated', workflowId, taskId } },
  });
});
