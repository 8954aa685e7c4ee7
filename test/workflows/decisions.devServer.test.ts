/** What a person decides of a held run, and what becomes of decisions that come late, twice, or again after a reset. */
import { randomUUID } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { type MediaSpec } from '../../src/client/jobs/mediaSpec';
import { type StarterConfig } from '../../src/config';
import { acceptedSignal, type Decision, type Progress, resolveUpdate, stateQuery } from '../../src/contract';
import { type MediaJob } from '../../src/client/jobs/job';
import { startSandbox } from '../../src/sandbox/server';
import { searchAttributes } from '../../src/searchAttributes';
import { eventually } from '../support/eventually';
import { startByName } from '../support/jobs';
import { resetRun } from '../support/reset';
import { addFault, answering, ask, readLedger, useSandboxEach } from '../support/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../support/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'instant' } });
let config: StarterConfig;

beforeEach(() => {
  config = testConfig({ submit: { timeout: '1s', authGrace: '1h' } });
});

const SOMEBODY = { by: 'Olga', reason: 'looked it up' };

/** Runs `work` with a job whose POST was answered by a reset: before it was accepted, or after. */
async function withHeldJob(
  when: 'before' | 'after',
  work: (held: MediaJob, spec: MediaSpec & { key: string }) => Promise<void>,
  more: Partial<MediaSpec> = {},
): Promise<void> {
  await addFault(sandbox.url, { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when });
  await withWorker(temporal, config, sandbox.url, async () => {
    const { media } = segueClient(temporal, config);
    const request = { image_url: `${sandbox.url}/samples/mug.png` };
    const spec = { key: `held-${randomUUID()}`, tool: 'remove-background', request, ...more };
    expect(await media.run(spec)).toMatchObject({ status: 'held' });
    await work(await media.get(spec.key), spec);
  });
}

function decide({ workflowId }: MediaJob, decision: Decision) {
  return temporal.client.workflow.getHandle(workflowId).executeUpdate(resolveUpdate, { args: [decision] });
}

async function holdOf(job: MediaJob): Promise<string> {
  return (await job.state())?.hold?.id ?? 'none';
}

async function acceptedTask(): Promise<string> {
  const { entries } = await readLedger(sandbox.url);
  return entries.find(({ kind, applied }) => kind === 'submit' && applied)?.taskId ?? 'none';
}

const submissions = async () => (await readLedger(sandbox.url)).summary;

/** From when on a resubmit is allowed depends on the submit timeout; before that it is refused. */
function untilResubmitted(job: MediaJob, hold: string) {
  return eventually('that it can be submitted again', () =>
    decide(job, { ...SOMEBODY, hold, action: 'resubmit' }),
  );
}

describe('P1 P2: each decision, sent twice', () => {
  test('adopt follows the task that the service has', async () => {
    await withHeldJob('after', async (held) => {
      const decision = {
        ...SOMEBODY,
        hold: await holdOf(held),
        action: 'adopt' as const,
        taskId: await acceptedTask(),
      };
      const noTask = { ...decision, taskId: `${decision.taskId} `, force: true };
      await expect(decide(held, noTask)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('taskId: must be an id') },
      });
      expect(await decide(held, decision)).toMatchObject({ applied: true, taskId: decision.taskId });
      await expect(decide(held, decision)).rejects.toThrow();
      expect(await held.wait()).toMatchObject({ status: 'succeeded', taskId: decision.taskId });
      expect(await held.state()).toMatchObject({ decisions: [{ action: 'adopt', by: 'Olga' }], hold: null });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('resubmit sends one more, not before what was sent has arrived', async () => {
    await withHeldJob('before', async (held) => {
      const hold = await holdOf(held);
      await expect(decide(held, { ...SOMEBODY, hold, action: 'resubmit' })).rejects.toMatchObject({
        cause: { message: expect.stringContaining('may still arrive') },
      });
      await untilResubmitted(held, hold);
      await expect(decide(held, { ...SOMEBODY, hold, action: 'resubmit' })).rejects.toThrow();
      expect(await held.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('abandon ends the run with who and why, after project and user know it', async () => {
    const project = { resourcetype: 'document', id: randomUUID() };
    await ask(sandbox.url, 'POST /_sandbox/seed', {
      body: { projects: [{ ...project, workspace: 1, data: { kept: 1 } }] },
    });
    const more = { write: { project, at: '/job' }, notify: { userId: 'u', workspaceId: '1' } };
    await withHeldJob(
      'before',
      async (held) => {
        const decision = { ...SOMEBODY, hold: await holdOf(held), action: 'abandon' as const };
        expect(await decide(held, decision)).toMatchObject({ applied: true });
        await expect(decide(held, decision)).rejects.toThrow();
        expect(await held.wait()).toMatchObject({
          status: 'abandoned',
          error: expect.stringContaining('abandoned by Olga: looked it up'),
        });
      },
      more,
    );
    const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
    expect(json.data).toMatchObject({ kept: 1, job: { status: 'abandoned' } });
    const { json: kept } = await ask(sandbox.url, 'GET /_sandbox/notifications');
    expect(kept.notifications).toMatchObject([
      { request: { category: 'agentNeedsInput', _extra: { event_type: 'media.held-1', agent: 'segue' } } },
      { request: { category: 'agentError', _extra: { event_type: 'media.failed' } } },
    ]);
    expect(await submissions()).toMatchObject({ submissions: 0 });
  });
});

test('the user is told even where a person or the service says what the title says', async () => {
  const nothing = null as unknown as undefined;
  const more = { notify: { userId: 'u', workspaceId: '1', threadId: nothing, link: nothing } };
  await withHeldJob(
    'before',
    async (held) => {
      await held.resolve({ by: 'Olga', reason: 'your Media job  failed', action: 'abandon' });
      expect(await held.wait()).toMatchObject({ status: 'abandoned' });
    },
    more,
  );
  const { json } = await ask(sandbox.url, 'GET /_sandbox/notifications');
  expect(json.notifications).toMatchObject([
    { request: { category: 'agentNeedsInput' } },
    {
      request: { category: 'agentError', message: expect.stringMatching(/abandoned by Olga: …$/) },
      remarks: [],
    },
  ]);
});

describe('a decision that cannot be', () => {
  const cases: [string, Partial<Decision>, string][] = [
    ['of another hold', { hold: 'r/9', action: 'abandon' }, 'hold: the open one is'],
    ['by nobody', { action: 'abandon', by: ' ' }, 'by: must be a text'],
    ['without a reason', { action: 'abandon', reason: '' }, 'reason: must be a text'],
    ['to adopt nothing', { action: 'adopt' }, 'taskId: must name the task'],
    ['to do something else', { action: 'dance' as never }, 'action: must be adopt or resubmit or abandon'],
  ];
  test.each(cases)('%s is refused, and the run stays held', async (_case, decision, problem) => {
    await withHeldJob('before', async (held) => {
      const whole = { ...SOMEBODY, hold: await holdOf(held), action: 'abandon' as const, ...decision };
      await expect(decide(held, whole)).rejects.toMatchObject({
        cause: { message: expect.stringContaining(problem) },
      });
      expect(await held.state()).toMatchObject({ stage: 'held', decisions: [] });
      await held.resolve({ ...SOMEBODY, action: 'abandon' });
    });
  });

  test('to adopt a task that the service does not know fails; by force it is taken', async () => {
    await withHeldJob('before', async (held) => {
      const adopt = { ...SOMEBODY, action: 'adopt' as const, taskId: 'made-up' };
      await expect(held.resolve(adopt)).rejects.toThrow(/made-up was not adopted.*still held.*--force/s);
      expect(await held.state()).toMatchObject({ stage: 'held' });
      expect(await held.resolve({ ...adopt, force: true })).toMatchObject({ applied: true });
      expect(await held.state()).toMatchObject({ stage: 'polling', taskId: 'made-up' });
      await held.cancel();
      expect(await held.wait()).toMatchObject({ status: 'cancelled', taskId: 'made-up' });
    });
  });

  test('of a run that is not held says what it is', async () => {
    const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    await withWorker(temporal, config, slow.url, async () => {
      const { media } = segueClient(temporal, config);
      const request = { image_url: `${slow.url}/samples/mug.png` };
      const job = await media.start({ key: `held-${randomUUID()}`, tool: 'remove-background', request });
      await eventually('the polls', async () => (await job.state())?.stage === 'polling');
      await expect(job.resolve({ ...SOMEBODY, action: 'abandon' })).rejects.toThrow('polling');
      await job.cancel();
      await job.wait();
    });
    await slow.stop();
  });
});

describe('P1: a late answer', () => {
  test('ends the hold of its own submission, and no other', async () => {
    await withHeldJob('after', async (held) => {
      const handle = temporal.client.workflow.getHandle(held.workflowId);
      await handle.signal(acceptedSignal, { hold: 'another-run/7', taskId: 'of another' });
      expect(await handle.query(stateQuery)).toMatchObject({ stage: 'held' });
      const taskId = await acceptedTask();
      await handle.signal(acceptedSignal, { hold: 'another-run/1', taskId });
      expect(await held.wait()).toMatchObject({ status: 'succeeded', taskId });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('P2: that comes to a run which then is cancelled is known to the project', async () => {
    const project = { resourcetype: 'document', id: randomUUID() };
    await ask(sandbox.url, 'POST /_sandbox/seed', {
      body: { projects: [{ ...project, workspace: 1, data: {} }] },
    });
    let taskId = '';
    await withHeldJob(
      'after',
      async (held) => {
        taskId = await acceptedTask();
        // Waits for ten seconds.
        await addFault(sandbox.url, answering(401, 'remove-background'));
        await untilResubmitted(held, await holdOf(held));
        await eventually('the refusal', async () => (await held.state())?.stage === 'waiting');
        const handle = temporal.client.workflow.getHandle(held.workflowId);
        await handle.signal(acceptedSignal, { hold: `${held.runId}/1`, taskId });
        await held.cancel();
        expect(await held.wait()).toMatchObject({ status: 'cancelled', taskId });
      },
      { write: { project, at: '/job' } },
    );
    const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
    expect(json.data).toMatchObject({ job: { status: 'cancelled', taskId } });
  });

  test('P2: of a submission that a person gave up is kept for all to see, beside the task that is followed', async () => {
    await withHeldJob('after', async (held) => {
      await addFault(sandbox.url, {
        operation: 'remove-background',
        match: { nth: 1 },
        fault: 'reset',
        when: 'before',
      });
      const first = await acceptedTask();
      await untilResubmitted(held, await holdOf(held));
      await eventually('the second hold', async () => (await holdOf(held)).endsWith('/2'));

      const handle = temporal.client.workflow.getHandle(held.workflowId);
      await handle.signal(acceptedSignal, { hold: `${held.runId}/1`, taskId: first });
      const attempts = [
        { n: 1, taskId: first },
        { n: 2, outcome: 'unknown' },
      ];
      expect(await held.state()).toMatchObject({ stage: 'held', taskId: null, attempts });
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.get(searchAttributes.taskIds)).toEqual([first]);

      await held.resolve({ ...SOMEBODY, action: 'adopt', taskId: first });
      expect(await held.wait()).toMatchObject({ status: 'succeeded', taskId: first });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('P1: of a submission that a person took for lost is followed, as long as nothing else was sent', async () => {
    await withHeldJob('after', async (held) => {
      const first = await acceptedTask();
      await addFault(sandbox.url, answering(429, 'remove-background'));
      await untilResubmitted(held, await holdOf(held));
      await eventually('the refusal', async () => (await held.state())?.stage === 'waiting');
      const handle = temporal.client.workflow.getHandle(held.workflowId);
      await handle.signal(acceptedSignal, { hold: `${held.runId}/1`, taskId: first });
      expect(await held.wait()).toMatchObject({ status: 'succeeded', taskId: first });
      const { attempts = [], submittedAt } = (await held.state()) ?? {};
      expect(submittedAt).toBe(attempts[0]?.at);
      expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
    });
  });

  test('P2: finds its submission, however many were tried since', async () => {
    const tried = Array.from({ length: 20 }, (_, index) => ({
      ...{ n: index + 1, at: new Date().toISOString(), reason: 'a test' },
      outcome: index === 0 ? ('unknown' as const) : ('notSent' as const),
    }));
    const carried: Progress = {
      ...{ taskId: null, submittedAt: null, number: 20, attempts: tried, hold: null, decisions: [] },
      ...{ deniedSince: null, polls: 0, pollingSince: null, missingSince: null },
      ...{ listeners: [], reset: false, knownTasks: [], otherTasks: [] },
    };
    await withWorker(temporal, config, sandbox.url, async () => {
      const key = `late-${randomUUID()}`;
      const poll = { min: '1h', max: '1h', deadline: '1h' };
      const handle = await startByName(temporal, config, sandbox.url, { key, carried, poll });
      const state = () => handle.query(stateQuery);
      await eventually('its task', async () => (await state()).stage === 'polling');
      await handle.signal(acceptedSignal, { hold: 'r/1', taskId: 'late' });
      const { attempts } = await state();
      expect(attempts).toHaveLength(20);
      expect(attempts.slice(0, 2)).toMatchObject([{ n: 1, taskId: 'late' }, { n: 3 }]);
      await handle.terminate();
    });
  });

  test('that makes no sense stops nothing', async () => {
    await withHeldJob('before', async (held) => {
      const handle = temporal.client.workflow.getHandle(held.workflowId);
      for (const args of [[], [null], ['t-1'], [{ hold: 'r/1', taskId: 1 }]])
        await handle.signal(acceptedSignal.name, ...args);
      expect(await held.resolve({ ...SOMEBODY, action: 'abandon' })).toMatchObject({ applied: true });
      expect(await held.wait()).toMatchObject({ status: 'abandoned' });
    });
  });
});

/** Temporal hands accepted decisions over to the run that a reset makes; they answer the hold of another run. */
describe('P1: a workflow reset to before a decision', () => {
  test.each(['resubmit', 'adopt'] as const)('asks again instead of doing it again: %s', async (action) => {
    await withHeldJob(action === 'adopt' ? 'after' : 'before', async (held) => {
      if (action === 'resubmit') await untilResubmitted(held, await holdOf(held));
      else await held.resolve({ ...SOMEBODY, action, taskId: await acceptedTask() });
      expect(await held.wait()).toMatchObject({ status: 'succeeded' });

      await resetBeforeUpdate(temporal.client, held.workflowId);
      const again = await segueClient(temporal, config).media.get(held.key);
      const handle = temporal.client.workflow.getHandle(again.workflowId);
      await eventually('the decision to be handed over and answered', async () => {
        const { events } = await handle.fetchHistory();
        const handed =
          events?.findIndex((event) => event.workflowExecutionUpdateAdmittedEventAttributes) ?? -1;
        return (
          handed >= 0 && events?.slice(handed).some((event) => event.workflowTaskCompletedEventAttributes)
        );
      });
      const state = await again.state();
      expect(state).toMatchObject({ stage: 'held', decisions: [] });
      expect(state?.hold?.id).toBe(`${again.runId}/1`);
      expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
      await again.resolve({ ...SOMEBODY, action: 'adopt', taskId: await acceptedTask() });
      expect(await again.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });
});

test('P2: what a run does that was abandoned and then reset reaches the project, too', async () => {
  const project = { resourcetype: 'document', id: randomUUID() };
  await ask(sandbox.url, 'POST /_sandbox/seed', {
    body: { projects: [{ ...project, workspace: 1, data: {} }] },
  });
  const written = async () => (await ask(sandbox.url, `GET /projects/document/${project.id}`)).json.data;
  await withHeldJob(
    'after',
    async (held) => {
      await held.resolve({ ...SOMEBODY, action: 'abandon' });
      expect(await held.wait()).toMatchObject({ status: 'abandoned' });
      expect(await written()).toMatchObject({ job: { status: 'abandoned' } });

      await resetBeforeUpdate(temporal.client, held.workflowId);
      const again = await segueClient(temporal, config).media.get(held.key);
      await eventually('the hold', async () => (await again.state())?.stage === 'held');
      const taskId = await acceptedTask();
      await again.resolve({ ...SOMEBODY, action: 'adopt', taskId });
      expect(await again.wait()).toMatchObject({ status: 'succeeded', taskId });
      expect(await written()).toMatchObject({ job: { taskId, info: expect.anything() } });
    },
    { write: { project, at: '/job' } },
  );
});

test('P2: how a run ends that was reset reaches a project that did not take it before', async () => {
  const project = { resourcetype: 'document', id: randomUUID() };
  await withHeldJob(
    'after',
    async (held) => {
      await held.resolve({ ...SOMEBODY, action: 'abandon' });
      expect(await held.wait()).toMatchObject({ status: 'abandoned' });

      await ask(sandbox.url, 'POST /_sandbox/seed', {
        body: { projects: [{ ...project, workspace: 1, data: {} }] },
      });
      await resetBeforeUpdate(temporal.client, held.workflowId);
      const again = await segueClient(temporal, config).media.get(held.key);
      await eventually('the hold', async () => (await again.state())?.stage === 'held');
      await again.resolve({ ...SOMEBODY, action: 'abandon' });
      expect(await again.wait()).toMatchObject({ status: 'abandoned' });
      const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
      expect(json.data).toMatchObject({ job: { status: 'abandoned' } });
    },
    { write: { project, at: '/job' } },
  );
});

/** Resets to the last workflow task that was over before the first Update was accepted. */
async function resetBeforeUpdate(client: Client, workflowId: string): Promise<void> {
  const { events = [] } = await client.workflow.getHandle(workflowId).fetchHistory();
  const accepted = events?.findIndex((event) => event.workflowExecutionUpdateAcceptedEventAttributes) ?? -1;
  const tasks = (events ?? [])
    .slice(0, accepted - 3)
    .filter((event) => event.workflowTaskCompletedEventAttributes);
  await resetRun({ client }, { workflowId }, { workflowTaskFinishEventId: tasks.at(-1)?.eventId });
}
