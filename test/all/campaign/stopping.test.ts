/** Campaigns that are cancelled, terminated or reset: nothing is lost, and nothing made twice. */
import { addMediaUpdate, jobNewsSignal, pauseUpdate } from '../../../src/contract';
import {
  cutout,
  keptOf,
  newCampaign,
  TestCampaign,
  type TestCampaigns,
  useCampaigns,
} from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { resetRun } from '../../support/servers/reset';
import { addFault, answering, ask } from '../../support/service/sandbox';

/** Two jobs are at the service, and the third waits for a place. */
async function midway({ sandbox, start }: TestCampaigns): Promise<{
  spec: Awaited<ReturnType<typeof newCampaign>>;
  campaign: TestCampaign;
}> {
  await addFault(sandbox.url, answering(503, 'get-task'));
  const spec = await newCampaign(sandbox.url, {
    media: { first: cutout(sandbox.url), second: cutout(sandbox.url, 'shoe'), third: cutout(sandbox.url) },
    concurrency: 2,
  });
  const campaign = await start(spec);
  await eventually('both tasks in the project', async () => {
    const { open = [] } = (await keptOf(sandbox.url, spec).catch(() => undefined))?.lifecycle ?? {};
    const tasks = open.filter(({ taskId }) => taskId !== null);
    return tasks.length === 2;
  });
  return { spec, campaign };
}

describe.each([true, false])('a campaign that is stopped, with ETags: %s', (etags) => {
  const campaigns = useCampaigns({ etags });
  const { sandbox, startApproving, summary, temporal } = campaigns;

  test('by cancelling records what the service still works on', async () => {
    const { spec, campaign } = await midway(campaigns);
    await campaign.handle.cancel();
    await expect(campaign.result()).rejects.toThrow();
    const { lifecycle, media } = await keptOf(sandbox.url, spec);
    expect(lifecycle).toMatchObject({ stage: 'cancelled', open: [] });
    expect(media).toMatchObject({
      first: { status: 'cancelled', taskId: expect.any(String) },
      second: { status: 'cancelled', taskId: expect.any(String) },
      third: { status: 'cancelled' },
    });
    expect(await summary()).toMatchObject({ submissions: 2, duplicates: 0 });
  });

  test('by cancelling learns of a job that was terminated, and told nobody', async () => {
    const { spec, campaign } = await midway(campaigns);
    const { workflowId } = campaign.handle;
    // It finds its jobs: their ends are not told to it by the server any more.
    await resetRun(temporal, { workflowId });
    const again = new TestCampaign(temporal.client.workflow.getHandle(workflowId));
    await again.untilLooks(2);
    await temporal.client.workflow.getHandle(`media/${spec.key}~first`).terminate('enough');
    await again.handle.cancel();
    await expect(again.result()).rejects.toThrow();
    expect(await keptOf(sandbox.url, spec)).toMatchObject({
      lifecycle: { stage: 'cancelled', open: [] },
      media: { first: { status: 'terminated', taskId: expect.any(String) }, second: { status: 'cancelled' } },
    });
  });

  test('by cancelling takes no orders any more, however long its end takes', async () => {
    const { spec, campaign } = await startApproving();
    await eventually('the stage in the project', async () => {
      const kept = await keptOf(sandbox.url, spec);
      return kept.lifecycle.stage === 'approving';
    });
    await addFault(sandbox.url, answering(503, 'get-project'));
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

  test('keeps the earlier result of what was to be made again', async () => {
    const { spec, campaign } = await startApproving();
    await campaign.handle.executeUpdate(pauseUpdate, { args: [{ by: 'Olga' }] });
    await campaign.decide({ decision: 'change', by: 'Olga', jobs: ['cutout'] });
    await campaign.untilStage('producing');
    await campaign.handle.cancel();
    await expect(campaign.result()).rejects.toThrow();
    expect(await keptOf(sandbox.url, spec)).toMatchObject({
      lifecycle: { stage: 'cancelled' },
      media: { cutout: { key: `${spec.key}~cutout`, info: expect.anything() } },
    });
    expect(await summary()).toMatchObject({ submissions: 1 });
  });

  test('by terminating leaves its jobs to end by themselves', async () => {
    const { spec, campaign } = await midway(campaigns);
    await campaign.handle.terminate('enough');
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await eventually('both results', async () => {
      const { media } = await keptOf(sandbox.url, spec);
      return media?.first?.info !== undefined && media.second?.info !== undefined;
    });
    expect(await summary()).toMatchObject({ submissions: 2, duplicates: 0 });
  });
});

describe('a campaign that is stopped or reset, without ETags', () => {
  const campaigns = useCampaigns();
  const { sandbox, start, summary, temporal } = campaigns;

  test('P1: a cancelled campaign begins nothing more, even if it learns just then that there is room', async () => {
    const { spec, campaign } = await midway(campaigns);
    const { handle } = campaign;
    const workflowId = `media/${spec.key}~first`;
    // Said too early: the campaign waits for the end of that run.
    await handle.signal(jobNewsSignal, { workflowId, stage: 'succeeded', taskId: null });
    await eventually('the read of its end', async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'readEnd');
    });
    await handle.cancel();
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await expect(campaign.result()).rejects.toThrow();
    const { jobs } = await campaign.status();
    expect(jobs).toMatchObject([
      { name: 'first', status: 'succeeded' },
      { name: 'second' },
      { name: 'third', status: 'cancelled', workflowId: null },
    ]);
    expect(await summary()).toMatchObject({ submissions: 2, duplicates: 0 });
  });

  test('a reset campaign finds its jobs again, running or over, and submits none of them twice', async () => {
    const { campaign } = await midway(campaigns);
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    const again = new TestCampaign(temporal.client.workflow.getHandle(campaign.handle.workflowId));
    expect(await again.result()).toMatchObject({ status: 'completed' });
    expect(await summary()).toMatchObject({ submissions: 3, duplicates: 0 });
  });

  test('a reset campaign learns that a job is held, whose place others have meanwhile', async () => {
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { nth: 1 } },
      ...{ fault: 'reset', when: 'after' },
    });
    await addFault(sandbox.url, answering(503, 'get-task'));
    const spec = await newCampaign(sandbox.url, {
      media: { first: cutout(sandbox.url), second: cutout(sandbox.url, 'shoe') },
      concurrency: 1,
    });
    const campaign = await start(spec);
    const { workflowId } = campaign.handle;
    await campaign.untilJob('first', 'held');
    await resetRun(temporal, { workflowId });
    const again = new TestCampaign(temporal.client.workflow.getHandle(workflowId));
    await again.untilJob('first', 'held');
    await again.untilJob('second', 'running');
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await temporal.client.workflow.getHandle(`media/${spec.key}~first`).cancel();
    await expect(again.result()).rejects.toMatchObject({ cause: { type: 'CampaignFailed' } });
    expect(await summary()).toMatchObject({ submissions: 2, duplicates: 0 });
  });

  test.each<[string, 'before' | 'after']>([
    ['has been terminated', 'before'],
    ['is terminated', 'after'],
  ])('a campaign reset to where its jobs ran learns at once of a job that %s', async (_what, when) => {
    const { spec, campaign } = await midway(campaigns);
    const { workflowId } = campaign.handle;
    const stopFirst = (): Promise<unknown> =>
      temporal.client.workflow.getHandle(`media/${spec.key}~first`).terminate('enough');
    const before = (await campaign.handle.fetchHistory()).events ?? [];
    const begun = before.findIndex((event) => event.childWorkflowExecutionStartedEventAttributes);
    const task = before.slice(begun).find((event) => event.workflowTaskCompletedEventAttributes);
    if (when === 'before') {
      await stopFirst();
      await campaign.untilJob('first', 'terminated');
    }
    await resetRun(temporal, { workflowId }, { workflowTaskFinishEventId: task?.eventId });
    const again = new TestCampaign(temporal.client.workflow.getHandle(workflowId));
    if (when === 'after') {
      await again.untilJob('first', 'running');
      await stopFirst();
    }
    await again.untilJob('first', 'terminated');
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await expect(again.result()).rejects.toMatchObject({ cause: { type: 'CampaignFailed' } });
    expect(await summary()).toMatchObject({ submissions: 3, duplicates: 0 });
  });
});
