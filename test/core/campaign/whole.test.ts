/** Campaigns from start to end on a real server; the sandbox says what was really done. */
import { cutout, keptOf, newCampaign, notificationsOf, useCampaigns } from '../../support/builders/campaign';
import { seedRecord } from '../../support/service/records';

const { sandbox, start, summary } = useCampaigns();

const VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e01';

describe.each([true, false])('with ETags: %s', (etags) => {
  const { sandbox, start, summary } = useCampaigns({ etags });

  test('a campaign from its spec to the last notification', async () => {
    const spec = await newCampaign(sandbox.url, {
      scope: { organization: '1' },
      notify: { userId: 'u-1', workspaceId: '1', threadId: 't-9', progress: true },
      require: { voices: [VOICE], boards: ['launch-board'] },
      research: { drafts: { accounts: ['1', '2'] }, boards: ['launch-board'] },
      media: {
        cutout: cutout(sandbox.url, 'shoe'),
        banner: {
          tool: 'image-outpainting',
          request: {
            image_url: { from: 'cutout', at: '/images/0/url' },
            mask_url: `${sandbox.url}/samples/mask.png`,
            prompt: 'a beach',
            count: 1,
          },
        },
      },
      approval: { from: 'u-2', remind: '24h', expires: '7d' },
    });
    const campaign = await start(spec);
    const asked = await campaign.untilStage('approving');
    expect(asked).toMatchObject({
      percent: 100,
      approval: { round: 1, from: 'u-2' },
      timezone: 'Europe/Berlin',
    });
    expect(await campaign.decide({ decision: 'approve', by: 'Olga', comment: 'lovely' })).toEqual({
      stage: 'completed',
      round: 1,
      stale: [],
    });
    expect(await campaign.result()).toMatchObject({
      status: 'completed',
      written: { ok: true },
      notified: { status: 'sent' },
      jobs: [
        { name: 'cutout', status: 'succeeded', links: [expect.stringContaining(sandbox.url)] },
        { name: 'banner', status: 'succeeded' },
      ],
    });
    expect(await summary()).toMatchObject({
      submissions: 2,
      duplicates: 0,
      duplicateNotifications: 0,
      lostKeys: 0,
    });
    const kept = await keptOf(sandbox.url, spec);
    expect(kept).toMatchObject({
      lifecycle: { stage: 'completed', open: [] },
      configuration: { key: spec.key },
      research: { drafts: { count: expect.any(Number) } },
      media: { cutout: { key: `${spec.key}~cutout` }, banner: { key: `${spec.key}~banner` } },
      approvals: [{ by: 'Olga', decision: 'approve', comment: 'lovely' }],
    });
    expect(kept.lifecycle.history.map(({ stage }) => stage)).toEqual([
      'preparing',
      'researching',
      'producing',
      'approving',
      'completed',
    ]);
    const told = await notificationsOf(sandbox.url);
    // Progress is told beside the work, so only its number is certain.
    const to = (user: string) =>
      told.filter(({ request }) => request.userId === user).map(({ request }) => request.category);
    expect(to('u-2')).toEqual(['agentNeedsInput']);
    expect(to('u-1').sort()).toEqual([
      'agentProgress',
      'agentProgress',
      'agentProgress',
      'agentTaskCompleted',
    ]);
    expect(told.flatMap(({ remarks }) => remarks)).toEqual([]);
    const last = told.find(({ request }) => request.category === 'agentTaskCompleted');
    expect(last?.request.body).toMatch(/^Hello,[^]*\| cutout \| succeeded \| \[1\]\(http[^]*Segue$/);
  });
});

test('without what is optional a campaign is completed', async () => {
  const bad = {
    tool: 'remove-background',
    request: { image_url: 'http://127.0.0.1:9/none.png' },
    optional: true,
  };
  const spec = await newCampaign(sandbox.url, { media: { good: cutout(sandbox.url), bad } });
  const campaign = await start(spec);
  expect(await campaign.result()).toMatchObject({ status: 'completed', notified: null });
});

test('JSON of another language, with null for all that is left out, is run and decided like any other', async () => {
  const video = await seedRecord(sandbox.url, 'video', ['DONE']);
  const spec = await newCampaign(sandbox.url, {
    ...{ scope: null, at: null, require: null, research: null, transcripts: null, concurrency: null },
    notify: { userId: 'u-1', workspaceId: '1', threadId: null, progress: null },
    media: { constructor: { ...cutout(sandbox.url), optional: null } },
    waits: { teaser: { asset: null, run: null, video, failOn: null, optional: null } },
    approval: { from: 'u-2', remind: null, expires: null },
    carried: null,
  } as never);
  const campaign = await start(spec);
  await campaign.untilStage('approving');
  const decision = { decision: 'approve', by: 'Olga', comment: null, jobs: null, round: null };
  await campaign.decide(decision as never);
  expect(await campaign.result()).toMatchObject({
    status: 'completed',
    jobs: [
      { name: 'constructor', status: 'succeeded' },
      { workflowId: `record/video~${video}~for~${spec.key}` },
    ],
  });
  expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0, duplicateNotifications: 0 });
});

test('what only a run that continues another has is refused at a start', async () => {
  const spec = await newCampaign(sandbox.url, {
    media: { cutout: cutout(sandbox.url) },
    carried: { stage: 'producing', jobs: 5 } as never,
  });
  const campaign = await start(spec);
  await expect(campaign.result()).rejects.toMatchObject({
    cause: { type: 'UnsafeStart', message: expect.stringContaining('carried') },
  });
});
