/** What is wrong with a campaign is said before anything is paid for. */
import { cutout, keptOf, newCampaign, notificationsOf, useCampaigns } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { seed } from '../../support/service/records';
import { addFault, answering, ask } from '../../support/service/sandbox';

const { sandbox, start, summary } = useCampaigns();

const VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e01';
const FOREIGN_VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e03';

describe.each([true, false])('with ETags: %s', (etags) => {
  const { sandbox, start, startApproving, summary } = useCampaigns({ etags });

  test('all that is missing is said at once, and nothing is paid for', async () => {
    const spec = await newCampaign(sandbox.url, {
      scope: { organization: '1' },
      require: { voices: [FOREIGN_VOICE, VOICE], boards: ['no-board'] },
      media: { cutout: cutout(sandbox.url) },
      notify: { userId: 'u-1', workspaceId: '1' },
    });
    const campaign = await start(spec);
    await expect(campaign.result()).rejects.toMatchObject({
      cause: {
        type: 'CampaignFailed',
        details: [
          {
            problems: [expect.stringContaining(FOREIGN_VOICE), expect.stringContaining('no-board')],
          },
        ],
      },
    });
    expect(await summary()).toMatchObject({ submissions: 0 });
    expect((await keptOf(sandbox.url, spec)).lifecycle.stage).toBe('failed');
    expect(await notificationsOf(sandbox.url)).toMatchObject([
      { request: { category: 'agentError' }, remarks: [] },
    ]);
  });

  test('a place in the project belongs to one campaign until its end', async () => {
    const { spec, campaign } = await startApproving();
    const same = { ...spec, key: `${spec.key}-second`, require: { boards: ['no-board'] } };
    const second = await start(same);
    await expect(second.result()).rejects.toMatchObject({
      cause: {
        type: 'CampaignFailed',
        details: [
          {
            problems: [
              expect.stringMatching(`^at: campaign ${spec.key} still runs and keeps its state at /campaign`),
              expect.stringContaining('no-board'),
            ],
          },
        ],
      },
    });
    expect(await summary()).toMatchObject({ submissions: 1 });
    const { configuration, lifecycle } = await keptOf(sandbox.url, spec);
    expect(configuration.key).toBe(spec.key);
    expect(lifecycle.history.map(({ stage }) => stage)).not.toContain('failed');

    await campaign.decide({ decision: 'approve', by: 'u-2' });
    await campaign.result();
    const third = await start({ ...spec, key: `${spec.key}-third`, approval: undefined });
    expect(await third.result()).toMatchObject({ status: 'completed' });
    expect(await keptOf(sandbox.url, spec)).toMatchObject({ configuration: { key: `${spec.key}-third` } });
  });

  test('two campaigns take a place at the same moment: the one that wrote first gives way before any cost', async () => {
    const { spec: other, campaign: running } = await startApproving();
    await addFault(sandbox.url, answering(503, 'get-workspace'));
    const spec = await newCampaign(sandbox.url, {
      scope: { organization: '1' },
      media: { cutout: cutout(sandbox.url) },
    });
    const campaign = await start(spec);
    const place = `/projects/${spec.project.resourcetype}/${spec.project.id}`;
    await eventually('its state to be there', async () => {
      const { configuration, lifecycle } = await keptOf(sandbox.url, spec);
      return configuration.key === spec.key && lifecycle.stage === 'preparing';
    });
    const theirs = { configuration: { key: other.key }, lifecycle: { stage: 'approving' } };
    await ask(sandbox.url, `PATCH ${place}`, { body: { data: { theirs: true, campaign: theirs } } });
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await expect(campaign.result()).rejects.toMatchObject({
      cause: {
        details: [{ problems: [expect.stringMatching(`^at: campaign ${other.key} still runs`)] }],
      },
    });
    expect(await keptOf(sandbox.url, spec)).toMatchObject(theirs);
    expect(await summary()).toMatchObject({ submissions: 1 });
    await running.handle.terminate();
  });
});

test('a workspace that is not active', async () => {
  const spec = await newCampaign(sandbox.url, {
    scope: { organization: '3' },
    media: { cutout: cutout(sandbox.url) },
  });
  const campaign = await start(spec);
  await expect(campaign.result()).rejects.toMatchObject({
    cause: { type: 'CampaignFailed', details: [{ problems: ['workspace Closed: is not active'] }] },
  });
  expect(await summary()).toMatchObject({ submissions: 0 });
});

test('a workspace with a clock that nobody knows here works by UTC and Monday, and the status says so', async () => {
  const settings = { timezone: 'Mars/Olympus', start_of_week: 'sol' };
  await seed(sandbox.url, { workspaces: [{ id: 77, name: 'Far', slug: 'far', settings }] });
  const campaign = await start(
    await newCampaign(sandbox.url, {
      scope: { organization: '77' },
      media: { cutout: cutout(sandbox.url) },
    }),
  );
  expect(await campaign.result()).toMatchObject({ status: 'completed' });
  expect(await campaign.status()).toMatchObject({
    timezone: 'UTC',
    remarks: [
      'the workspace has "Mars/Olympus" as timezone, which is not understood; UTC is used',
      'the workspace has "sol" as start of the week, which is not understood; Monday is used',
    ],
  });
});

test('a campaign without jobs is at 0 percent until its end', async () => {
  await addFault(sandbox.url, answering(503, 'get-board'));
  const campaign = await start(await newCampaign(sandbox.url, { research: { boards: ['launch-board'] } }));
  expect(await campaign.untilStage('researching')).toMatchObject({ jobs: [], percent: 0 });
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  expect(await campaign.result()).toMatchObject({ status: 'completed', jobs: [] });
  expect(await campaign.status()).toMatchObject({ stage: 'completed', percent: 100 });
});

test('tools and requests that no client has looked at', async () => {
  const spec = await newCampaign(sandbox.url, {
    media: {
      cutout: { tool: 'remove-foreground', request: {} },
      banner: { tool: 'image-outpainting', request: { image_url: { from: 'poster', at: '/images/0/url' } } },
    },
  });
  const campaign = await start(spec);
  await expect(campaign.result()).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/poster/) },
  });
  expect(await summary()).toMatchObject({ submissions: 0 });
});

test.each<[string, object, RegExp]>([
  [
    'jobs that build on each other',
    { a: { from: 'b', at: '/images/0/url' }, b: { from: 'a', at: '/images/0/url' } },
    /a .*b|b .*a/,
  ],
  ['a job that nobody named', { a: { from: 'poster', at: '/images/0/url' } }, /poster/],
])('%s', async (_case, sources, words) => {
  const media = Object.fromEntries(
    Object.entries(sources).map(([name, image_url]) => [
      name,
      { tool: 'remove-background', request: { image_url: image_url as unknown } },
    ]),
  );
  const campaign = await start(await newCampaign(sandbox.url, { media }));
  await expect(campaign.result()).rejects.toMatchObject({
    cause: { type: 'BadInput', message: expect.stringMatching(words) },
  });
  expect(await summary()).toMatchObject({ submissions: 0 });
});

test.each([
  ['a wait whose id makes no key', { waits: { teaser: { video: 'あ'.repeat(40) } } }, /waits\.teaser/],
  ['times that its jobs cannot read', { poll: { min: '5' } }, /poll\.min/],
  ['a key that is too long for its jobs', { key: 'k'.repeat(198) }, /key: must be 1 to 190/],
])('%s', async (_case, more, words) => {
  const spec = await newCampaign(sandbox.url, {
    media: { ['m'.repeat(60)]: cutout(sandbox.url) },
    ...(more as object),
  });
  const campaign = await start(spec);
  await expect(campaign.result()).rejects.toMatchObject({
    cause: { type: 'BadInput', message: expect.stringMatching(words) },
  });
  expect(await summary()).toMatchObject({ submissions: 0 });
});
