/** Outlooks on a real Temporal server, against the sandbox over real sockets; its ledger is the judge. */
import { randomUUID } from 'node:crypto';
import { type Outlook, type OutlookInput, type OutlookResult, type ProjectRef } from '../../src/contract';
import { InvalidInputError, KeyReusedError } from '../../src/errors';
import { outlookWorkflowId } from '../../src/ids';
import { type SentNotification } from '../../src/sandbox/state';
import { eventually } from '../support/eventually';
import { seed } from '../support/records';
import { ask, readLedger, useSandbox } from '../support/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../support/temporal';
import { KEPT, readProject, seedProject } from '../support/writing';

const temporal = useTemporal();
const sandbox = useSandbox();

const NOTIFY = { userId: 'u-1', workspaceId: '1' };
/** Nudges keep working hours, so that a look has a time of its own; from then on it passes. */
function since(time: string): () => number {
  const begun = Date.now();
  return () => Date.parse(time) + Date.now() - begun;
}
const ON_A_WEDNESDAY = since('2026-03-04T10:00:00Z');
const ON_A_SATURDAY = since('2026-03-07T10:00:00Z');

const newKey = (): string => `look-${randomUUID()}`;

function outlookIn(project: ProjectRef, place = 'campaign'): Promise<Outlook | undefined> {
  return readProject(sandbox.url, project).then(
    ({ data }) => (data[place] as { outlook?: Outlook } | undefined)?.outlook,
  );
}

/** What the service was made to do so far. */
async function sideEffects(): Promise<{
  patches: number;
  notifications: number;
  duplicates: number;
  lost: number;
}> {
  const { summary } = await readLedger(sandbox.url);
  const { patches, notifications, duplicateNotifications: duplicates, lostKeys: lost } = summary;
  return { patches, notifications, duplicates, lost };
}

async function lastNotification(): Promise<SentNotification | undefined> {
  const { json } = await ask(sandbox.url, 'GET /_sandbox/notifications');
  return (json.notifications as SentNotification[]).at(-1);
}

/** Things of the sandbox that one test has for itself. */
async function somethingToLookAt() {
  const id = randomUUID();
  const names = { account: `a-${id}`, task: `t-${id}`, board: `b-${id}` };
  const boardId = randomUUID();
  const put = (drafts: number, verbs: string[], board: string): Promise<void> =>
    seed(sandbox.url, {
      drafts: Array.from({ length: drafts }, (_, n) => ({
        ...{ id: `${id}-${n}`, workspace: 1, account_id: names.account, content: 'Spring' },
        ...{ created_at: '2026-03-01T09:00:00Z', updated_at: '2026-03-01T09:00:00Z' },
      })),
      boardTasks: [
        {
          ...{ id: names.task, workspace: 1 },
          activity: verbs.map((verb, n) => ({ verb, actor: 1, timestamp: `2026-03-01T09:00:0${n}Z` })),
        },
      ],
      boards: [{ id: boardId, slug: names.board, workspace: 1, name: board, creator: 1, modifier: 1 }],
    });
  await put(12, ['created'], 'Launch');
  return { ...names, put };
}

describe('an outlook', () => {
  test('P3: writes what is news, keeps what is not its own, and writes nothing without news', async () => {
    const { account, task, board, put } = await somethingToLookAt();
    const project = await seedProject(sandbox.url, {
      ...KEPT,
      campaign: { lifecycle: { stage: 'producing' } },
    });
    const spec = { project, drafts: { accounts: [account] }, activity: [task], boards: [board] };
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { outlooks } = segueClient(temporal, config);
      const before = await sideEffects();
      const first = await outlooks.run({ key: newKey(), ...spec });
      expect(first).toMatchObject({ status: 'succeeded', info: { written: true, nudges: [], remarks: [] } });
      const seen = await outlookIn(project);
      expect(seen).toMatchObject({ timezone: 'Europe/Berlin', weeks: [{ drafts: { total: 12, new: 0 } }] });

      // The same key, and another one in the same week.
      const again = await outlooks.run({ key: first.key, ...spec });
      expect(again).toMatchObject({ runId: first.runId, existing: true });
      const second = await outlooks.run({ key: newKey(), ...spec });
      expect(second).toMatchObject({ status: 'succeeded', info: { written: false } });
      expect(await outlookIn(project)).toEqual(seen);
      expect((await sideEffects()).patches - before.patches).toBe(1);

      await put(14, ['created', 'commented', 'commented'], 'Launch in spring');
      const third = await outlooks.run({ key: newKey(), ...spec });
      expect(third.info).toMatchObject({ written: true });
      expect((await outlookIn(project))?.weeks).toEqual([
        {
          week: (third.info as OutlookResult).week,
          drafts: { total: 14, new: 2, gone: 0 },
          activity: { total: 3, new: 2, verbs: { commented: 2 } },
          tasks: { [task]: 2 },
          boards: [board],
          changes: ['2 more drafts', 'commented: 2', `board ${board} changed`, `task ${task}: 2 new entries`],
        },
      ]);
      await outlooks.run({ key: newKey(), ...spec });
      const after = await sideEffects();
      expect(after).toMatchObject({
        patches: before.patches + 2,
        notifications: before.notifications,
        lost: 0,
      });
      const { data } = await readProject(sandbox.url, project);
      expect(data).toMatchObject({ ...KEPT, campaign: { lifecycle: { stage: 'producing' } } });
    });
  });

  test('P4: nudges for an approval and for a silent board, once a week, whoever looks, even at the same time', async () => {
    const { board } = await somethingToLookAt();
    const project = await seedProject(sandbox.url, { here: { lifecycle: { stage: 'approving' } } });
    const spec = { project, at: '/here', boards: [board], silentAfter: '1s', notify: NOTIFY };
    const config = testConfig();
    await withWorker(
      temporal,
      config,
      sandbox.url,
      async () => {
        const { outlooks } = segueClient(temporal, config);
        const before = await sideEffects();
        const first = await outlooks.run({ key: newKey(), ...spec });
        expect(first.info).toMatchObject({ nudges: [{ about: 'approval', notified: { status: 'sent' } }] });
        expect(await lastNotification()).toMatchObject({
          request: {
            ...NOTIFY,
            category: 'agentNudge',
            title: 'An approval is waiting',
            _extra: { event_type: 'outlook.nudge', agent: 'segue', subject: 'approval' },
          },
          remarks: [],
        });
        await new Promise((resolve) => setTimeout(resolve, 1_100));

        const looks = await Promise.all([1, 2, 3].map(() => outlooks.run({ key: newKey(), ...spec })));
        const told = looks.flatMap(({ info }) => (info as OutlookResult).nudges);
        expect(told.filter(({ notified }) => notified.status === 'sent')).toMatchObject([
          { about: 'board', board },
        ]);
        expect(told.every(({ about }) => about === 'board')).toBe(true);
        expect(await lastNotification()).toMatchObject({
          request: { message: expect.stringContaining(`Board ${board}`) },
          remarks: [],
        });
        const then = await sideEffects();
        expect(then).toMatchObject({
          notifications: before.notifications + 2,
          duplicates: before.duplicates,
        });

        const last = await outlooks.run({ key: newKey(), ...spec });
        expect(last.info).toMatchObject({ written: false, nudges: [] });
        expect(await sideEffects()).toEqual(then);
        expect((await outlookIn(project, 'here'))?.nudged).toMatchObject({
          approval: (last.info as OutlookResult).week,
          [`board ${board}`]: (last.info as OutlookResult).week,
        });
      },
      { now: ON_A_WEDNESDAY },
    );
  });

  test('P4: nudges once even where the project has lost what it was told', async () => {
    const { board } = await somethingToLookAt();
    const data = { campaign: { lifecycle: { stage: 'approving' } } };
    const project = await seedProject(sandbox.url, data);
    const config = testConfig();
    await withWorker(
      temporal,
      config,
      sandbox.url,
      async () => {
        const { outlooks } = segueClient(temporal, config);
        const look = () => outlooks.run({ key: newKey(), project, boards: [board], notify: NOTIFY });
        const before = await sideEffects();
        expect((await look()).info).toMatchObject({ nudges: [{ notified: { status: 'sent' } }] });
        await seed(sandbox.url, { projects: [{ ...project, workspace: 1, data }] });
        expect((await look()).info).toMatchObject({
          written: true,
          nudges: [{ about: 'approval', notified: { status: 'before' } }],
        });
        expect((await sideEffects()).notifications).toBe(before.notifications + 1);
      },
      { now: ON_A_WEDNESDAY },
    );
  });

  test('P4: nudges once, however the workspace is named', async () => {
    const { board } = await somethingToLookAt();
    const data = { campaign: { lifecycle: { stage: 'approving' } } };
    const project = await seedProject(sandbox.url, data);
    const config = testConfig();
    const work = async (): Promise<void> => {
      const { outlooks } = segueClient(temporal, config);
      const look = (scope?: OutlookInput['scope']) =>
        outlooks.run({ key: newKey(), project, scope, boards: [board], notify: NOTIFY });
      const before = await sideEffects();
      expect((await look()).info).toMatchObject({ nudges: [{ notified: { status: 'sent' } }] });
      await seed(sandbox.url, { projects: [{ ...project, workspace: 1, data }] });
      expect((await look({ organization: '1' })).info).toMatchObject({
        nudges: [{ notified: { status: 'before' } }],
      });
      expect((await sideEffects()).notifications).toBe(before.notifications + 1);
    };
    await withWorker(temporal, config, sandbox.url, work, { now: ON_A_WEDNESDAY });
  });

  test('P4: outside working hours plans its nudge, and does not wait for it', async () => {
    const { board } = await somethingToLookAt();
    const project = await seedProject(sandbox.url, { campaign: { lifecycle: { stage: 'approving' } } });
    const config = testConfig();
    const work = async (): Promise<void> => {
      const { outlooks } = segueClient(temporal, config);
      const look = () => outlooks.run({ key: newKey(), project, boards: [board], notify: NOTIFY });
      const before = await sideEffects();
      // Nine o'clock in Berlin, on Monday.
      const notified = { status: 'planned', at: '2026-03-09T08:00:00.000Z' };
      expect((await look()).info).toMatchObject({
        week: '2026-03-02',
        nudges: [{ about: 'approval', notified }],
      });
      expect((await look()).info).toMatchObject({ written: false, nudges: [] });
      // By the server's clock that Monday is long past.
      await eventually('the nudge', async () => {
        const { notifications } = await sideEffects();
        return notifications === before.notifications + 1;
      });
      expect((await outlookIn(project))?.nudged).toEqual({ approval: '2026-03-09' });
    };
    await withWorker(temporal, config, sandbox.url, work, { now: ON_A_SATURDAY });
  });

  test('what the service does not know is remarked, and the rest is looked at', async () => {
    const { account, board } = await somethingToLookAt();
    const project = await seedProject(sandbox.url);
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const spec = {
        project,
        drafts: { accounts: [account] },
        activity: ['no-task'],
        boards: [board, 'no-board'],
      };
      const report = await segueClient(temporal, config).outlooks.run({ key: newKey(), ...spec });
      const remarks = ['task no-task is not there', 'board no-board is not there'];
      expect(report.info).toMatchObject({ written: true, remarks });
      expect(await outlookIn(project)).toMatchObject({ remarks, boards: { [board]: {} } });
    });
  });

  test('fails in words, and nudges nobody, where the project cannot be read or written', async () => {
    const { board } = await somethingToLookAt();
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { outlooks } = segueClient(temporal, config);
      const before = await sideEffects();
      const spec = { boards: [board], notify: NOTIFY };
      const nowhere = { resourcetype: 'campaign', id: randomUUID() };
      expect(await outlooks.run({ key: newKey(), project: nowhere, ...spec })).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/^Nothing could be looked at: get project: status 404/),
      });
      const list = await seedProject(sandbox.url, { campaign: [] });
      expect(await outlooks.run({ key: newKey(), project: list, ...spec })).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/^The project did not take the outlook.* \/campaign is a list/),
      });
      expect(await sideEffects()).toEqual(before);
    });
  });

  test('a key is one look: another ask is refused, and so is an id that is not its own', async () => {
    const { board } = await somethingToLookAt();
    const project = await seedProject(sandbox.url);
    const config = testConfig();
    const spec: OutlookInput = { key: newKey(), project, boards: [board] };
    await withWorker(temporal, config, sandbox.url, async () => {
      const { outlooks } = segueClient(temporal, config);
      await outlooks.run(spec);
      await expect(outlooks.start({ ...spec, weeks: 4 })).rejects.toThrow(KeyReusedError);
      const start = (workflowId: string, input: unknown, workflow = 'outlook') =>
        temporal.client.workflow.execute(workflow, {
          workflowId,
          taskQueue: config.taskQueue,
          args: [input],
        });
      await expect(start(`outlook/other-${randomUUID()}`, spec)).rejects.toMatchObject({
        cause: { type: 'UnsafeStart' },
      });
      const bad = { key: newKey(), project: {}, weeks: 0, silentAfter: 14, wrong: 1 };
      await expect(start(outlookWorkflowId(bad.key), bad)).rejects.toMatchObject({
        cause: { type: 'BadInput' },
      });
      const later = { to: NOTIFY, nudge: { about: 'approval' }, project, week: 'w', later: { at: 'soon' } };
      for (const unfit of [null, { to: { userId: 'u' }, nudge: { about: 'board' }, project: {} }, later])
        await expect(start(`nudge/${randomUUID()}`, unfit, 'nudge')).rejects.toMatchObject({
          cause: { type: 'BadInput' },
        });
      const problems = await outlooks.start(bad as never).catch((error: unknown) => error);
      expect(problems).toBeInstanceOf(InvalidInputError);
      expect((problems as InvalidInputError).problems).toEqual([
        'wrong: is no part of an outlook',
        'project: must be { resourcetype, id }',
        expect.stringContaining('nothing to look at'),
        expect.stringContaining('weeks: must be'),
        expect.stringContaining('silentAfter: must be'),
      ]);
    });
  });
});
