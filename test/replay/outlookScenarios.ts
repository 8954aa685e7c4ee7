/** Looks whose histories are committed. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { Worker } from '@temporalio/worker';
import {
  type Nudge,
  NUDGE_WORKFLOW,
  type NudgeInput,
  type OutlookInput,
  type ProjectRef,
} from '../../src/contract';
import { type StarterConfig } from '../../src/config';
import { type RuleRequest } from '../../sandbox/src/faults/rules';
import { OWN_START } from '../support/builders/jobs';
import { eventually } from '../support/eventually';
import { seed } from '../support/service/records';
import { giveUpUnanswered } from '../support/servers/giveUp';
import { resetRun } from '../support/servers/reset';
import { addFault, answering, unanswered, startSandbox } from '../support/service/sandbox';
import { shared } from '../support/jest/shared';
import {
  segueClient,
  testConfig,
  type TestTemporal,
  type TestWorkerOptions,
  withWorker,
} from '../support/servers/temporal';
import {
  type BerlinTime,
  hourInBerlin,
  nudgeWeekInBerlin,
  onAFridayEvening,
  onASaturday,
  onAWednesday,
} from '../support/builders/workingHours';
import { seedProject } from '../support/builders/writing';
import { type Scenario, whereTimeSkips } from './scenario';

const APPROVING = { campaign: { lifecycle: { stage: 'approving' } } };
const NOTIFY = { userId: 'u-1', workspaceId: '1' };

interface Looking {
  worker?: TestWorkerOptions;
  /** Before the first look. */
  before?: (sandboxUrl: string) => Promise<void>;
  /** While the last look goes on. */
  meanwhile?: (look: WorkflowHandle, temporal: TestTemporal, sandboxUrl: string) => Promise<unknown>;
  /** Which run is kept; by default the last look. */
  kept?: (look: string, temporal: TestTemporal) => Promise<string>;
}

/** Looks as often as told, at one project that holds these data before each look. */
function looking(
  data: (object | undefined)[],
  asked: Partial<OutlookInput> = {},
  { worker = { wallClock: onAWednesday }, before: prepare, meanwhile, kept }: Looking = {},
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
        const run = temporal.client.workflow.getHandle(look);
        if (index === data.length - 1) await meanwhile?.(run, temporal, sandbox.url);
        await job.wait();
      }
      const handle = temporal.client.workflow.getHandle((await kept?.(look, temporal)) ?? look);
      await handle.result().catch(() => undefined);
      await keep(handle);
    };
    await withWorker(temporal, config, sandbox.url, work, worker);
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

/** To the task that had it write. */
async function resetAfterItLooked(look: string, temporal: TestTemporal): Promise<string> {
  const { events } = await temporal.client.workflow.getHandle(look).fetchHistory();
  const [, second] = events?.filter((event) => event.workflowTaskCompletedEventAttributes) ?? [];
  await resetRun(temporal, { workflowId: look }, { workflowTaskFinishEventId: second?.eventId });
  return look;
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

const SINCE = '2026-01-07T09:00:00.000Z';
/** A look found its board as it was long before. */
const SILENT = {
  campaign: {
    outlook: {
      ...{ weeks: [], seen: { drafts: null, activity: {} }, nudged: {} },
      boards: { 'launch-board': { digest: 'd', since: SINCE } },
    },
  },
};

const HOUR_MS = 3_600_000;
const SATURDAY = ({ day }: BerlinTime): boolean => day === 'Sat';
const THURSDAY_AT_FIVE = ({ day, hour }: BerlinTime): boolean => day === 'Thu' && hour === 17;
const WEDNESDAY_AT_NINE = ({ day, hour }: BerlinTime): boolean => day === 'Wed' && hour === 9;
const FRIDAY_AT_FIVE = ({ day, hour }: BerlinTime): boolean => day === 'Fri' && hour === 17;

interface NudgeScene {
  fault?: RuleRequest;
  timezone?: string;
  nudge?: Nudge;
}

function startNudge(
  { client }: TestTemporal,
  { taskQueue }: StarterConfig,
  {
    timezone = 'Europe/Berlin',
    ...input
  }: Pick<NudgeInput, 'nudge' | 'project' | 'week'> & { timezone?: string },
): Promise<WorkflowHandle> {
  const whole: NudgeInput = { to: NOTIFY, timezone, place: '/campaign', ...input };
  return client.workflow.start(NUDGE_WORKFLOW, {
    ...{ memo: OWN_START, workflowId: `nudge/${randomUUID()}`, taskQueue },
    args: [whole],
  });
}

/** A nudge that is asked for half an hour later, where days pass in seconds. */
const nudging = (
  when: (time: BerlinTime) => boolean,
  data: object,
  { fault, timezone, nudge = { about: 'approval' } }: NudgeScene = {},
): Scenario =>
  whereTimeSkips(async (temporal, keep) => {
    const sandbox = await startSandbox();
    const config = testConfig();
    const work = async (): Promise<void> => {
      const project = await seedProject(sandbox.url, data);
      if (fault) await addFault(sandbox.url, fault);
      const now = await temporal.now();
      await temporal.skip(hourInBerlin(now, when) + HOUR_MS / 2 - now);
      const week = nudgeWeekInBerlin(await temporal.now());
      const handle = await startNudge(temporal, config, { nudge, project, week, timezone });
      await handle.result();
      await keep(handle);
    };
    await withWorker(temporal, config, sandbox.url, work, { checkScheduledTime: false });
    await sandbox.stop();
  });

/** An hour later it is evening. */
const LATER: RuleRequest = { ...answering(429, 'notify'), match: { nth: 1 }, ms: HOUR_MS };

export const outlookScenarios: Record<string, Scenario> = {
  'outlook-written-and-nudged': looking([APPROVING], { ...NUDGING, drafts: { accounts: ['1'] } }),
  'outlook-nudged-before': looking([APPROVING, APPROVING], NUDGING),
  'outlook-nudge-planned': looking([APPROVING], NUDGING, {
    worker: { wallClock: onASaturday },
  }),
  'outlook-nudge-planned-in-the-evening': looking([APPROVING], NUDGING, {
    worker: { wallClock: onAFridayEvening },
    before: (url) => addFault(url, { ...answering(429, 'notify'), ms: HOUR_MS }),
  }),
  'outlook-nudge-terminated': looking([APPROVING], NUDGING, {
    before: notifyAnswers(429),
    meanwhile: terminateNudge,
  }),
  'outlook-without-news': looking([{}, undefined]),
  'outlook-refused': looking([{ campaign: [] }]),
  'outlook-reset-after-it-looked': looking([APPROVING], {}, { kept: resetAfterItLooked }),
  'outlook-reset-before-it-nudged': looking([APPROVING], NUDGING, { kept: resetAfterItLooked }),
  'outlook-of-no-project': looking([undefined]),
  'outlook-cancelled': looking([APPROVING], NUDGING, {
    before: (url) => addFault(url, answering(503, 'get-board')),
    meanwhile: cancelLook,
  }),
  'outlook-cancelled-while-nudging': looking([APPROVING], NUDGING, {
    before: notifyAnswers(429),
    meanwhile: async (look, temporal) => {
      await childOf(look.workflowId, temporal);
      await look.cancel();
      await look.result().catch(() => undefined);
      await terminateNudge(look, temporal);
    },
  }),
  'outlook-unanswered': looking(
    [APPROVING],
    {},
    {
      before: (url) => addFault(url, unanswered('get-board')),
      meanwhile: (run, temporal, url) => giveUpUnanswered(temporal, url, run.workflowId, 'readOutlook'),
    },
  ),
  /** For six hours, which an operator makes one second: the clock that skips time waits for whoever takes a task up. */
  async 'outlook-taken-up-by-nobody'(temporal, keep) {
    const config = testConfig();
    const decides = await Worker.create({
      connection: temporal.nativeConnection,
      taskQueue: config.taskQueue,
      workflowBundle: { codePath: shared().bundlePath },
    });
    await decides.runUntil(async () => {
      const project = { resourcetype: 'campaign', id: randomUUID() };
      const spec = { key: `recorded-${randomUUID()}`, project, boards: ['launch-board'] };
      const { workflowId } = await segueClient(temporal, config).outlooks.start(spec);
      const look = temporal.client.workflow.getHandle(workflowId);
      await eventually('its read', async () => (await look.describe()).raw.pendingActivities?.at(0));
      await temporal.client.workflowService.updateActivityOptions({
        ...{ namespace: 'default', execution: { workflowId }, type: 'readOutlook' },
        activityOptions: { scheduleToCloseTimeout: msToTs(1_000) },
        updateMask: { paths: ['schedule_to_close_timeout'] },
      });
      await expect(look.result()).rejects.toMatchObject({
        cause: { message: 'No answer came in time: no worker started the activity' },
      });
      await keep(look);
    });
  },
  nudge: looking([APPROVING], NUDGING, { kept: childOf }),
  'nudge-refused': looking([APPROVING], NUDGING, { before: notifyAnswers(400), kept: childOf }),
  'nudge-planned': nudging(SATURDAY, APPROVING),
  'nudge-planned-again': nudging(THURSDAY_AT_FIVE, APPROVING, { fault: LATER }),
  'nudge-of-a-week-that-is-over': nudging(FRIDAY_AT_FIVE, APPROVING, { fault: LATER }),
  'nudge-in-an-unknown-zone': nudging(SATURDAY, APPROVING, { timezone: 'Mars/Olympus' }),
  'nudge-not-due-any-more': nudging(SATURDAY, DECIDED),
  async 'nudge-of-which-nobody-knows'(temporal, keep) {
    const sandbox = await startSandbox();
    const config = testConfig();
    const work = async (): Promise<void> => {
      const project = await seedProject(sandbox.url, APPROVING);
      await addFault(sandbox.url, unanswered('get-project'));
      const week = nudgeWeekInBerlin(onAWednesday());
      const nudge = await startNudge(temporal, config, { nudge: { about: 'approval' }, project, week });
      await giveUpUnanswered(temporal, sandbox.url, nudge.workflowId, 'isStillDue');
      await nudge.result();
      await keep(nudge);
    };
    await withWorker(temporal, config, sandbox.url, work, { wallClock: onAWednesday });
    await sandbox.stop();
  },
  'nudge-of-a-board': nudging(WEDNESDAY_AT_NINE, SILENT, {
    nudge: { about: 'board', board: 'launch-board', since: SINCE },
  }),
};
