/** Nudges that wait for working hours. */
import { randomUUID } from 'node:crypto';
import { type NudgeInput, NUDGE_WORKFLOW, type Nudge } from '../../src/contract';
import { notificationsOf } from '../support/campaign';
import { seed } from '../support/records';
import { addFault, answering, ask, useSandbox } from '../support/sandbox';
import { testConfig, useTimeSkipping, withWorker } from '../support/temporal';
import { seedProject } from '../support/writing';

const DAY_MS = 86_400_000;
const SINCE = '2026-03-02T10:00:00.000Z';

const temporal = useTimeSkipping();
const sandbox = useSandbox();

/** What a look leaves behind: a silent board, and a question to the approver. */
function campaign(stage: string, more: { paused?: object; since?: string } = {}) {
  const { paused = null, since = SINCE } = more;
  const boards = { b: { digest: 'x', since } };
  const outlook = { weeks: [], seen: { drafts: null, activity: {} }, boards, nudged: {} };
  return { campaign: { lifecycle: { stage, paused }, outlook } };
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
  const config = testConfig();
  const work = async (): Promise<void> => {
    const at = new Date(Date.now() + 365 * DAY_MS).toISOString();
    const to = { userId: 'u-1', workspaceId: '1' };
    const input: NudgeInput = {
      ...{ to, nudge, project, week: '2026-03-09' },
      later: { at, place: '/campaign' },
    };
    const handle = await temporal.client.workflow.start(NUDGE_WORKFLOW, {
      workflowId: `nudge/${randomUUID()}`,
      taskQueue: config.taskQueue,
      args: [input],
    });
    // Meanwhile.
    await seed(sandbox.url, { projects: [{ ...project, workspace: 1, data }] });
    expect(await handle.result()).toEqual(outcome);
    const { closeTime } = await handle.describe();
    expect(closeTime?.getTime()).toBeGreaterThanOrEqual(Date.parse(at));
  };
  await withWorker(temporal, config, sandbox.url, work, { checkScheduledTime: false });
  expect(await notificationsOf(sandbox.url)).toHaveLength(outcome === DONE ? 0 : 1);
});

test('a nudge is dropped where nobody can tell whether it is due', async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
  const project = await seedProject(sandbox.url, campaign('approving'));
  await addFault(sandbox.url, answering(404, 'get-project'));
  const config = testConfig();
  const work = async (): Promise<void> => {
    const later = { at: new Date().toISOString(), place: '/campaign' };
    const input: NudgeInput = {
      ...{ to: { userId: 'u-1', workspaceId: '1' }, nudge: APPROVAL, project, week: '2026-03-09' },
      later,
    };
    const outcome: unknown = await temporal.client.workflow.execute(NUDGE_WORKFLOW, {
      workflowId: `nudge/${randomUUID()}`,
      taskQueue: config.taskQueue,
      args: [input],
    });
    expect(outcome).toMatchObject({
      status: 'notSent',
      reason: expect.stringMatching(/^nobody knows whether it still waits: get project: status 404/),
    });
  };
  await withWorker(temporal, config, sandbox.url, work, { checkScheduledTime: false });
  expect(await notificationsOf(sandbox.url)).toEqual([]);
});
