/** Looks whose histories are committed. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { NUDGE_WORKFLOW, type NudgeInput, type OutlookInput, type ProjectRef } from '../../src/contract';
import { startSandbox } from '../../src/sandbox/server';
import { eventually } from '../support/eventually';
import { seed } from '../support/records';
import { addFault, answering } from '../support/sandbox';
import { segueClient, testConfig, type TestTemporal, withWorker } from '../support/temporal';
import { seedProject } from '../support/writing';
import { type Scenario } from './scenario';

const APPROVING = { campaign: { lifecycle: { stage: 'approving' } } };
const NOTIFY = { userId: 'u-1', workspaceId: '1' };

/** Nudges keep working hours. */
const ON_A_WEDNESDAY = (): number => Date.parse('2026-03-04T10:00:00Z');
const ON_A_SATURDAY = (): number => Date.parse('2026-03-07T10:00:00Z');

interface Looking {
  now?: () => number;
  /** Before the first look. */
  before?: (sandboxUrl: string) => Promise<void>;
  /** While the last look goes on. */
  meanwhile?: (look: WorkflowHandle, temporal: TestTemporal) => Promise<unknown>;
  /** Which run is kept, the last look unless told. */
  kept?: (look: string, temporal: TestTemporal) => Promise<string>;
}

/** Looks as often as told, at one project that holds these data before each look. */
function looking(
  data: (object | undefined)[],
  asked: Partial<OutlookInput> = {},
  { now = ON_A_WEDNESDAY, before: prepare, meanwhile, kept }: Looking = {},
): Scenario {
  return async (temporal, keep) => {
    const sandbox = await startSandbox();
    const project: ProjectRef = { resourcetype: 'campaign', id: randomUUID() };
    const config = testConfig();
    const work = async (): Promise<void> => {
      await prepare?.(sandbox.url);
      let look = '';
      for (const [index, before] of data.entries()) {
        if (before) await seed(sandbox.url, { projects: [{ ...project, workspace: 1, data: before }] });
        const spec = { key: `recorded-${randomUUID()}`, project, boards: ['launch-board'], ...asked };
        const job = await segueClient(temporal, config).outlooks.start(spec);
        look = job.workflowId;
        if (index === data.length - 1) await meanwhile?.(temporal.client.workflow.getHandle(look), temporal);
        await job.wait();
      }
      const handle = temporal.client.workflow.getHandle((await kept?.(look, temporal)) ?? look);
      await handle.result().catch(() => undefined);
      await keep(handle);
    };
    await withWorker(temporal, config, sandbox.url, work, { now });
    await sandbox.stop();
  };
}

async function childOf(look: string, temporal: TestTemporal): Promise<string> {
  return eventually('the nudge', async () => {
    const { events } = await temporal.client.workflow.getHandle(look).fetchHistory();
    const started = events?.find((event) => event.childWorkflowExecutionStartedEventAttributes);
    return started?.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? undefined;
  });
}

async function terminateNudge({ workflowId }: WorkflowHandle, temporal: TestTemporal): Promise<void> {
  await temporal.client.workflow.getHandle(await childOf(workflowId, temporal)).terminate('enough');
}

async function cancelLook(look: WorkflowHandle): Promise<void> {
  await eventually('its first task', async () => (await look.describe()).historyLength > 4);
  await look.cancel();
}

const notifyAnswers =
  (status: number) =>
  (sandboxUrl: string): Promise<void> =>
    addFault(sandboxUrl, answering(status, 'notify'));

const NUDGING = { notify: NOTIFY };
/** The campaign is approved between the look and its nudge. */
const DECIDED = { campaign: { lifecycle: { stage: 'completed' } } };

/** A nudge that comes to its end when nobody is waited for any more. */
const notDueAnyMore: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox();
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const project = await seedProject(sandbox.url, DECIDED);
    const input: NudgeInput = {
      ...{ to: NOTIFY, nudge: { about: 'approval' }, project, week: '2026-03-09' },
      later: { at: new Date().toISOString(), place: '/campaign' },
    };
    const handle = await temporal.client.workflow.start(NUDGE_WORKFLOW, {
      workflowId: `nudge/${randomUUID()}`,
      taskQueue: config.taskQueue,
      args: [input],
    });
    await handle.result();
    await keep(handle);
  });
  await sandbox.stop();
};

export const outlookScenarios: Record<string, Scenario> = {
  'outlook-written-and-nudged': looking([APPROVING], { ...NUDGING, drafts: { accounts: ['1'] } }),
  'outlook-nudged-before': looking([APPROVING, APPROVING], NUDGING),
  'outlook-nudge-planned': looking([APPROVING], NUDGING, { now: ON_A_SATURDAY }),
  'outlook-nudge-terminated': looking([APPROVING], NUDGING, {
    before: notifyAnswers(429),
    meanwhile: terminateNudge,
  }),
  'outlook-without-news': looking([{}, undefined]),
  'outlook-refused': looking([{ campaign: [] }]),
  'outlook-of-no-project': looking([undefined]),
  'outlook-cancelled': looking([APPROVING], NUDGING, {
    before: (url) => addFault(url, answering(503, 'get-board')),
    meanwhile: cancelLook,
  }),
  nudge: looking([APPROVING], NUDGING, { kept: childOf }),
  'nudge-refused': looking([APPROVING], NUDGING, { before: notifyAnswers(400), kept: childOf }),
  'nudge-planned': looking([APPROVING], NUDGING, { now: ON_A_SATURDAY, kept: childOf }),
  'nudge-not-due-any-more': notDueAnyMore,
};
