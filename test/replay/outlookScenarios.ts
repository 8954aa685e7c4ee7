/** Looks whose histories are committed. */
import { randomUUID } from 'node:crypto';
import { type OutlookInput, type ProjectRef } from '../../src/contract';
import { startSandbox } from '../../src/sandbox/server';
import { seed } from '../support/records';
import { segueClient, testConfig, type TestTemporal, withWorker } from '../support/temporal';
import { type Scenario } from './scenario';

const APPROVING = { campaign: { lifecycle: { stage: 'approving' } } };
const NOTIFY = { userId: 'u-1', workspaceId: '1' };

/** Looks as often as told, at one project that holds these data before each look; keeps the last one. */
function looking(
  data: (object | undefined)[],
  asked: Partial<OutlookInput> = {},
  kept: (look: string, temporal: TestTemporal) => Promise<string> | string = (look) => look,
): Scenario {
  return async (temporal, keep) => {
    const sandbox = await startSandbox();
    const project: ProjectRef = { resourcetype: 'campaign', id: randomUUID() };
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      let look = '';
      for (const before of data) {
        if (before) await seed(sandbox.url, { projects: [{ ...project, workspace: 1, data: before }] });
        const spec = { key: `recorded-${randomUUID()}`, project, boards: ['launch-board'], ...asked };
        const job = await segueClient(temporal, config).outlooks.start(spec);
        await job.wait();
        look = job.workflowId;
      }
      await keep(temporal.client.workflow.getHandle(await kept(look, temporal)));
    });
    await sandbox.stop();
  };
}

async function childOf(look: string, temporal: TestTemporal): Promise<string> {
  const { events } = await temporal.client.workflow.getHandle(look).fetchHistory();
  const started = events?.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
  return started?.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId ?? '';
}

export const outlookScenarios: Record<string, Scenario> = {
  'outlook-written-and-nudged': looking([APPROVING], { notify: NOTIFY, drafts: { accounts: ['1'] } }),
  'outlook-nudged-before': looking([APPROVING, APPROVING], { notify: NOTIFY }),
  'outlook-without-news': looking([{}, undefined]),
  'outlook-refused': looking([{ campaign: [] }]),
  'outlook-of-no-project': looking([undefined]),
  nudge: looking([APPROVING], { notify: NOTIFY }, childOf),
};
