/** `segue campaign`, as a person types it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '@segue/devserver';
import { campaignJobKey } from '../../../src/contract/ids';
import { cutout, newCampaign, useCampaigns } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { addFault, answering } from '../../support/service/sandbox';
import { segue } from '../../support/servers/segueCommand';
import { shared } from '../../support/jest/shared';

const { client, sandbox, settings, summary } = useCampaigns();

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'campaign-'));
});

async function newSpec(more: Parameters<typeof newCampaign>[1] = {}) {
  const media = { cutout: cutout(sandbox.url) };
  return newCampaign(sandbox.url, { scope: { organization: '1' }, media, ...more });
}

async function fileOf(spec: unknown): Promise<string> {
  const file = path.join(folder, `${randomUUID()}.json`);
  await writeFile(file, JSON.stringify(spec));
  return file;
}

test('run prints one JSON object, with 0 for what is completed and 1 for what is not', async () => {
  const done = await segue(['campaign', 'run', await fileOf(await newSpec()), '--json'], settings);
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ status: 'succeeded', stage: 'completed', taskId: null });
  const spec = await newSpec({ approval: { from: 'u-1', expires: '1s' } });
  const expired = await segue(['campaign', 'run', await fileOf(spec)], settings);
  expect(expired.code).toBe(1);
  expect(expired.stdout).toMatch(/^campaign\/c-\S+ failed, expired\nnobody decided in time\nJOB/);
});

test('run comes back with 3 when only a held job is left, and says where to look', async () => {
  const lost = { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when: 'after' } as const;
  await addFault(sandbox.url, lost);
  const spec = await newSpec();
  const held = await segue(['campaign', 'run', await fileOf(spec)], settings);
  expect(held.code).toBe(3);
  expect(held.stderr).toContain('Held until a person decides: cutout. What to do: segue held');
  const job = await client().job(`media/${campaignJobKey(spec.key, 'cutout')}`);
  await job.resolve({ action: 'abandon', by: 'u-1', reason: 'not needed' });
});

test('start returns at once; status, pause, change and approve speak to what runs', async () => {
  const spec = await newSpec({ approval: { from: 'u-1' } });
  const started = await segue(['campaign', 'start', await fileOf(spec)], settings);
  expect([started.code, started.stdout]).toEqual([0, `campaign/${spec.key}`]);
  const campaign = await client().campaign.get(spec.key);
  await eventually('the question', async () => (await campaign.status()).approval !== null);
  const status = await segue(['campaign', 'status', spec.key], settings);
  expect(status.code).toBe(0);
  expect(status.stdout).toContain('u-1 was asked');
  expect(status.stderr).toContain(`segue campaign approve ${spec.key} --round 1 --by u-1`);
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

test('add, change, resume, reject and cancel are taken by what runs', async () => {
  const spec = await newSpec({ approval: { from: 'u-1' } });
  const order = (...args: string[]) => segue(['campaign', ...args, '--by', 'u-1'], settings);
  const started = await segue(['campaign', 'start', await fileOf(spec), '--json'], settings);
  expect(JSON.parse(started.stdout)).toMatchObject({ workflowId: `campaign/${spec.key}` });
  const campaign = await client().campaign.get(spec.key);
  const question = (round: number) =>
    eventually(`question ${round}`, async () => (await campaign.status()).approval?.round === round);
  await question(1);
  const { tool, request } = cutout(sandbox.url, 'shoe');
  expect(await order('add', spec.key, 'shoe', tool, '--request', JSON.stringify(request))).toMatchObject({
    code: 0,
  });
  await eventually('the new job', async () =>
    (await campaign.status()).jobs.some(({ name, status }) => name === 'shoe' && status === 'succeeded'),
  );
  await eventually('a question', async () => (await campaign.status()).approval !== null);
  const { round } = (await campaign.status()).approval ?? { round: 0 };
  await campaign.pause({ by: 'u-2' });
  expect(await order('resume', spec.key)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('resumed by u-1'),
  });
  expect((await campaign.status()).paused).toBeNull();
  expect(await order('change', spec.key, '--jobs', 'cutout', '--comment', 'lighter')).toMatchObject({
    code: 0,
  });
  await question(round + 1);
  expect(await summary()).toMatchObject({ submissions: 3, duplicates: 0 });
  expect(await order('reject', spec.key, '--comment', 'too late')).toMatchObject({ code: 0 });
  const followed = await segue(['campaign', 'follow', spec.key], settings);
  expect([followed.code, followed.stdout]).toEqual([1, expect.stringContaining('rejected')]);

  const other = await newSpec({ approval: { from: 'u-1' } });
  const stopped = await client().campaign.start(other);
  await eventually('its question', async () => (await stopped.status()).approval !== null);
  expect(await segue(['campaign', 'cancel', other.key], settings)).toMatchObject({ code: 0 });
  expect(await stopped.wait()).toMatchObject({ status: 'cancelled' });
});

test('list finds campaigns by stage and project, and no other runs', async () => {
  await addFault(sandbox.url, answering(503, 'get-task'));
  const spec = await newSpec();
  const campaign = await client().campaign.start(spec);
  const args = ['campaign', 'list', '--stage', 'producing', '--project', `campaign/${spec.project.id}`];
  const { stdout } = await eventually('the campaign in the list', async () => {
    const listed = await segue([...args, '--json'], settings);
    return listed.stdout === '' ? undefined : listed;
  });
  expect(JSON.parse(stdout)).toMatchObject({
    key: spec.key,
    status: 'running',
    stage: 'producing',
    error: null,
  });
  await campaign.cancel();
});

test('a spec that is wrong ends with 2 before Temporal is asked anything', async () => {
  const nowhere = { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` };
  const file = await fileOf({
    key: 'k',
    project: { resourcetype: 'c', id: 7 },
    media: { a: cutout('http://localhost'), b: {} },
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
  expect(all.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(
    expect.arrayContaining([
      ...['campaign', 'outlook', 'schedule', 'remove-background', 'image-outpainting'],
      ...['mediaRequest', 'media.result', 'campaign.decide'],
    ]),
  );
  const schema = JSON.parse((await segue(['schema', 'campaign'])).stdout) as { required: string[] };
  expect(schema.required).toEqual(['key', 'project']);
  expect(await segue(['schema', 'nothing'])).toMatchObject({ code: 2 });
});

test('help has examples, and tells what run waits for', async () => {
  expect((await segue(['campaign', '--help'])).stdout).toContain('segue campaign approve');
  expect((await segue(['campaign', 'run', '--help'])).stdout).toContain('with 3 when a job is held');
});
