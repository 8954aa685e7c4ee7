/** Outlooks on a real Temporal server, against the sandbox over real sockets; its ledger is the judge. */
import { randomUUID } from 'node:crypto';
import { type OutlookInput, type OutlookResult } from '../../../src/contract';
import { InvalidInput, KeyReused } from '../../../src/errors';
import { outlookWorkflowId } from '../../../src/contract/ids';
import { eventually } from '../../support/eventually';
import { asReport, OWN_START } from '../../support/builders/jobs';
import { newLook, outlooksOf } from '../../support/builders/outlook';
import { resetRun } from '../../support/servers/reset';
import { addFault, answering, useSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { onAWednesday } from '../../support/builders/workingHours';
import { KEPT, readProject, removeFaults, seedProject } from '../../support/builders/writing';

const temporal = useTemporal();

const NOTIFY = { userId: 'u-1', workspaceId: '1' };

describe.each([true, false])('an outlook that is written, with ETags: %s', (etags) => {
  const sandbox = useSandbox({ etags });
  const { outlookIn, sideEffects, somethingToLookAt } = outlooksOf(sandbox);

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
      const first = await outlooks.run({ key: newLook(), ...spec });
      expect(first).toMatchObject({ status: 'succeeded', info: { written: true, nudges: [], remarks: [] } });
      const seen = await outlookIn(project);
      expect(seen).toMatchObject({ timezone: 'Europe/Berlin', weeks: [{ drafts: { total: 12, new: 0 } }] });

      // The same key, and another one in the same week.
      const again = await outlooks.run({ key: first.key, ...spec });
      expect(again).toMatchObject({ runId: first.runId, existing: true });
      const second = await outlooks.run({ key: newLook(), ...spec });
      expect(second).toMatchObject({ status: 'succeeded', info: { written: false } });
      expect(await outlookIn(project)).toEqual(seen);
      expect((await sideEffects()).patches - before.patches).toBe(1);

      await put(14, ['created', 'commented', 'commented'], 'Launch in spring');
      const third = await outlooks.run({ key: newLook(), ...spec });
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
      await outlooks.run({ key: newLook(), ...spec });
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

  test('P3: a look that is reset to where it had looked writes nothing over a later one', async () => {
    const { account, task, board, put } = await somethingToLookAt();
    const project = await seedProject(sandbox.url);
    const spec = { project, drafts: { accounts: [account] }, activity: [task], boards: [board] };
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { outlooks } = segueClient(temporal, config);
      const { workflowId } = await outlooks.run({ key: newLook(), ...spec });
      await put(14, ['created', 'commented'], 'Launch in spring');
      await outlooks.run({ key: newLook(), ...spec });
      const seen = await outlookIn(project);
      const look = temporal.client.workflow.getHandle(workflowId);
      const { events } = await look.fetchHistory();
      // The first task has it look, the second has it write.
      const [, second] = events?.filter((event) => event.workflowTaskCompletedEventAttributes) ?? [];
      await resetRun(temporal, { workflowId }, { workflowTaskFinishEventId: second?.eventId });
      await expect(look.result()).rejects.toMatchObject({
        cause: { message: expect.stringContaining('the run was reset after it had seen') },
      });
      expect(await outlookIn(project)).toEqual(seen);
    });
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
      const report = await segueClient(temporal, config).outlooks.run({ key: newLook(), ...spec });
      const remarks = ['task no-task is not there', 'board no-board is not there'];
      expect(report.info).toMatchObject({ written: true, remarks });
      expect(await outlookIn(project)).toMatchObject({ remarks, boards: { [board]: {} } });
    });
  });
});

describe('an outlook', () => {
  const sandbox = useSandbox();
  const { sideEffects, somethingToLookAt } = outlooksOf(sandbox);

  test('P4: a look that is reset before it nudged does so, once, though its outlook says that it did', async () => {
    const { board } = await somethingToLookAt();
    const project = await seedProject(sandbox.url, { campaign: { lifecycle: { stage: 'approving' } } });
    const config = testConfig();
    const work = async (): Promise<void> => {
      const { outlooks } = segueClient(temporal, config);
      const before = await sideEffects();
      await addFault(sandbox.url, answering(503, 'update-project'));
      const look = await outlooks.start({ key: newLook(), project, boards: [board], notify: NOTIFY });
      const handle = temporal.client.workflow.getHandle(look.workflowId);
      const asked = await eventually('that it writes', async () => {
        const { events } = await handle.fetchHistory();
        const [, second] = events?.filter((event) => event.workflowTaskCompletedEventAttributes) ?? [];
        return second?.eventId;
      });
      for (let times = 0; times < 2; times++) {
        await resetRun(temporal, handle, { workflowTaskFinishEventId: asked });
        await expect(handle.result()).rejects.toMatchObject({
          cause: { message: expect.stringContaining('the run was reset after it had seen') },
        });
      }
      expect((await sideEffects()).notifications).toBe(before.notifications + 1);
      await removeFaults(sandbox.url);
    };
    await withWorker(temporal, config, sandbox.url, work, { wallClock: onAWednesday });
  });

  test('fails in words, and nudges nobody, where the project cannot be read or written', async () => {
    const { board } = await somethingToLookAt();
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { outlooks } = segueClient(temporal, config);
      const before = await sideEffects();
      const spec = { boards: [board], notify: NOTIFY };
      const nowhere = { resourcetype: 'campaign', id: randomUUID() };
      const first = outlooks.run({ key: newLook(), project: nowhere, ...spec });
      expect(await first.catch(asReport)).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/^get project: status 404/),
      });
      const list = await seedProject(sandbox.url, { campaign: [] });
      const second = outlooks.run({ key: newLook(), project: list, ...spec });
      expect(await second.catch(asReport)).toMatchObject({
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
    const spec: OutlookInput = { key: newLook(), project, boards: [board] };
    await withWorker(temporal, config, sandbox.url, async () => {
      const { outlooks } = segueClient(temporal, config);
      await outlooks.run(spec);
      await expect(outlooks.start({ ...spec, weeks: 4 })).rejects.toThrow(KeyReused);
      const start = (workflowId: string, input: unknown, workflow = 'outlook') =>
        temporal.client.workflow.execute(workflow, {
          workflowId,
          taskQueue: config.taskQueue,
          memo: OWN_START,
          args: [input],
        });
      await expect(start(`outlook/other-${randomUUID()}`, spec)).rejects.toMatchObject({
        cause: { type: 'UnsafeStart', message: expect.stringContaining('its key gives outlook/') },
      });
      const bad = { key: newLook(), project: {}, weeks: 0, silentAfter: 14, wrong: 1 };
      await expect(start(outlookWorkflowId(bad.key), bad)).rejects.toMatchObject({
        cause: { type: 'BadInput' },
      });
      const nowhere = { to: NOTIFY, nudge: { about: 'approval' }, project, week: 'w', timezone: 'UTC' };
      for (const unfit of [null, { to: { userId: 'u' }, nudge: { about: 'board' }, project: {} }, nowhere])
        await expect(start(`nudge/${randomUUID()}`, unfit, 'nudge')).rejects.toMatchObject({
          cause: { type: 'BadInput' },
        });
      const problems = await outlooks.start(bad as never).catch((error: unknown) => error);
      expect(problems).toBeInstanceOf(InvalidInput);
      expect((problems as InvalidInput).problems).toEqual([
        'wrong: is not known here',
        'project.resourcetype: is required',
        'project.id: is required',
        expect.stringContaining('weeks: must be'),
        expect.stringContaining('silentAfter: must be'),
        expect.stringContaining('nothing to look at'),
      ]);
    });
  });
});
