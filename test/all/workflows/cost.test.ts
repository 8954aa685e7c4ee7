/** What runs cost in events and billable actions; docs/cost.md says how much, and must stay true. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type History } from '@temporalio/common/lib/proto-utils';
import { type SegueClient } from '../../../src/client';
import {
  DEFAULT_CAMPAIGN_AT,
  MEDIA_REQUEST_WORKFLOW,
  type OutlookResult,
  RUN_REQUEST_WORKFLOW,
  WORKSPACE_CLOCK_WORKFLOW,
} from '../../../src/contract';
import {
  batchPartWorkflowId,
  batchWorkflowId,
  nudgeWorkflowId,
  projectWriterId,
  shardOf,
  workspaceClockWorkflowId,
} from '../../../src/contract/ids';
import { batchOf, cutouts } from '../../support/builders/batch';
import { cutout, newCampaign, startCampaign } from '../../support/builders/campaign';
import { useCommandLine } from '../../support/servers/commandLine';
import { seedRecord, seedTranscription, SANDBOX_PLACES } from '../../support/service/records';
import { addFault, ask, readLedger } from '../../support/service/sandbox';
import { endedOf, NEVER_BY_ITSELF, useSchedules } from '../../support/builders/schedules';
import { segueClient } from '../../support/servers/temporal';
import { onAWednesday } from '../../support/builders/workingHours';
import { seedProject } from '../../support/builders/writing';
import { asReport } from '../../support/builders/jobs';

/** Of the service's tasks; each test says after how many polls they are over. */
const pace = { kind: 'polls' as const, polls: 1 };
const { temporal, config, sandbox } = useCommandLine({
  pace,
  layout: SANDBOX_PLACES,
  wallClock: onAWednesday,
});
const client = (): SegueClient => segueClient(temporal, config);
const { newName, until } = useSchedules(client);

beforeEach(async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
});

interface Cost {
  events: number;
  actions: number;
}

/** The rows of the table, by their first cell. */
const documented = new Map<string, Cost>(
  [
    ...readFileSync(path.resolve(__dirname, '../../../docs/cost.md'), 'utf8').matchAll(
      /^\| (`.*?) +\| +(\d+) \| +(\d+) \|$/gm,
    ),
  ].map(([, run = '', events, actions]) => [
    run.trim(),
    { events: Number(events), actions: Number(actions) },
  ]),
);

function costOf(history: History): Cost {
  const events = history.events ?? [];
  // The first attempt of an activity is its being scheduled; the server writes down which one was the last.
  const laterAttempts = events.reduce(
    (sum, { activityTaskStartedEventAttributes: started }) => sum + Math.max((started?.attempt ?? 1) - 1, 0),
    0,
  );
  const billable = events.filter(
    (event) =>
      event.workflowExecutionStartedEventAttributes ??
      event.timerStartedEventAttributes ??
      event.activityTaskScheduledEventAttributes ??
      event.upsertWorkflowSearchAttributesEventAttributes ??
      event.workflowExecutionSignaledEventAttributes ??
      event.startChildWorkflowExecutionInitiatedEventAttributes ??
      event.signalExternalWorkflowExecutionInitiatedEventAttributes ??
      event.workflowExecutionUpdateAcceptedEventAttributes,
  );
  return { events: events.length, actions: billable.length + laterAttempts };
}

/** Scheduled, started, completed. */
const EVENTS_OF_A_TASK = 3;

async function historyCost(workflowId: string): Promise<Cost> {
  return costOf(await temporal.client.workflow.getHandle(workflowId).fetchHistory());
}

/** A signal and a result may come in one workflow task or in two, and a campaign may save two changes at once or not. */
const TOLERATED = { usual: { tasks: 2, actions: 0 }, campaign: { tasks: 25, actions: 25 } };

function expectWithin(run: string, cost: Cost, tolerated = TOLERATED.usual): void {
  const most = documented.get(run);
  if (!most) throw new Error(`docs/cost.md has no row ${run}`);
  const more = { events: tolerated.tasks * EVENTS_OF_A_TASK, actions: tolerated.actions };
  for (const unit of ['events', 'actions'] as const) {
    const isTrue = cost[unit] <= most[unit] + more[unit] && cost[unit] >= most[unit] * 0.8;
    expect([run, unit, cost[unit], isTrue]).toEqual([run, unit, cost[unit], true]);
  }
}

async function run(
  polls: number,
  more: object,
  { seed, decide }: { seed?: unknown; decide?: (key: string) => Promise<void> } = {},
): Promise<string> {
  pace.polls = polls;
  if (seed) await ask(sandbox.url, 'POST /_sandbox/seed', { body: seed });
  const key = `cost-${randomUUID()}`;
  if (decide)
    await addFault(sandbox.url, {
      operation: 'remove-background',
      match: { nth: 1 },
      fault: 'reset',
      when: 'after',
    });
  const { media } = client();
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  const spec = { key, tool: 'remove-background', request, ...more };
  const report = await media.run(spec).catch(asReport);
  expect(report.status).toBe(decide ? 'held' : 'succeeded');
  await decide?.(key);
  expect(await (await media.get(key)).wait()).toMatchObject({ status: 'succeeded' });
  return `media/${key}`;
}

test('a job with 16 polls stays within 200 events and 40 actions', async () => {
  const cost = await historyCost(await run(16, {}));
  expect(cost.events).toBeLessThanOrEqual(200);
  expect(cost.actions).toBeLessThanOrEqual(40);
  expectWithin('`media`, 16 polls', cost);
});

test('a job that writes and notifies, and the writer of its project', async () => {
  const project = { resourcetype: 'document', id: randomUUID() };
  const seed = {
    workspaces: [{ id: 1, name: 'One', slug: 'one' }],
    projects: [{ ...project, workspace: 1, data: {} }],
  };
  const more = { write: { project, at: '/a' }, notify: { userId: 'u', workspaceId: '1' } };
  const workflowId = await run(16, { ...more, scope: { organization: '1' } }, { seed });
  expectWithin('`media`, 16 polls, result written, user notified', await historyCost(workflowId));
  expectWithin(
    '`projectWriter`, one change',
    await historyCost(projectWriterId(sandbox.workspace, shardOf(project))),
  );
});

test('a job that was held and adopted', async () => {
  const workflowId = await run(
    1,
    {},
    {
      decide: async (key) => {
        const { entries } = await readLedger(sandbox.url);
        const taskId = entries.find(({ kind }) => kind === 'submit')?.taskId ?? '';
        const held = await client().media.get(key);
        await held.resolve({ action: 'adopt', taskId, by: 'a test', reason: 'it is there' });
      },
    },
  );
  expectWithin('`media`, held, adopted, 1 poll', await historyCost(workflowId));
  expect((await ask(sandbox.url, 'GET /_sandbox/notifications')).json.notifications).toEqual([]);
});

test.each([
  [MEDIA_REQUEST_WORKFLOW, (spec: object) => spec],
  [RUN_REQUEST_WORKFLOW, (spec: object) => ({ kind: 'media', spec })],
])('%s for a job that is new', async (workflow, inputOf) => {
  pace.polls = 2;
  const workflowId = `request-${randomUUID()}`;
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  const input = { key: `cost-${randomUUID()}`, tool: 'remove-background', request, poll: config.poll };
  const asked = { workflowId, taskQueue: config.taskQueue, args: [inputOf(input)] };
  const result: unknown = await temporal.client.workflow.execute(workflow, asked);
  expect(result).toMatchObject({ status: 'succeeded' });
  expectWithin(`\`${workflow}\`, of a job that was new`, await historyCost(workflowId));
});

test('a transcript that is written and told, and a wait', async () => {
  const project = { resourcetype: 'document', id: randomUUID() };
  const projects = [{ ...project, workspace: 1, data: {} }];
  await ask(sandbox.url, 'POST /_sandbox/seed', { body: { projects } });
  const transcriptionId = await seedTranscription(sandbox.url, { pace: 'polls=16' });
  const assetId = await seedRecord(sandbox.url, 'asset', [...Array.from({ length: 15 }, () => 1), 4]);
  const { transcripts, records } = client();
  const [transcript, wait] = await Promise.all([
    transcripts.run({
      transcriptionId,
      scope: { organization: '1' },
      write: { project, at: '/a' },
      notify: { userId: 'u', workspaceId: '1' },
    }),
    records.run({ kind: 'asset', id: assetId }),
  ]);
  expect([transcript.status, wait.status]).toEqual(['succeeded', 'succeeded']);
  expectWithin('`transcript`, 16 polls, written, user notified', await historyCost(transcript.workflowId));
  expectWithin('`record`, 16 polls', await historyCost(wait.workflowId));
});

test('a campaign of two jobs that somebody approves', async () => {
  pace.polls = 1;
  const spec = await newCampaign(sandbox.url, {
    notify: { userId: 'u', workspaceId: '1' },
    media: {
      cutout: cutout(sandbox.url),
      poster: { tool: 'remove-background', request: { image_url: { from: 'cutout', at: '/images/0/url' } } },
    },
    approval: { from: 'u' },
  });
  const campaign = await startCampaign(temporal, config, spec);
  await campaign.untilStage('approving');
  await campaign.decide({ decision: 'approve', by: 'a test' });
  expect(await campaign.result()).toMatchObject({ status: 'completed' });
  const { workflowId } = campaign.handle;
  expectWithin('`campaign`, two jobs, approved', await historyCost(workflowId), TOLERATED.campaign);
});

test('a batch, and its partition', async () => {
  pace.polls = 2;
  const spec = batchOf(cutouts(sandbox.url, 10), 10);
  expect(await client().batch.run(spec)).toMatchObject({ status: 'succeeded' });
  expectWithin('`batch`, one partition', await historyCost(batchWorkflowId(spec.key)));
  expectWithin('`batchPart`, 10 items, 2 polls', await historyCost(batchPartWorkflowId(spec.key, 1)));
});

test('a firing, its outlook, and the nudge that comes of it', async () => {
  const project = await seedProject(sandbox.url, { campaign: { lifecycle: { stage: 'approving' } } });
  const { schedules } = client();
  const name = newName();
  const spec = { project, boards: ['launch-board'], notify: { userId: 'u', workspaceId: '1' } };
  await schedules.create(name, { spec: NEVER_BY_ITSELF, timezone: 'UTC', target: { kind: 'outlook', spec } });
  await schedules.trigger(name);
  const [fired] = endedOf(await until(name, 'a firing', (report) => endedOf(report).length === 1));
  const [firing, outlook] = [fired?.firing ?? '', fired?.workflowId ?? ''];
  expect(await resultOf(firing)).toMatchObject({ status: 'succeeded' });
  const { week, ...seen } = (await resultOf(outlook)) as OutlookResult;
  expect(seen).toMatchObject({ written: true, nudges: [{ notified: { status: 'sent' } }] });
  const nudge = {
    organization: sandbox.workspace,
    project,
    at: DEFAULT_CAMPAIGN_AT,
    week,
    subject: 'approval',
  };
  expectWithin('`firing`, of an outlook', await historyCost(firing));
  expectWithin('`outlook`, fired, written, one nudge', await historyCost(outlook));
  expectWithin('`nudge`, in working hours', await historyCost(nudgeWorkflowId(nudge)));
});

function resultOf(workflowId: string): Promise<unknown> {
  return temporal.client.workflow.getHandle(workflowId).result();
}

test('a question for the clock of a workspace', async () => {
  // Whoever makes a schedule asks it like this, and does not learn the id of the run.
  const workflowId = workspaceClockWorkflowId(randomUUID());
  const { taskQueue } = config;
  const asked = { workflowId, taskQueue, args: [{}] };
  const clock: unknown = await temporal.client.workflow.execute(WORKSPACE_CLOCK_WORKFLOW, asked);
  expect(clock).toMatchObject({ timezone: 'Europe/Berlin' });
  expectWithin('`workspaceClock`', await historyCost(workflowId));
});

test('every workflow has a row', () => {
  const index = readFileSync(path.resolve(__dirname, '../../../src/workflows/index.ts'), 'utf8');
  const workflows = [...index.matchAll(/^export \{ (\w+) \}/gm)].map(([, name]) => `\`${name}\``);
  expect(workflows).toContain('`media`');
  const inTheTable = [...documented.keys()].map((row) => row.split(',')[0]);
  expect(workflows.filter((name) => !inTheTable.includes(name))).toEqual([]);
});
