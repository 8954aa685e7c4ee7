/** Campaigns as a backend team sees them. */
import { DecisionRefused, InvalidInput, KeyReused } from '../../../src/client';
import { campaignJobKey } from '../../../src/contract/ids';
import { searchAttributes } from '../../../src/contract/searchAttributes';
import { cutout, newCampaign, useCampaigns } from '../../support/builders/campaign';
import { asReport, tasksOf } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask } from '../../support/service/sandbox';

const { client, sandbox, startApproving, temporal } = useCampaigns();

const scope = { organization: '1' };
const approval = { from: 'u-1' };

async function newSpec(more: Parameters<typeof newCampaign>[1] = {}) {
  return newCampaign(sandbox.url, { scope, media: { cutout: cutout(sandbox.url) }, ...more });
}

test('starts a campaign once for each key, and finds it by what it is about', async () => {
  await addFault(sandbox.url, answering(503, 'get-task'));
  const spec = await newSpec();
  const campaign = await client().campaign.start(spec);
  expect(campaign).toMatchObject({ workflowId: `campaign/${spec.key}`, existing: false });
  expect(await client().campaign.start({ ...spec, at: '/campaign', concurrency: 3 })).toMatchObject({
    runId: campaign.runId,
    existing: true,
  });
  await expect(client().campaign.start({ ...spec, at: '/else' })).rejects.toThrow(KeyReused);
  const { typedSearchAttributes: listed } = await temporal.client.workflow
    .getHandle(campaign.workflowId)
    .describe();
  expect(listed.get(searchAttributes.tool)).toBe('campaign');
  expect(listed.get(searchAttributes.project)).toBe(`campaign/${spec.project.id}`);
  expect(listed.get(searchAttributes.workspace)).toBe('1');
  await campaign.cancel();
  expect(await campaign.wait()).toMatchObject({ status: 'cancelled' });
});

test('P1: a job is not run again beside a campaign that may have it made again under the same key', async () => {
  const spec = await newSpec({ approval });
  const campaign = await client().campaign.start(spec);
  await eventually('the question', async () => (await campaign.status()).approval !== null);
  const key = campaignJobKey(spec.key, 'cutout');
  const again = client().media.retry(key, { again: true });
  await expect(again).rejects.toThrow(`it belongs to campaign/${spec.key}, which still runs`);
  await campaign.decide({ decision: 'approve', by: 'u-1' });
  await campaign.wait();
  await expect(client().media.retry(key)).rejects.toThrow('it succeeded, and would be paid for again');
  expect(await client().media.retry(key, { again: true })).toMatchObject({
    workflowId: `media/${key}+2`,
    existing: false,
  });
});

test('P1: an unsaved job of an open campaign is written again when that is over, and not paid for again', async () => {
  const { spec, campaign } = await startApproving();
  await addFault(sandbox.url, answering(422, 'update-project'));
  await campaign.decide({ decision: 'change', by: 'u-2', jobs: ['cutout'] });
  await campaign.untilRound(2);
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  const key = campaignJobKey(spec.key, 'cutout', 1);
  const { message } = (await client()
    .media.retry(key)
    .catch((error: unknown) => error)) as Error;
  expect(message).toMatch(/Its result is kept: once the campaign is over/);
  expect(message).not.toContain('change');
  await campaign.decide({ decision: 'approve', by: 'u-2' });
  await campaign.result();
  const retried = await client().media.retry(key);
  expect(await retried.wait()).toMatchObject({ status: 'succeeded' });
  expect(await tasksOf(sandbox.url, key)).toHaveLength(1);
  expect(await tasksOf(sandbox.url, retried.key)).toEqual([]);
});

test('starts nothing when the spec is wrong, and tells all of it', async () => {
  const spec = { ...(await newSpec()), at: 'x', waits: { cutout: { run: 'r' } } };
  const refused = await client()
    .campaign.start(spec)
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InvalidInput);
  expect((refused as InvalidInput).problems).toHaveLength(2);
  await expect(client().campaign.get(spec.key)).rejects.toThrow(/There is no run/);
});

test.each([
  ['completed', {}, { status: 'succeeded', stage: 'completed', error: null }],
  [
    'expired',
    { approval: { ...approval, expires: '1s' } },
    { status: 'failed', stage: 'expired', error: 'nobody decided in time' },
  ],
  [
    'failed',
    { require: { boards: ['no-board'] } },
    {
      ...{ status: 'failed', stage: 'failed', error: expect.stringContaining('no-board') },
      info: { problems: [expect.stringContaining('no-board')] },
    },
  ],
])('reports one that is %s', async (_end, more, report) => {
  const run = client().campaign.run(await newSpec(more));
  expect(await run.catch(asReport)).toMatchObject(report);
});

test('comes back from waiting when only a held job is left', async () => {
  const lost = { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when: 'after' } as const;
  await addFault(sandbox.url, lost);
  const spec = await newSpec();
  const report = await client().campaign.run(spec).catch(asReport);
  expect(report).toMatchObject({
    ...{ status: 'held', stage: 'producing', error: expect.stringMatching(/^cutout is held: \S/) },
    info: { jobs: [{ name: 'cutout', status: 'held', error: expect.stringMatching(/\S/) }] },
  });
  const held = await client().job(`media/${campaignJobKey(spec.key, 'cutout')}`);
  const campaign = await client().campaign.get(spec.key);
  await held.resolve({ action: 'abandon', by: 'u-1', reason: 'not needed' });
  // At once: the signal of the job may still be on its way.
  expect(await campaign.wait()).toMatchObject({
    ...{ status: 'failed', stage: 'failed', error: expect.stringContaining('not needed') },
  });
  await expect(campaign.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('cutout abandoned') },
  });
});

test('a decision answers the open question, once', async () => {
  const banner = {
    tool: 'remove-background',
    request: { image_url: { from: 'cutout', at: '/images/0/url' } },
  };
  const spec = await newSpec({ approval, media: { cutout: cutout(sandbox.url), banner } });
  const campaign = await client().campaign.start(spec);
  const untilAsked = (round: number): Promise<unknown> =>
    eventually('the question', async () => (await campaign.status()).approval?.round === round);
  await untilAsked(1);
  await expect(campaign.decide({ decision: 'change', by: 'u-1' })).rejects.toThrow(/name the media jobs/);
  await expect(campaign.decide({ decision: 'approve', by: 'u-1', round: 2 })).rejects.toThrow(
    DecisionRefused,
  );
  await addFault(sandbox.url, answering(503, 'get-task'));
  const change = { decision: 'change', by: 'u-1', jobs: ['cutout'] } as const;
  expect(await campaign.decide({ ...change, jobs: ['cutout'] })).toMatchObject({
    applied: true,
    stale: ['banner'],
  });
  expect(await campaign.decide({ ...change, jobs: ['cutout'] })).toMatchObject({
    applied: false,
    earlier: { by: 'u-1', round: 1 },
  });
  await expect(campaign.decide({ decision: 'approve', by: 'u-1' })).rejects.toThrow(DecisionRefused);
  await ask(sandbox.url, 'DELETE /_sandbox/faults');
  await untilAsked(2);
  // Sent again because the answer was lost: it is not meant, nor paid for, a second time.
  expect(await campaign.decide({ ...change, jobs: ['cutout'] })).toMatchObject({
    applied: false,
    earlier: { round: 1 },
  });
  await campaign.decide({ decision: 'approve', by: 'u-1', round: 2 });
  expect(await campaign.result()).toMatchObject({ status: 'completed' });
});

test('rejected is failed, with the words of whoever did it', async () => {
  const campaign = await client().campaign.start(await newSpec({ approval }));
  await eventually('the question', async () => (await campaign.status()).approval?.round === 1);
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
  await addFault(sandbox.url, answering(503, 'get-task'));
  const campaign = await client().campaign.start(await newSpec());
  await expect(campaign.resume({ by: 'u-1' })).rejects.toThrow('it is not paused');
  expect(await campaign.pause({ by: 'u-1', reason: 'holiday' })).toMatchObject({ paused: { by: 'u-1' } });
  expect(await campaign.resume({ by: 'u-1' })).toMatchObject({ paused: null });
  const square = { name: 'square', by: 'u-1', ...cutout(sandbox.url) };
  await expect(campaign.addMedia({ ...square, name: 'cutout' })).rejects.toThrow(/is taken/);
  await expect(campaign.addMedia({ ...square, request: {} })).rejects.toThrow(/image_url: is required/);
  const withReference = { ...square, request: { image_url: { from: 'cutout', at: '/url' } } };
  expect((await campaign.addMedia(withReference)).jobs.map(({ name }) => name)).toEqual(['cutout', 'square']);
  await campaign.cancel();
  expect(await campaign.wait()).toMatchObject({ status: 'cancelled' });
});

test('a campaign is no job that is decided by itself', async () => {
  const spec = await newSpec();
  await client().campaign.run(spec);
  await expect(client().job(`campaign/${spec.key}`)).rejects.toThrow(/is not one of media\/KEY/);
});
