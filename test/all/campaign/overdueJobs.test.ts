/** A campaign with many overdue jobs that continues as new. */
import { CAMPAIGN_WORKFLOW } from '../../../src/contract';
import { newCampaign, startCampaign, TestCampaign } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { startOwnDevServer, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { SANDBOX_PLACES, seedRecord } from '../../support/service/records';
import { useSandboxEach } from '../../support/service/sandbox';

const temporal = useTemporal(() =>
  startOwnDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 60 } }),
);
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });

async function runsOf(workflowId: string): Promise<{ runId: string; historyLength: number }[]> {
  return eventually('the runs in the list', async () => {
    const runs: { runId: string; historyLength: number }[] = [];
    const query = `WorkflowId = "${workflowId}" AND WorkflowType = "${CAMPAIGN_WORKFLOW}"`;
    for await (const { runId, historyLength } of temporal.client.workflow.list({ query }))
      runs.push({ runId, historyLength });
    return runs.length > 1 ? runs : undefined;
  });
}

/** How often histories of the campaign ask how jobs stand, and by how many requests they tell them to stop. */
async function countsOf(workflowId: string): Promise<{ readings: number; requests: number }> {
  const runs = await runsOf(workflowId);
  const histories = await Promise.all(
    runs.map(({ runId }) => temporal.client.workflow.getHandle(workflowId, runId).fetchHistory()),
  );
  const all = histories.flatMap(({ events }) => events ?? []);
  const asked = (activity: string): number =>
    all.filter(({ activityTaskScheduledEventAttributes: one }) =>
      one?.activityType?.name?.startsWith(activity),
    ).length;
  const alone = all.filter((event) => event.requestCancelExternalWorkflowExecutionInitiatedEventAttributes);
  return { readings: asked('readEnd'), requests: asked('cancelRuns') + alone.length };
}

test('jobs that are overdue, many of them, are not looked at by each run that goes on with them, and told to stop and read in lists when it is cancelled', async () => {
  const names = Array.from({ length: 25 }, (_unused, n) => `wait-${n}`);
  const waits: Record<string, { asset: string }> = {};
  for (const name of names) waits[name] = { asset: await seedRecord(sandbox.url, 'asset', [1]) };
  const spec = await newCampaign(sandbox.url, { waits });
  const config = testConfig({ poll: { min: '500ms', max: '1s', deadline: '1s', giveUp: '7d' } });
  const work = async (): Promise<void> => {
    const { handle } = await startCampaign(temporal, config, spec);
    const { workflowId } = handle;
    const { runId: first } = await handle.describe();
    const current = new TestCampaign(temporal.client.workflow.getHandle(workflowId));
    await eventually('all to be overdue', async () => {
      const { jobs } = await current.status();
      return jobs.every(({ status }) => status === 'overdue');
    });
    await eventually('a run that goes on, and has looked around', async () => {
      const { runId, historyLength } = await current.handle.describe();
      return runId !== first && historyLength > 4;
    });
    expect(await countsOf(workflowId)).toEqual({ readings: 0, requests: 0 });
    await current.handle.cancel();
    await expect(current.result()).rejects.toThrow();
    const { jobs } = await current.status();
    expect(jobs.map(({ status }) => status)).toEqual(names.map(() => 'cancelled'));
    const { readings, requests } = await countsOf(workflowId);
    expect(readings).toBeLessThan(names.length / 2);
    expect(requests).toBe(1);
  };
  await withWorker(temporal, config, sandbox.url, work, { layout: SANDBOX_PLACES });
});
