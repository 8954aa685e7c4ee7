/** Whom outlooks nudge, on a real Temporal server; the sandbox's ledger is the judge. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type SegueClient } from '../../../src/client';
import { type OutlookInput, type OutlookResult } from '../../../src/contract';
import { startIdleCampaign } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { newLook, outlooksOf } from '../../support/builders/outlook';
import { seed } from '../../support/service/records';
import { addFault, answering, ask, useSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, useWorker } from '../../support/servers/temporal';
import { onAFridayEvening, onASaturday, onAWednesday } from '../../support/builders/workingHours';
import { seedProject } from '../../support/builders/writing';

const temporal = useTemporal();
// What outlooks write is tested with ETags, too, in outlook.test.ts.
const sandbox = useSandbox({ etags: false });
const { outlookIn, sideEffects, lastNotification, somethingToLookAt } = outlooksOf(sandbox);

const NOTIFY = { userId: 'u-1', workspaceId: '1' };
const WAITING = { campaign: { lifecycle: { stage: 'approving' } } };

/** Called at the top of a `describe`: a worker on whose wall it is that time, and whoever has it look. */
function useOutlooks(wallClock: () => number): () => SegueClient['outlooks'] {
  const config = testConfig();
  useWorker(temporal, config, sandbox, { wallClock });
  return () => segueClient(temporal, config).outlooks;
}

/** A look, as often as it is called, at a board and a project whose approval waits. */
async function lookAtWaiting(outlooks: SegueClient['outlooks']) {
  const { board } = await somethingToLookAt();
  const project = await seedProject(sandbox.url, WAITING);
  const look = (scope?: OutlookInput['scope']) =>
    outlooks.run({ key: newLook(), project, scope, boards: [board], notify: NOTIFY });
  return { project, look };
}

describe('in working hours', () => {
  let passed = 0;
  const outlooks = useOutlooks(() => onAWednesday() + passed);

  test('P4: an outlook nudges for an approval and for a silent board, once a week, whoever looks, even at the same time', async () => {
    const { board } = await somethingToLookAt();
    const project = await seedProject(sandbox.url, { here: { lifecycle: { stage: 'approving' } } });
    const spec = { project, at: '/here', boards: [board], silentAfter: '1h', notify: NOTIFY };
    const before = await sideEffects();
    const first = await outlooks().run({ key: newLook(), ...spec });
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
    passed = 3_600_000;

    const looks = await Promise.all([1, 2, 3].map(() => outlooks().run({ key: newLook(), ...spec })));
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

    const last = await outlooks().run({ key: newLook(), ...spec });
    expect(last.info).toMatchObject({ written: false, nudges: [] });
    expect(await sideEffects()).toEqual(then);
    expect((await outlookIn(project, 'here'))?.nudged).toMatchObject({
      approval: (last.info as OutlookResult).week,
      [`board ${board}`]: (last.info as OutlookResult).week,
    });
  });

  test.each<[string, OutlookInput['scope']]>([
    ['even where the project has lost what it was told', undefined],
    ['however the workspace is named', { organization: '1' }],
  ])('P4: an outlook nudges once, %s', async (_what, scope) => {
    const { project, look } = await lookAtWaiting(outlooks());
    const before = await sideEffects();
    expect((await look()).info).toMatchObject({ nudges: [{ notified: { status: 'sent' } }] });
    await seed(sandbox.url, { projects: [{ ...project, workspace: 1, data: WAITING }] });
    expect((await look(scope)).info).toMatchObject({
      written: true,
      nudges: [{ about: 'approval', notified: { status: 'before' } }],
    });
    expect((await sideEffects()).notifications).toBe(before.notifications + 1);
  });
});

describe('a campaign that stands at its question in the project', () => {
  const outlooks = useOutlooks(onAWednesday);

  test.each<[string, boolean]>([
    ['runs', true],
    ['was terminated', false],
  ])('an outlook nudges where that still runs: one that %s', async (_what, runs) => {
    const key = `c-${randomUUID()}`;
    const campaign = await startIdleCampaign(temporal, key);
    if (!runs) await campaign.terminate('enough');
    const project = await seedProject(sandbox.url, {
      campaign: { ...WAITING.campaign, configuration: { key } },
    });
    const { info } = await outlooks().run({ key: newLook(), project, notify: NOTIFY, boards: [] });
    expect((info as OutlookResult).nudges).toMatchObject(
      runs ? [{ about: 'approval', notified: { status: 'sent' } }] : [],
    );
    if (runs) await campaign.terminate('enough');
  });
});

describe('on a Saturday', () => {
  const outlooks = useOutlooks(onASaturday);

  test('P4: an outlook plans its nudge, and does not wait for it', async () => {
    const { project, look } = await lookAtWaiting(outlooks());
    const before = await sideEffects();
    const { workflowId, info } = await look();
    const { week, nudges } = info as OutlookResult;
    expect({ week, nudges }).toMatchObject({
      week: '2026-03-02',
      nudges: [{ about: 'approval', notified: { status: 'planned' } }],
    });
    expect((await look()).info).toMatchObject({ written: false, nudges: [] });
    const nudge = await nudgeOf(workflowId);
    await eventually('its wait', async () => {
      const { events } = await nudge.fetchHistory();
      return events?.some((event) => event.timerStartedEventAttributes);
    });
    expect(await sideEffects()).toMatchObject({ notifications: before.notifications });
    expect((await outlookIn(project))?.nudged).toEqual({ approval: '2026-03-09' });
    await nudge.terminate();
  });
});

describe('on a Friday evening', () => {
  const outlooks = useOutlooks(onAFridayEvening);

  test('P4: an outlook ends with the working hours, and leaves behind a nudge that the service does not take', async () => {
    const { look } = await lookAtWaiting(outlooks());
    await addFault(sandbox.url, { ...answering(429, 'notify'), ms: 3_600_000 });
    const { workflowId, info } = await look();
    expect(info).toMatchObject({ nudges: [{ about: 'approval', notified: { status: 'planned' } }] });
    const nudge = await nudgeOf(workflowId);
    expect((await nudge.describe()).status.name).toBe('RUNNING');
    await nudge.terminate();
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
  });
});

/** The run of its first nudge. */
async function nudgeOf(look: string): Promise<WorkflowHandle> {
  const { events } = await temporal.client.workflow.getHandle(look).fetchHistory();
  const started = events?.find((event) => event.childWorkflowExecutionStartedEventAttributes);
  const { workflowId } = started?.childWorkflowExecutionStartedEventAttributes?.workflowExecution ?? {};
  return temporal.client.workflow.getHandle(workflowId ?? '');
}
