/** Campaigns whose history is soon too long: they continue as new, with their jobs running. */
import { addMediaUpdate, CAMPAIGN_WORKFLOW, pauseUpdate, resumeUpdate } from '../../../src/contract';
import {
  cutout,
  keptOf,
  newCampaign,
  notificationsOf,
  startCampaign,
  TestCampaign,
} from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, useSandboxEach } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { startOwnDevServer, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const { full } = shared();
/** The server suggests a new run at 4,096; a campaign of 500 jobs meets that as one of a few meets this. */
const [JOBS, EVENTS] = full ? [500, 8_192] : [12, 150];

const temporal = useTemporal(() =>
  startOwnDevServer(full ? {} : { dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 60 } }),
);
// Without ETags, which is harder; what is written is tested with both in saving.test.ts.
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 }, etags: false });

async function runsOf(workflowId: string): Promise<{ runId: string; historyLength: number }[]> {
  return eventually('the runs in the list', async () => {
    const runs: { runId: string; historyLength: number }[] = [];
    const query = `WorkflowId = "${workflowId}" AND WorkflowType = "${CAMPAIGN_WORKFLOW}"`;
    for await (const { runId, historyLength } of temporal.client.workflow.list({ query }))
      runs.push({ runId, historyLength });
    return runs.length > 1 ? runs : undefined;
  });
}

test(
  `P1: ${JOBS} jobs over several runs of the campaign: one POST each, and no history too long`,
  async () => {
    const names = Array.from({ length: JOBS }, (_unused, n) => `job-${n}`);
    const media = Object.fromEntries(names.map((name) => [name, cutout(sandbox.url)]));
    const spec = await newCampaign(sandbox.url, { media, concurrency: full ? 50 : 4 });
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const campaign = await startCampaign(temporal, config, spec);
      const last = new TestCampaign(temporal.client.workflow.getHandle(campaign.handle.workflowId));
      const { status, jobs } = await last.result();
      expect(status).toBe('completed');
      expect(jobs.filter((job) => job.status === 'succeeded')).toHaveLength(JOBS);
      const runs = await runsOf(campaign.handle.workflowId);
      const lengths = runs.map(({ historyLength }) => historyLength);
      expect(Math.max(...lengths)).toBeLessThan(EVENTS);
      process.stderr.write(
        `campaign of ${JOBS} jobs: ${lengths.length} runs of ${lengths.join(', ')} events\n`,
      );
    });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({
      submissions: JOBS,
      duplicates: 0,
      lostKeys: 0,
    });
    expect(Object.keys((await keptOf(sandbox.url, spec)).media ?? {}).sort()).toEqual([...names].sort());
  },
  full ? 900_000 : 120_000,
);

test('an open question is carried over, and asked once', async () => {
  const spec = await newCampaign(sandbox.url, {
    media: { cutout: cutout(sandbox.url) },
    notify: { userId: 'u-1', workspaceId: '1' },
    approval: { from: 'u-2' },
  });
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const campaign = await startCampaign(temporal, config, spec);
    await campaign.untilStage('approving');
    const { workflowId } = campaign.handle;
    const current = temporal.client.workflow.getHandle(workflowId);
    const before = (await current.describe()).runId;
    const by = { args: [{ by: 'Olga' }] as [{ by: string }] };
    await eventually('another run', async () => {
      // One that meets the moment in between is told so, and asks again.
      await current.executeUpdate(pauseUpdate, by).catch(() => undefined);
      await current.executeUpdate(resumeUpdate, by).catch(() => undefined);
      return (await current.describe()).runId !== before;
    });
    const last = new TestCampaign(current);
    if ((await last.status()).paused) await current.executeUpdate(resumeUpdate, by);
    expect(await last.status()).toMatchObject({ stage: 'approving', approval: { round: 1, from: 'u-2' } });
    await last.decide({ decision: 'approve', by: 'Olga', round: 1 });
    expect(await last.result()).toMatchObject({ status: 'completed' });
  });
  expect((await notificationsOf(sandbox.url)).map(({ request }) => request.category)).toEqual([
    'agentNeedsInput',
    'agentTaskCompleted',
  ]);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({
    submissions: 1,
    duplicateNotifications: 0,
  });
});

/** One at a time, until the history is long: at full size some hundred of them. */
const LONGEST_ADDING_MS = full ? 300_000 : 45_000;

test(
  'a paused campaign that people keep adding to goes on as a new run, too, whoever cannot be told of its stages',
  async () => {
    const spec = await newCampaign(sandbox.url, {
      media: { first: cutout(sandbox.url) },
      notify: { userId: 'u-1', workspaceId: '1', progress: true },
    });
    for (const fault of [answering(403, 'notify'), answering(503, 'get-task')])
      await addFault(sandbox.url, fault);
    const config = testConfig();
    const by = 'Olga';
    await withWorker(temporal, config, sandbox.url, async () => {
      const { handle } = await startCampaign(temporal, config, spec);
      const current = temporal.client.workflow.getHandle(handle.workflowId);
      const before = (await current.describe()).runId;
      await eventually('that a stage was not told', async () => {
        const { entries } = await readLedger(sandbox.url);
        return entries.some(({ operation }) => operation === 'notify');
      });
      // The server refuses an Update while a workflow task fails, as it does when an event meets the continue-as-new.
      await eventually('the pause', () =>
        current.executeUpdate(pauseUpdate, { args: [{ by }], updateId: 'pause' }),
      );
      let added = 0;
      await eventually(
        'another run',
        async () => {
          const order = { name: `more-${added}`, by, ...cutout(sandbox.url) };
          // One that meets the moment in between is told so, and asks again.
          const isAdded = await current.executeUpdate(addMediaUpdate, { args: [order] }).then(
            () => true,
            () => false,
          );
          if (isAdded) added += 1;
          return (await current.describe()).runId !== before;
        },
        LONGEST_ADDING_MS,
      );
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      await current.executeUpdate(resumeUpdate, { args: [{ by }] });
      const { status, jobs } = await new TestCampaign(current).result();
      expect(status).toBe('completed');
      expect(jobs.length).toBeGreaterThan(added);
    });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({
      duplicates: 0,
      duplicateNotifications: 0,
    });
  },
  4 * LONGEST_ADDING_MS,
);
