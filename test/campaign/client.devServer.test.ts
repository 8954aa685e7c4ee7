/** Campaigns as a backend team and a person at a terminal see them. What the run itself does is tested elsewhere. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from '@temporalio/worker';
import {
  type CampaignSpec,
  DecisionRefusedError,
  InvalidInputError,
  KeyReusedError,
  type SegueClient,
} from '../../src';
import { searchAttributes } from '../../src/searchAttributes';
import { freePort } from '../../src/temporal/ports';
import { eventually } from '../support/eventually';
import { segue, type Settings } from '../support/segueProcess';
import { connectDevServer, segueClient, testConfig, type TestTemporal } from '../support/temporal';

let temporal: TestTemporal;
let client: SegueClient;
let worker: Worker;
let running: Promise<void>;
let settings: Settings;
let folder: string;
const config = testConfig();

beforeAll(async () => {
  temporal = await connectDevServer();
  client = segueClient(temporal, config);
  worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue: config.taskQueue,
    workflowsPath: require.resolve('./scripted.workflow'),
  });
  running = worker.run();
  settings = { TEMPORAL_ADDRESS: temporal.address, SEGUE_TASK_QUEUE: config.taskQueue };
  folder = await mkdtemp(path.join(tmpdir(), 'segue-campaign-'));
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await temporal.close();
});

const cutout = { tool: 'remove-background', request: { image_url: 'https://example.com/shoe.png' } };
const specOf = (scene: string): CampaignSpec => ({
  key: `${scene}-${randomUUID()}`,
  project: { resourcetype: 'campaign', id: '7' },
  scope: { organization: '42' },
  media: { cutout },
});

async function fileOf(spec: unknown): Promise<string> {
  const file = path.join(folder, `${randomUUID()}.json`);
  await writeFile(file, JSON.stringify(spec));
  return file;
}

describe('the client', () => {
  test('starts a campaign once for each key, and finds it by what it is about', async () => {
    const spec = specOf('open');
    const campaign = await client.campaign.start(spec);
    expect(campaign).toMatchObject({ workflowId: `campaign/${spec.key}`, existing: false });
    expect(await client.campaign.start({ ...spec, at: '/campaign', concurrency: 3 })).toMatchObject({
      runId: campaign.runId,
      existing: true,
    });
    await expect(client.campaign.start({ ...spec, at: '/else' })).rejects.toThrow(KeyReusedError);
    const { typedSearchAttributes: listed } = await temporal.client.workflow
      .getHandle(campaign.workflowId)
      .describe();
    expect(listed.get(searchAttributes.stage)).toBe('preparing');
    expect(listed.get(searchAttributes.tool)).toBe('campaign');
    expect(listed.get(searchAttributes.project)).toBe('campaign/7');
    expect(listed.get(searchAttributes.workspace)).toBe('42');
    expect(listed.get(searchAttributes.key)).toBe(spec.key);
    await campaign.cancel();
    expect(await campaign.wait()).toMatchObject({ status: 'cancelled' });
  });

  test('starts nothing when the spec is wrong, and tells all of it', async () => {
    const spec = { ...specOf('open'), at: 'x', waits: { cutout: { run: 'r' } } };
    const refused = await client.campaign.start(spec).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidInputError);
    expect((refused as InvalidInputError).problems).toHaveLength(2);
    await expect(client.campaign.get(spec.key)).rejects.toThrow(/There is no run/);
  });

  test.each([
    ['done', { status: 'succeeded', stage: 'completed', error: null }],
    ['expired', { status: 'failed', stage: 'expired', error: 'nobody decided in time' }],
    [
      'failed',
      {
        ...{ status: 'failed', stage: 'failed', error: 'the workspace is not active' },
        info: { key: expect.any(String), problems: ['the workspace 42 is not active'] },
      },
    ],
  ])('reports one that is %s', async (scene, report) => {
    expect(await client.campaign.run(specOf(scene))).toMatchObject(report);
  });

  test('comes back from waiting when only a held job is left', async () => {
    const report = await client.campaign.run(specOf('held'));
    expect(report).toMatchObject({ status: 'held', stage: 'producing' });
  });

  test('a decision answers the open question, once', async () => {
    const campaign = await client.campaign.start(specOf('asked'));
    await expect(campaign.decide({ decision: 'change', by: 'u-1' })).rejects.toThrow(/name the media jobs/);
    await expect(campaign.decide({ decision: 'approve', by: 'u-1', round: 2 })).rejects.toThrow(
      'another question is open',
    );
    const change = { decision: 'change', by: 'u-1', jobs: ['cutout'] } as const;
    expect(await campaign.decide({ ...change, jobs: ['cutout'] })).toMatchObject({
      applied: true,
      stale: ['banner'],
    });
    expect(await campaign.decide({ ...change, jobs: ['cutout'] })).toMatchObject({
      applied: false,
      earlier: { by: 'u-1', round: 1 },
    });
    await expect(campaign.decide({ decision: 'approve', by: 'u-1' })).rejects.toThrow(DecisionRefusedError);
  });

  test('rejected is failed, with the words of whoever did it', async () => {
    const campaign = await client.campaign.start(specOf('asked'));
    const rejection = { decision: 'reject', by: 'u-1', comment: 'too loud' } as const;
    await campaign.decide(rejection);
    expect(await campaign.wait()).toMatchObject({
      ...{ status: 'failed', stage: 'rejected', error: 'rejected by u-1: too loud' },
    });
    expect(await campaign.result()).toMatchObject({ status: 'rejected' });
    expect(await campaign.decide(rejection)).toMatchObject({ applied: false });
    await expect(campaign.pause({ by: 'u-1' })).rejects.toThrow(/is over/);
  });

  test('pauses, resumes and adds media, whose request is checked first', async () => {
    const campaign = await client.campaign.start(specOf('open'));
    await expect(campaign.resume({ by: 'u-1' })).rejects.toThrow('it is not paused');
    expect(await campaign.pause({ by: 'u-1', reason: 'holiday' })).toMatchObject({ paused: { by: 'u-1' } });
    expect(await campaign.resume({ by: 'u-1' })).toMatchObject({ paused: null });
    const square = { name: 'square', by: 'u-1', ...cutout };
    await expect(campaign.addMedia({ ...square, name: 'cutout' })).rejects.toThrow(/is taken/);
    await expect(campaign.addMedia({ ...square, request: {} })).rejects.toThrow(/image_url: is required/);
    const withReference = { ...square, request: { image_url: { from: 'cutout', at: '/url' } } };
    expect((await campaign.addMedia(withReference)).jobs.map(({ name }) => name)).toEqual([
      'cutout',
      'square',
    ]);
    await campaign.cancel();
  });
});

describe('segue campaign', () => {
  test('run prints one JSON object, with 0 for what is completed and 1 for what is not', async () => {
    const done = await segue(['campaign', 'run', await fileOf(specOf('done')), '--json'], settings);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ status: 'succeeded', stage: 'completed', taskId: null });
    const expired = await segue(['campaign', 'run', await fileOf(specOf('expired'))], settings);
    expect(expired.code).toBe(1);
    expect(expired.stdout).toMatch(/^campaign\/expired-\S+ failed, expired\nnobody decided in time\nJOB/);
  });

  test('run comes back with 3 when only a held job is left, and says where to look', async () => {
    const held = await segue(['campaign', 'run', await fileOf(specOf('held'))], settings);
    expect(held.code).toBe(3);
    expect(held.stderr).toContain('Held until a person decides: cutout. What to do: segue held');
  });

  test('start returns at once; status, pause, change and approve speak to what runs', async () => {
    const spec = specOf('asked');
    const started = await segue(['campaign', 'start', await fileOf(spec)], settings);
    expect([started.code, started.stdout]).toEqual([0, `campaign/${spec.key}`]);
    const status = await segue(['campaign', 'status', spec.key], settings);
    expect(status.code).toBe(0);
    expect(status.stdout).toContain('u-1 was asked');
    expect(status.stderr).toContain(`segue campaign approve ${spec.key} --by u-1`);
    const paused = await segue(['campaign', 'pause', spec.key, '--by', 'u-2', '--json'], settings);
    expect(JSON.parse(paused.stdout)).toMatchObject({ status: 'running', info: { paused: { by: 'u-2' } } });
    const refused = await segue(['campaign', 'change', spec.key, '--by', 'u-1'], settings);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('name the media jobs')]);
    const args = ['campaign', 'approve', `campaign/${spec.key}`, '--by', 'u-1', '--comment', 'Fresh!'];
    expect(await segue(args, settings)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('decided by u-1'),
    });
    expect(await segue(args, settings)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('was decided already, by u-1'),
    });
    const followed = await segue(['campaign', 'follow', spec.key], settings);
    expect([followed.code, followed.stdout]).toEqual([0, expect.stringContaining('succeeded, completed')]);
  });

  test('list finds campaigns by stage and project, and no other runs', async () => {
    const spec = { ...specOf('open'), project: { resourcetype: 'campaign', id: randomUUID() } };
    const campaign = await client.campaign.start(spec);
    const args = ['campaign', 'list', '--stage', 'preparing', '--project', `campaign/${spec.project.id}`];
    const { stdout } = await eventually('the campaign in the list', async () => {
      const listed = await segue([...args, '--json'], settings);
      return listed.stdout === '' ? undefined : listed;
    });
    expect(JSON.parse(stdout)).toMatchObject({
      key: spec.key,
      status: 'running',
      stage: 'preparing',
      error: null,
    });
    await campaign.cancel();
  });

  test('a spec that is wrong ends with 2 before Temporal is asked anything', async () => {
    const nowhere = { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` };
    const file = await fileOf({
      key: 'k',
      project: { resourcetype: 'c', id: 7 },
      media: { a: cutout, b: {} },
    });
    const { code, stderr } = await segue(['campaign', 'start', file], nowhere);
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      'The campaign was not started:',
      `  ${file}:1:47: project.id: must be a text: put it in quotes, "7"`,
      expect.stringMatching(/:1:\d+: media\.b\.tool: is required$/),
      expect.stringMatching(/:1:\d+: media\.b\.request: is required$/),
    ]);
    expect(await segue(['campaign', 'run', '/no/such/file'], nowhere)).toMatchObject({ code: 2 });
    expect(await segue(['campaign', 'status', 'media/k'], nowhere)).toMatchObject({ code: 2 });
    expect(await segue(['campaign', 'list', '--stage', 'nowhere'], nowhere)).toMatchObject({ code: 2 });
    expect(await segue(['campaign', 'add', 'k', 'n', 'remove-background'], nowhere)).toMatchObject({
      code: 2,
    });
  });

  test('schema lists what there is, and prints the one that is named', async () => {
    const all = await segue(['schema']);
    expect(all.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      ...['campaign', 'remove-background', 'image-outpainting'],
    ]);
    const schema = JSON.parse((await segue(['schema', 'campaign'])).stdout) as { required: string[] };
    expect(schema.required).toEqual(['key', 'project']);
    expect(await segue(['schema', 'nothing'])).toMatchObject({ code: 2 });
  });

  test('help has examples, and tells what run waits for', async () => {
    expect((await segue(['campaign', '--help'])).stdout).toContain('segue campaign approve');
    expect((await segue(['campaign', 'run', '--help'])).stdout).toContain('3 a job is held');
  });
});
