/** Campaigns on a real server; the sandbox's ledger says what was really done. */
import { randomUUID } from 'node:crypto';
import { type StarterConfig } from '../../src/config';
import { addMediaUpdate, pauseUpdate, resumeUpdate } from '../../src/contract';
import { campaignJobKey, mediaWorkflowId, recordKey, recordWorkflowId } from '../../src/ids';
import {
  cutout,
  keptOf,
  newCampaign,
  notificationsOf,
  startCampaign,
  TestCampaign,
} from '../support/campaign';
import { eventually } from '../support/eventually';
import { SANDBOX_PLACES, seed, seedRecord, seedTranscription } from '../support/records';
import { addFault, ask, readLedger, useSandboxEach } from '../support/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../support/temporal';

const VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e01';
const FOREIGN_VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e03';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'instant' } });
let config: StarterConfig;

beforeEach(() => {
  config = testConfig();
});

function withCampaigns<T>(work: () => Promise<T>): Promise<T> {
  return withWorker(temporal, config, sandbox.url, work, { layout: SANDBOX_PLACES });
}

const submissions = async () => (await readLedger(sandbox.url)).summary;

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
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
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
  });
  expect(await submissions()).toMatchObject({
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
  expect(to('u-1').sort()).toEqual(['agentProgress', 'agentProgress', 'agentProgress', 'agentTaskCompleted']);
  expect(told.flatMap(({ remarks }) => remarks)).toEqual([]);
  const last = told.find(({ request }) => request.category === 'agentTaskCompleted');
  expect(last?.request.body).toMatch(/^Hello,[^]*\| cutout \| succeeded \| \[1\]\(http[^]*Segue$/);
});

test('all that is missing is said at once, and nothing is paid for', async () => {
  const spec = await newCampaign(sandbox.url, {
    scope: { organization: '1' },
    require: { voices: [FOREIGN_VOICE, VOICE], boards: ['no-board'] },
    media: { cutout: cutout(sandbox.url) },
    notify: { userId: 'u-1', workspaceId: '1' },
  });
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
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
  });
  expect(await submissions()).toMatchObject({ submissions: 0 });
  expect((await keptOf(sandbox.url, spec)).lifecycle.stage).toBe('failed');
  expect(await notificationsOf(sandbox.url)).toMatchObject([
    { request: { category: 'agentError' }, remarks: [] },
  ]);
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
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
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
  });
  expect(await submissions()).toMatchObject({ submissions: 4, duplicates: 0 });
  expect((await keptOf(sandbox.url, spec)).media).toMatchObject({
    onBad: { status: 'skipped' },
    onNothing: { status: 'failed' },
    bad: { status: 'failed' },
  });
});

test('without what is optional a campaign is completed', async () => {
  const bad = {
    tool: 'remove-background',
    request: { image_url: 'http://127.0.0.1:9/none.png' },
    optional: true,
  };
  const spec = await newCampaign(sandbox.url, { media: { good: cutout(sandbox.url), bad } });
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
    expect(await campaign.result()).toMatchObject({ status: 'completed', notified: null });
  });
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
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
    await campaign.untilStage('approving');
    const decision = { decision: 'approve', by: 'Olga', comment: null, jobs: null, round: null };
    await campaign.decide(decision as never);
    expect(await campaign.result()).toMatchObject({
      status: 'completed',
      jobs: [{ name: 'constructor', status: 'succeeded' }, { workflowId: `record/video~${video}` }],
    });
  });
  expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0, duplicateNotifications: 0 });
});

test('what only a run that continues another has is refused at a start', async () => {
  const spec = await newCampaign(sandbox.url, {
    media: { cutout: cutout(sandbox.url) },
    carried: { stage: 'producing', jobs: 5 } as never,
  });
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
    await expect(campaign.result()).rejects.toMatchObject({
      cause: { type: 'BadInput', message: expect.stringContaining('carried') },
    });
  });
});

describe('the approver', () => {
  const approval = { from: 'u-2' };
  const notify = { userId: 'u-1', workspaceId: '1' };

  test('has jobs made again under new keys, and only those', async () => {
    const spec = await newCampaign(sandbox.url, {
      notify,
      approval,
      media: {
        cutout: cutout(sandbox.url),
        banner: {
          tool: 'remove-background',
          request: { image_url: { from: 'cutout', at: '/images/0/url' } },
        },
      },
    });
    await withCampaigns(async () => {
      const campaign = await startCampaign(temporal, config, spec);
      await campaign.untilStage('approving');
      const change = { decision: 'change' as const, by: 'Olga', comment: 'brighter', jobs: ['cutout'] };
      expect(await campaign.decide(change)).toEqual({ stage: 'producing', round: 1, stale: ['banner'] });
      await campaign.untilRound(2);
      await expect(campaign.decide({ ...change, round: 1 })).rejects.toMatchObject({
        cause: { message: expect.stringContaining('round') },
      });
      await campaign.decide({ decision: 'approve', by: 'Olga' });
      expect(await campaign.result()).toMatchObject({
        status: 'completed',
        jobs: [
          { repeats: 1, workflowId: mediaWorkflowId(campaignJobKey(spec.key, 'cutout', 1)) },
          { repeats: 0 },
        ],
      });
    });
    expect(await submissions()).toMatchObject({ submissions: 3, duplicates: 0, duplicateNotifications: 0 });
    expect((await keptOf(sandbox.url, spec)).media).toMatchObject({
      cutout: { key: `${spec.key}~cutout+2` },
    });
  });

  test('rejects', async () => {
    const spec = await newCampaign(sandbox.url, { notify, approval, media: { cutout: cutout(sandbox.url) } });
    await withCampaigns(async () => {
      const campaign = await startCampaign(temporal, config, spec);
      await campaign.untilStage('approving');
      await campaign.decide({ decision: 'reject', by: 'Olga', comment: 'not now' });
      expect(await campaign.result()).toMatchObject({ status: 'rejected' });
    });
    expect((await notificationsOf(sandbox.url)).map(({ request }) => request.category)).toEqual([
      'agentNeedsInput',
      'agentError',
    ]);
  });

  test('is told what is wrong with a decision, all at once', async () => {
    const spec = await newCampaign(sandbox.url, { notify, approval, media: { cutout: cutout(sandbox.url) } });
    await withCampaigns(async () => {
      const campaign = await startCampaign(temporal, config, spec);
      await campaign.untilStage('approving');
      const bad: [object, RegExp][] = [
        [{ decision: 'maybe' }, /decision: .*by: /],
        [{ decision: 'change', by: 'Olga' }, /jobs: /],
        [{ decision: 'change', by: 'Olga', jobs: ['nobody'] }, /nobody/],
        [{ decision: 'approve', by: 'Olga', jobs: ['cutout'] }, /only a change/],
      ];
      for (const [decision, words] of bad)
        await expect(campaign.decide(decision as never)).rejects.toMatchObject({
          cause: { message: expect.stringMatching(words) },
        });
      await campaign.decide({ decision: 'approve', by: 'Olga' });
      await campaign.result();
      await expect(campaign.decide({ decision: 'approve', by: 'Olga' })).rejects.toThrow();
    });
  });
});

test('a paused campaign begins nothing; media can be added, and all of it is made after', async () => {
  const spec = await newCampaign(sandbox.url, { media: { cutout: cutout(sandbox.url) }, concurrency: 1 });
  const held = {
    operation: 'get-task',
    match: { every: 1 },
    fault: 'status',
    status: 503,
    when: 'before',
  } as const;
  await addFault(sandbox.url, held);
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
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
      waitsFor: { what: expect.stringContaining('Olga') },
      jobs: [{ status: 'succeeded' }, { name: 'second', status: 'waiting' }],
    });
    expect(await submissions()).toMatchObject({ submissions: 1 });
    await campaign.handle.executeUpdate(resumeUpdate, { args: [{ by: 'Olga' }] });
    expect(await campaign.result()).toMatchObject({ status: 'completed' });
  });
  expect(await submissions()).toMatchObject({ submissions: 2, duplicates: 0 });
  expect(await keptOf(sandbox.url, spec)).toMatchObject({
    configuration: { media: { cutout: cutout(sandbox.url), second: cutout(sandbox.url) } },
  });
});

test('a request that becomes too large with what it takes from others fails its job, and only that', async () => {
  const cues = [{ start: 0, end: 1, text: 'x'.repeat(60_000) }];
  const intro = await seedTranscription(sandbox.url, { cues });
  const spec = await newCampaign(sandbox.url, { transcripts: { intro: { id: intro } } });
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
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
  });
  expect(await submissions()).toMatchObject({ submissions: 0 });
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
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
    await campaign.untilJob('cutout', 'held');
    expect((await campaign.status()).waitsFor?.what).toBe('a person to decide about cutout');
    const { entries } = await readLedger(sandbox.url);
    const taskId = entries.find(({ operation }) => operation === 'remove-background')?.taskId ?? '';
    const job = await segueClient(temporal, config).media.get(campaignJobKey(spec.key, 'cutout'));
    await job.resolve({ action: 'adopt', taskId, by: 'Olga', reason: 'it is there' });
    expect(await campaign.result()).toMatchObject({ status: 'completed', jobs: [{ taskId }] });
  });
  expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0, duplicateNotifications: 0 });
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
  await withCampaigns(async () => {
    const theirs = await startCampaign(temporal, config, first);
    await theirs.untilJob('picture', 'running');
    await eventually('the wait', () => temporal.client.workflow.getHandle(wait).describe());
    const ours = await startCampaign(temporal, config, second);
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
});

test('a job that somebody terminates is over, and its task stands in the project', async () => {
  const away = { fault: 'status', status: 503, when: 'before', match: { every: 1 } } as const;
  await addFault(sandbox.url, { operation: 'get-task', ...away });
  const spec = await newCampaign(sandbox.url, { media: { cutout: cutout(sandbox.url) } });
  await withCampaigns(async () => {
    const campaign = await startCampaign(temporal, config, spec);
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
});

describe('a campaign that is stopped', () => {
  async function midway(): Promise<{
    spec: Awaited<ReturnType<typeof newCampaign>>;
    campaign: TestCampaign;
  }> {
    await addFault(sandbox.url, {
      operation: 'get-task',
      match: { every: 1 },
      fault: 'status',
      status: 503,
      when: 'before',
    });
    const spec = await newCampaign(sandbox.url, {
      media: { first: cutout(sandbox.url), second: cutout(sandbox.url, 'shoe'), third: cutout(sandbox.url) },
      concurrency: 2,
    });
    const campaign = await startCampaign(temporal, config, spec);
    await eventually('both tasks in the project', async () => {
      const { open = [] } = (await keptOf(sandbox.url, spec).catch(() => undefined))?.lifecycle ?? {};
      const tasks = open.filter(({ taskId }) => taskId !== null);
      return tasks.length === 2;
    });
    return { spec, campaign };
  }

  test('by cancelling records what the service still works on', async () => {
    await withCampaigns(async () => {
      const { spec, campaign } = await midway();
      await campaign.handle.cancel();
      await expect(campaign.result()).rejects.toThrow();
      const { lifecycle, media } = await keptOf(sandbox.url, spec);
      expect(lifecycle).toMatchObject({ stage: 'cancelled', open: [] });
      expect(media).toMatchObject({
        first: { status: 'cancelled', taskId: expect.any(String) },
        second: { status: 'cancelled', taskId: expect.any(String) },
        third: { status: 'cancelled' },
      });
    });
    expect(await submissions()).toMatchObject({ submissions: 2, duplicates: 0 });
  });

  test('by cancelling takes no orders any more, however long its end takes', async () => {
    await withCampaigns(async () => {
      const spec = await newCampaign(sandbox.url, {
        scope: { organization: '1' },
        media: { cutout: cutout(sandbox.url) },
        approval: { from: 'u-2' },
      });
      const campaign = await startCampaign(temporal, config, spec);
      await campaign.untilStage('approving');
      await eventually('the stage in the project', async () => {
        const kept = await keptOf(sandbox.url, spec);
        return kept.lifecycle.stage === 'approving';
      });
      const away = { fault: 'status', status: 503, when: 'before', match: { every: 1 } } as const;
      await addFault(sandbox.url, { operation: 'get-project', ...away });
      await campaign.handle.cancel();
      await campaign.untilStage('cancelled');
      const refused = { cause: { message: expect.stringContaining('is being cancelled') } };
      await expect(campaign.decide({ decision: 'approve', by: 'Olga' })).rejects.toMatchObject(refused);
      const added = { name: 'more', by: 'Olga', ...cutout(sandbox.url) };
      await expect(campaign.handle.executeUpdate(addMediaUpdate, { args: [added] })).rejects.toMatchObject(
        refused,
      );
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      await expect(campaign.result()).rejects.toThrow();
      expect(await keptOf(sandbox.url, spec)).toMatchObject({ lifecycle: { stage: 'cancelled' } });
    });
  });

  test('keeps the earlier result of what was to be made again', async () => {
    await withCampaigns(async () => {
      const spec = await newCampaign(sandbox.url, {
        scope: { organization: '1' },
        media: { cutout: cutout(sandbox.url) },
        approval: { from: 'u-2' },
      });
      const campaign = await startCampaign(temporal, config, spec);
      await campaign.untilStage('approving');
      await campaign.handle.executeUpdate(pauseUpdate, { args: [{ by: 'Olga' }] });
      await campaign.decide({ decision: 'change', by: 'Olga', jobs: ['cutout'] });
      await campaign.untilStage('producing');
      await campaign.handle.cancel();
      await expect(campaign.result()).rejects.toThrow();
      expect(await keptOf(sandbox.url, spec)).toMatchObject({
        lifecycle: { stage: 'cancelled' },
        media: { cutout: { key: `${spec.key}~cutout`, info: expect.anything() } },
      });
    });
    expect(await submissions()).toMatchObject({ submissions: 1 });
  });

  test('by terminating leaves its jobs to end by themselves', async () => {
    await withCampaigns(async () => {
      const { spec, campaign } = await midway();
      await campaign.handle.terminate('enough');
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      await eventually('both results', async () => {
        const { media } = await keptOf(sandbox.url, spec);
        return media?.first?.info !== undefined && media.second?.info !== undefined;
      });
    });
    expect(await submissions()).toMatchObject({ submissions: 2, duplicates: 0 });
  });

  test('and reset finds its jobs again, running or over, and submits none of them twice', async () => {
    await withCampaigns(async () => {
      const { campaign } = await midway();
      const { resetWorkflowExecution } = temporal.client.workflowService;
      const { events = [] } = (await campaign.handle.fetchHistory()) as {
        events?: { eventType?: unknown; eventId?: unknown }[];
      };
      expect(events.length).toBeGreaterThan(0);
      await resetWorkflowExecution.call(temporal.client.workflowService, {
        namespace: 'default',
        workflowExecution: { workflowId: campaign.handle.workflowId },
        reason: 'test',
        requestId: randomUUID(),
        workflowTaskFinishEventId: 4 as never,
      });
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      const again = new TestCampaign(temporal.client.workflow.getHandle(campaign.handle.workflowId));
      expect(await again.result()).toMatchObject({ status: 'completed' });
    });
    expect(await submissions()).toMatchObject({ submissions: 3, duplicates: 0 });
  });
});
