/** Nudges that wait for working hours. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type NudgeInput, NUDGE_WORKFLOW, type Nudge, type ProjectRef } from '../../../src/contract';
import { notificationsOf } from '../../support/builders/campaign';
import { OWN_START } from '../../support/builders/jobs';
import { seed } from '../../support/service/records';
import { addFault, answering, ask, useSandbox } from '../../support/service/sandbox';
import { testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';
import {
  type BerlinTime,
  hourInBerlin,
  inBerlin,
  nudgeWeekInBerlin,
} from '../../support/builders/workingHours';
import { seedProject } from '../../support/builders/writing';

const HOUR_MS = 3_600_000;
const SINCE = '2026-03-02T10:00:00.000Z';

const temporal = useTimeSkipping();
const sandbox = useSandbox();

/** What a look leaves behind: a silent board, and a question to the approver. */
function campaign(stage: string, more: { paused?: object; since?: string; key?: string } = {}) {
  const { paused = null, since = SINCE } = more;
  const boards = { b: { digest: 'x', since } };
  const outlook = { weeks: [], seen: { drafts: null, activity: {} }, boards, nudged: {} };
  const configuration = more.key === undefined ? {} : { configuration: { key: more.key } };
  return { campaign: { ...configuration, lifecycle: { stage, paused }, outlook } };
}

const APPROVAL: Nudge = { about: 'approval' };
const BOARD: Nudge = { about: 'board', board: 'b', since: SINCE };
const DONE = { status: 'notSent', reason: 'it does not wait any more' };

test.each<[string, Nudge, object, object]>([
  ['goes out then', APPROVAL, campaign('approving'), { status: 'sent' }],
  ['of a board goes out then', BOARD, campaign('producing'), { status: 'sent' }],
  ['is dropped where somebody has decided', APPROVAL, campaign('completed'), DONE],
  ['is dropped where the campaign is paused', APPROVAL, campaign('approving', { paused: {} }), DONE],
  [
    'is dropped where the campaign does not run any more',
    APPROVAL,
    campaign('approving', { key: `c-${randomUUID()}` }),
    DONE,
  ],
  [
    'of a board that has moved is dropped',
    BOARD,
    campaign('producing', { since: '2026-03-08T10:00:00.000Z' }),
    DONE,
  ],
  [
    'of a board that nobody looks at any more is dropped',
    { ...BOARD, board: 'c' },
    campaign('producing'),
    DONE,
  ],
])('a nudge that waits for working hours %s', async (_what, nudge, data, outcome) => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  const project = await seedProject(sandbox.url, campaign('approving'));
  const work = async (start: Start): Promise<void> => {
    await untilHour(({ day }) => day === 'Sat');
    const handle = await start(nudge, project);
    // Meanwhile.
    await seed(sandbox.url, { projects: [{ ...project, workspace: 1, data }] });
    expect(await handle.result()).toEqual(outcome);
    expect(await endOf(handle)).toMatchObject({ day: 'Mon', hour: 9 });
  };
  await withNudges(work);
  expect(await notificationsOf(sandbox.url)).toHaveLength(outcome === DONE ? 0 : 1);
});

test('a nudge that the service does not take before the evening goes out the next morning', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  const project = await seedProject(sandbox.url, campaign('approving'));
  await addFault(sandbox.url, { ...answering(429, 'notify'), ms: HOUR_MS, match: { nth: 1 } });
  await withNudges(async (start) => {
    await untilHour(({ day, hour }) => day === 'Wed' && hour === 17);
    // Half past five, and half past six with what the service asks for.
    await temporal.skip(HOUR_MS / 2);
    const handle = await start(APPROVAL, project);
    expect(await handle.result()).toEqual({ status: 'sent' });
    expect(await endOf(handle)).toMatchObject({ day: 'Thu', hour: 9 });
  });
  expect(await notificationsOf(sandbox.url)).toHaveLength(1);
});

test('a nudge that the service does not take before its week is over is dropped', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  const project = await seedProject(sandbox.url, campaign('approving'));
  await addFault(sandbox.url, { ...answering(429, 'notify'), ms: HOUR_MS, match: { nth: 1 } });
  await withNudges(async (start) => {
    await untilHour(({ day, hour }) => day === 'Fri' && hour === 17);
    await temporal.skip(HOUR_MS / 2);
    const handle = await start(APPROVAL, project);
    expect(await handle.result()).toEqual({
      status: 'notSent',
      reason: 'its week is over; the next look nudges, if it still waits',
    });
    expect(await endOf(handle)).toMatchObject({ day: 'Mon', hour: 9 });
  });
  expect(await notificationsOf(sandbox.url)).toEqual([]);
});

test('a nudge is dropped where nobody can tell whether it is due', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  const project = await seedProject(sandbox.url, campaign('approving'));
  await addFault(sandbox.url, answering(404, 'get-project'));
  await withNudges(async (start) => {
    const handle = await start(APPROVAL, project);
    expect(await handle.result()).toMatchObject({
      status: 'notSent',
      reason: expect.stringMatching(/^nobody knows whether it still waits: get project: status 404/),
    });
  });
  expect(await notificationsOf(sandbox.url)).toEqual([]);
});

type Start = (nudge: Nudge, project: ProjectRef) => Promise<WorkflowHandle>;

function withNudges(work: (start: Start) => Promise<void>): Promise<void> {
  const config = testConfig();
  const start: Start = async (nudge, project) => {
    const week = nudgeWeekInBerlin(await temporal.now());
    const where = { timezone: 'Europe/Berlin', place: '/campaign' };
    const to = { userId: 'u-1', workspaceId: '1' };
    const input: NudgeInput = { to, nudge, project, week, ...where };
    return temporal.client.workflow.start(NUDGE_WORKFLOW, {
      ...{ memo: OWN_START, workflowId: `nudge/${randomUUID()}`, taskQueue: config.taskQueue },
      args: [input],
    });
  };
  return withWorker(temporal, config, sandbox.url, () => work(start), { checkScheduledTime: false });
}

async function untilHour(wanted: (time: BerlinTime) => boolean): Promise<void> {
  const now = await temporal.now();
  await temporal.skip(hourInBerlin(now, wanted) - now);
}

async function endOf(handle: WorkflowHandle): Promise<BerlinTime> {
  const { closeTime } = await handle.describe();
  return inBerlin(closeTime ?? new Date(0));
}
