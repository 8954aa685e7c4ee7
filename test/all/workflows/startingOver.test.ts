/** What a run that was denied, lost its task or was answered late makes of a person's word: once more, or no more. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type MediaJob } from '../../../src/client/jobs/job';
import {
  acceptedSignal,
  type MediaInput,
  type MediaProgress,
  type MediaState,
  stateQuery,
  type SubmitAttempt,
} from '../../../src/contract';
import { searchAttributes } from '../../../src/contract/searchAttributes';
import { eventually } from '../../support/eventually';
import { startByName, tasksOf } from '../../support/builders/jobs';
import { addFault, addPassingFault, ask, readLedger, useSandbox } from '../../support/service/sandbox';
import { patientPosts } from '../../support/servers/patientPosts';
import { segueClient, testConfig, useTemporal, useWorker, withWorker } from '../../support/servers/temporal';
import { seedProject, WORKSPACE } from '../../support/builders/writing';

const temporal = useTemporal();
// Without ETags, which is harder; what jobs write is tested with both in ending.test.ts.
const sandbox = useSandbox({ pace: { kind: 'time', ms: 3_600_000 }, etags: false });
const submit = { timeout: '1s', authGrace: '1h' } as const;
const config = testConfig({ submit, organization: WORKSPACE });
useWorker(temporal, config, sandbox, { worker: patientPosts() });

const SOMEBODY = { by: 'Olga', reason: 'looked it up' };
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** What a long run knew after one submission. */
function carriedOver({ attempts, ...more }: Partial<MediaProgress>): MediaProgress {
  return {
    ...{ taskId: null, submittedAt: null, number: 1, hold: null, knownTasks: [], otherTasks: [] },
    ...{ decisions: [], deniedSince: null, polls: 0, pollingSince: null, missingSince: null },
    ...{ listeners: [], reset: false },
    attempts: attempts ?? [{ n: 1, at: ago(180), outcome: 'refused', reason: 'a test' }],
    ...more,
  };
}

function continued(
  key: string,
  carried: MediaProgress,
  more: Partial<MediaInput> = {},
): Promise<WorkflowHandle> {
  return startByName(temporal, config, sandbox.url, { key, submit, carried, ...more, poll: config.poll });
}

function stateOf(run: WorkflowHandle): Promise<MediaState> {
  return run.query(stateQuery);
}

async function untilHeld(run: WorkflowHandle, n: number): Promise<void> {
  await eventually(`hold ${n}`, async () => (await stateOf(run)).hold?.id.endsWith(`/${n}`));
}

/** Refused as long as the submission before may still arrive. */
async function resubmit(key: string): Promise<void> {
  const job = await segueClient(temporal, config).media.get(key);
  await eventually('that it can be submitted again', () => job.resolve({ ...SOMEBODY, action: 'resubmit' }));
}

/** What befalls the nth submission of a job, and no other's. */
function befalls(key: string, n: number) {
  return { operation: 'remove-background', match: { requestId: `${key}.submit.${n}` } };
}

describe('P2: a denial after a person had it submitted again', () => {
  const lost: Partial<MediaProgress> = {
    taskId: 'lost',
    attempts: [{ n: 1, at: ago(180), outcome: 'accepted', taskId: 'lost' }],
    ...{ pollingSince: ago(10), missingSince: ago(10) },
  };
  test.each([
    ['of an unknown outcome', {}],
    ['of a task that was lost', lost],
  ])('is waited out, however long ago one was met before: a hold %s', async (_case, progress) => {
    const key = `denied-${randomUUID()}`;
    await addFault(sandbox.url, { ...befalls(key, 2), fault: 'reset', when: 'before' });
    await addFault(sandbox.url, { ...befalls(key, 3), fault: 'status', status: 401, when: 'before' });
    const notify = { userId: 'u', workspaceId: WORKSPACE };
    const run = await continued(key, carriedOver({ deniedSince: ago(120), ...progress }), { notify });
    await untilHeld(run, 2);
    await resubmit(key);
    const { stage } = await eventually('the denial', async () => {
      const state = await stateOf(run);
      return state.attempts.at(-1)?.outcome === 'refused' && state.stage !== 'submitting' ? state : undefined;
    });
    expect(stage).toBe('waiting');
    // P4: told as an event of its own, beside the one of that time.
    await untilTold(key, 'denied-3');
    await run.cancel();
  });

  test('is told again, also where the same run told of one before', async () => {
    const key = `denied-${randomUUID()}`;
    for (const n of [1, 3])
      await addFault(sandbox.url, { ...befalls(key, n), fault: 'status', status: 401, when: 'before' });
    await addFault(sandbox.url, { ...befalls(key, 2), fault: 'reset', when: 'before' });
    const notify = { userId: 'u', workspaceId: WORKSPACE };
    // A worker that knows nothing of other denials, or it would hold the third POST back.
    const own = testConfig({ submit, organization: WORKSPACE });
    const untilToldTwice = async (): Promise<void> => {
      const run = await startByName(temporal, own, sandbox.url, { key, submit, notify });
      await untilTold(key, 'denied-1');
      await untilHeld(run, 2);
      await resubmit(key);
      await untilTold(key, 'denied-3');
      await run.cancel();
    };
    await withWorker(temporal, own, sandbox.url, untilToldTwice, { worker: patientPosts() });
  });

  async function untilTold(key: string, event: string): Promise<void> {
    await eventually(`the alarm ${event}`, async () => {
      const { entries } = await readLedger(sandbox.url);
      return entries.some(({ requestId }) => requestId === `${key}.notify.${event}`);
    });
  }
});

test('P2: a task that was given, and that the service lost, is listed on beside the one that follows', async () => {
  const key = `given-${randomUUID()}`;
  const lost = { taskId: 'given', attempts: [], number: 0, pollingSince: ago(10), missingSince: ago(10) };
  const run = await continued(key, carriedOver(lost), { taskId: 'given' });
  await untilHeld(run, 1);
  await resubmit(key);
  await eventually('the polls', async () => (await stateOf(run)).stage === 'polling');
  const { taskId } = await stateOf(run);
  const { typedSearchAttributes } = await run.describe();
  expect(typedSearchAttributes.get(searchAttributes.taskIds)).toEqual([taskId, 'given']);
  await run.terminate();
});

test('P2: what a person had submitted again is not followed as before when the run continues as new', async () => {
  const key = `given-${randomUUID()}`;
  const run = await continued(key, carriedOver({ knownTasks: ['given'], otherTasks: ['given'] }), {
    taskId: 'given',
  });
  await eventually('the polls', async () => (await stateOf(run)).stage === 'polling');
  expect(await stateOf(run)).toMatchObject({ taskId: (await tasksOf(sandbox.url, key))[0] });
  await run.terminate();
});

test('P2: a task beside the one that is followed is not forgotten when the run continues as new', async () => {
  const key = `beside-${randomUUID()}`;
  const project = await seedProject(sandbox.url);
  const carried = carriedOver({ taskId: 'followed', otherTasks: ['beside'], pollingSince: ago(1) });
  const run = await continued(key, carried, { write: { project, at: '/job' } });
  await run.cancel();
  await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  const { typedSearchAttributes } = await run.describe();
  expect(typedSearchAttributes.get(searchAttributes.taskIds)).toEqual(['followed', 'beside']);
  const { json } = await ask(sandbox.url, `GET /projects/${project.resourcetype}/${project.id}`);
  expect(json.data).toMatchObject({ job: { taskId: 'followed', otherTasks: ['beside'] } });
});

test('P2: a task that is told of a submission under way, and is not its own, is listed beside it', async () => {
  const key = `late-${randomUUID()}`;
  const late = { fault: 'delay', ms: 3_600_000, when: 'after' } as const;
  const delay = await addPassingFault(sandbox.url, { ...befalls(key, 1), ...late });
  const run = await startByName(temporal, config, sandbox.url, { key });
  const [taskId = ''] = await eventually('the POST', async () => {
    const tasks = await tasksOf(sandbox.url, key);
    return tasks.length > 0 ? tasks : undefined;
  });
  await run.signal(acceptedSignal, { hold: 'of a run that was reset/1', taskId: 'another' });
  await delay.takeAway();
  await eventually('the polls', async () => (await stateOf(run)).stage === 'polling');
  expect(await stateOf(run)).toMatchObject({ taskId });
  const { typedSearchAttributes } = await run.describe();
  expect(typedSearchAttributes.get(searchAttributes.taskIds)).toEqual([taskId, 'another']);
  expect(await run.query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: expect.stringContaining('segue get task another'),
  });
  await run.terminate();
});

test.each([
  ['cancelled', (job: MediaJob) => job.cancel()],
  ['abandoned', (job: MediaJob) => job.resolve({ ...SOMEBODY, action: 'abandon' })],
])(
  'P2: the project of a run that is %s knows the task that came late, not one that the service lost',
  async (status, end) => {
    const key = `ended-${randomUUID()}`;
    const project = await seedProject(sandbox.url);
    await addFault(sandbox.url, { ...befalls(key, 3), fault: 'reset', when: 'before' });
    const attempts: SubmitAttempt[] = [
      { n: 1, at: ago(180), outcome: 'accepted', taskId: 'lost' },
      { n: 2, at: ago(120), outcome: 'unknown', reason: 'a test' },
    ];
    const carried = carriedOver({ attempts, number: 2, knownTasks: ['lost'] });
    const run = await continued(key, carried, { write: { project, at: '/job' } });
    await untilHeld(run, 3);
    const taskId = 'late';
    await run.signal(acceptedSignal, { hold: 'r/2', taskId });
    const job = await segueClient(temporal, config).media.get(key);
    await end(job);
    expect(await job.wait()).toMatchObject({ status, taskId });
    const { json } = await ask(sandbox.url, `GET /projects/${project.resourcetype}/${project.id}`);
    expect(json.data).toMatchObject({ job: { status, taskId } });
  },
);

test('P1: what is cancelled, or answered, before its first step is not sent', async () => {
  const other = testConfig({ submit });
  const [cancelledKey, answeredKey] = [`early-${randomUUID()}`, `early-${randomUUID()}`];
  const cancelled = await startByName(temporal, other, sandbox.url, { key: cancelledKey });
  await cancelled.cancel();
  const answered = await startByName(temporal, other, sandbox.url, { key: answeredKey });
  await answered.signal(acceptedSignal, { hold: 'of a run that was reset/2', taskId: 't-1' });
  await withWorker(temporal, other, sandbox.url, async () => {
    await expect(cancelled.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await eventually('the polls', async () => (await stateOf(answered)).stage === 'polling');
    expect(await stateOf(answered)).toMatchObject({ taskId: 't-1', attempts: [] });
    await answered.terminate();
  });
  const { entries } = await readLedger(sandbox.url);
  const sent = entries.map(({ requestId }) => requestId);
  expect(sent).not.toContain(`${cancelledKey}.submit.1`);
  expect(sent).not.toContain(`${answeredKey}.submit.1`);
});
