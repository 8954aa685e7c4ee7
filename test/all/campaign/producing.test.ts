/** The jobs of a campaign: what builds on what, who waits for whom, and what people do in between. */
import { type WorkflowUpdateFailedError } from '@temporalio/client';
import { type AddMediaOrder, addMediaUpdate, pauseUpdate, resumeUpdate } from '../../../src/contract';
import { campaignJobKey, mediaWorkflowId } from '../../../src/contract/ids';
import {
  cutout,
  keptOf,
  newCampaign,
  notificationsOf,
  TestCampaign,
  useCampaigns,
} from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { seed, seedRecord, seedTranscription } from '../../support/service/records';
import { addFault, answering, ask, readLedger } from '../../support/service/sandbox';
import { patientPosts } from '../../support/servers/patientPosts';
import { segueClient } from '../../support/servers/temporal';

const { client, config, sandbox, start, summary, temporal } = useCampaigns({
  worker: patientPosts(),
});

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
  // The words of the service.
  expect(jobs.find(({ name }) => name === 'bad')?.error).toMatch(/as FAILURE: .*the source image/);
  const onNothing = jobs.find(({ name }) => name === 'onNothing');
  expect(onNothing?.error).toMatch(/from good at \/pictures\/0: .*images/);
  expect(await summary()).toMatchObject({ submissions: 4, duplicates: 0 });
  expect((await keptOf(sandbox.url, spec)).media).toMatchObject({
    onBad: { status: 'skipped' },
    onNothing: { status: 'failed' },
    bad: { status: 'failed' },
  });
});

test('what many jobs take from one result is read once, and what is wrong with it is told briefly', async () => {
  const from = (at: string) => ({
    ...{ tool: 'remove-background', optional: true },
    request: { image_url: { from: 'source', at } },
  });
  const built = Object.fromEntries([1, 2, 3].map((n) => [`on-${n}`, from('/images/0/url')]));
  const spec = await newCampaign(sandbox.url, {
    media: { source: cutout(sandbox.url), ...built, onNothing: from(`/${'x'.repeat(500)}`) },
  });
  const campaign = await start(spec);
  const { jobs } = await campaign.result();
  expect(jobs.map(({ status }) => status)).toEqual([...Array<string>(4).fill('succeeded'), 'failed']);
  expect(jobs.at(-1)?.error).toMatch(/^from source at .*…$/);
  expect(Buffer.byteLength(jobs.at(-1)?.error ?? '')).toBeLessThan(260);
  const { events } = await campaign.handle.fetchHistory();
  const reads = events?.filter(({ activityTaskScheduledEventAttributes: asked }) =>
    Buffer.from(asked?.input?.payloads?.[0]?.data ?? [])
      .toString()
      .includes('"pointers"'),
  );
  expect(reads).toHaveLength(1);
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

test('media that another language adds is looked at as the spec is, and refused with all that is wrong', async () => {
  const spec = await newCampaign(sandbox.url, { media: { cutout: cutout(sandbox.url) } });
  await addFault(sandbox.url, answering(503, 'get-task'));
  const campaign = await start(spec);
  await campaign.untilJob('cutout', 'running');
  const refusal = async (order: unknown): Promise<string> => {
    try {
      await campaign.handle.executeUpdate(addMediaUpdate, { args: [order as AddMediaOrder] });
      return 'taken';
    } catch (error) {
      return (error as WorkflowUpdateFailedError).cause?.message ?? '';
    }
  };
  expect(await refusal({ name: 'cutout', tool: 'remove-backgroud', request: {} })).toBe(
    'Nothing was changed: by: is required; name: "cutout" is taken by another job; tool: "remove-backgroud" is not one of remove-background, image-outpainting',
  );
  const request = { image_ulr: 'x', magic_crop: 'yes', background_color: { from: 'cutuot', at: '/c' } };
  expect(await refusal({ name: 'square', by: 'Olga', tool: 'remove-background', request })).toMatch(
    /there is no job "cutuot"; request.image_url: is required; request.magic_crop: .*; request.image_ulr: is not known here/,
  );
  expect(await refusal(null)).toBe('Nothing was changed: the input: must be an object');
  expect(await refusal({ name: 'square', by: 'Olga', ...cutout(sandbox.url) })).toBe('taken');
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  expect(await campaign.result()).toMatchObject({ jobs: [{ name: 'cutout' }, { name: 'square' }] });
  expect(await summary()).toMatchObject({ submissions: 2 });
});

test('a request that becomes too large with what it takes from others fails its job, and only that', async () => {
  const cues = [{ start: 0, end: 1, text: 'x'.repeat(60_000) }];
  const intro = await seedTranscription(sandbox.url, { cues });
  const spec = await newCampaign(sandbox.url, { transcripts: { intro: { id: intro } } });
  const campaign = await start(spec);
  await campaign.handle.executeUpdate(pauseUpdate, { args: [{ by: 'Olga' }] });
  const text = { from: 'intro', at: '/text' };
  const urls = { image_url: text, mask_url: text, negative_prompt: text, guidance_scale: text, count: text };
  const added = {
    ...{ name: 'many', by: 'Olga', optional: true },
    ...{ tool: 'image-outpainting', request: { ...urls, prompt: 'x'.repeat(300_000) } },
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

test('two campaigns wait for the same record, each by its own rules', async () => {
  const asset = await seedRecord(sandbox.url, 'asset', [1]);
  const waits = { picture: { asset } };
  const [patient, cancelled] = [
    await newCampaign(sandbox.url, { waits }),
    await newCampaign(sandbox.url, { waits }),
  ];
  const strict = await newCampaign(sandbox.url, { waits: { picture: { asset, failOn: [3] } } });
  const [first, second, third] = await Promise.all([start(patient), start(strict), start(cancelled)]);
  await Promise.all([first, second, third].map((one) => one.untilJob('picture', 'running')));
  await third.handle.cancel();
  await expect(third.result()).rejects.toThrow();
  await seed(sandbox.url, { assets: [{ id: asset, workspace: 1, statuses: [3] }] });
  await expect(second.result()).rejects.toMatchObject({ cause: { type: 'CampaignFailed' } });
  await seed(sandbox.url, { assets: [{ id: asset, workspace: 1, statuses: [4] }] });
  expect(await first.result()).toMatchObject({ status: 'completed', jobs: [{ status: 'succeeded' }] });
});

test('what is held, and what is waited for, keeps nothing else from being made', async () => {
  const asset = await seedRecord(sandbox.url, 'asset', [1]);
  const lost = { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when: 'after' } as const;
  await addFault(sandbox.url, lost);
  const spec = await newCampaign(sandbox.url, {
    media: { cutout: cutout(sandbox.url), second: cutout(sandbox.url, 'shoe') },
    waits: { picture: { asset } },
    concurrency: 1,
  });
  const campaign = await start(spec);
  await campaign.untilJob('cutout', 'held');
  await campaign.untilJob('picture', 'running');
  await campaign.untilJob('second', 'succeeded');
  await campaign.handle.cancel();
  await expect(campaign.result()).rejects.toThrow();
  const workflowId = mediaWorkflowId(campaignJobKey(spec.key, 'cutout'));
  expect(await keptOf(sandbox.url, spec)).toMatchObject({
    lifecycle: { stage: 'cancelled', open: [] },
    media: {
      cutout: {
        status: 'cancelled',
        workflowId,
        error: expect.stringContaining('the service may have accepted it'),
      },
    },
  });
});

test('a held job that a person has submitted again runs, though the service lets it wait', async () => {
  const lost = { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when: 'before' } as const;
  await addFault(sandbox.url, lost);
  const spec = await newCampaign(sandbox.url, {
    media: { cutout: cutout(sandbox.url) },
    submit: { timeout: '1s', authGrace: '1h' },
  });
  const campaign = await start(spec);
  await campaign.untilJob('cutout', 'held');
  await addFault(sandbox.url, answering(429, 'remove-background'));
  const job = await client().job(mediaWorkflowId(campaignJobKey(spec.key, 'cutout')));
  await eventually('the time to submit again', () =>
    job.resolve({ action: 'resubmit', by: 'Olga', reason: 'it is not there' }).catch(() => undefined),
  );
  await campaign.untilJob('cutout', 'running');
  expect(await campaign.status()).toMatchObject({ held: false });
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  expect(await campaign.result()).toMatchObject({ status: 'completed' });
});

test('requests too large to begin at once begin one after the other', async () => {
  const cues = [{ start: 0, end: 1, text: 'x'.repeat(60_000) }];
  const intro = await seedTranscription(sandbox.url, { cues });
  const spec = await newCampaign(sandbox.url, { transcripts: { intro: { id: intro } }, concurrency: 100 });
  const campaign = await start(spec);
  await campaign.handle.executeUpdate(pauseUpdate, { args: [{ by: 'Olga' }] });
  const text = { from: 'intro', at: '/text' };
  const request = { image_url: text, magic_crop: text, background_color: text, output_format: text };
  for (let n = 0; n < 12; n++) {
    const added = { name: `large-${n}`, by: 'Olga', optional: true, tool: 'remove-background' };
    await campaign.handle.executeUpdate(addMediaUpdate, { args: [{ ...added, request }] });
  }
  await campaign.handle.executeUpdate(resumeUpdate, { args: [{ by: 'Olga' }] });
  const last = new TestCampaign(temporal.client.workflow.getHandle(campaign.handle.workflowId));
  const { jobs } = await last.result();
  // A text is no address, and each is told so.
  expect(jobs.slice(1).map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'failed'));
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
