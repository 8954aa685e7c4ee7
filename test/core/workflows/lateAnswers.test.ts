/** What becomes of an answer to a submit that comes when its run is held, or has gone on. */
import { randomUUID } from 'node:crypto';
import { acceptedSignal, type MediaProgress, stateQuery } from '../../../src/contract';
import { searchAttributes } from '../../../src/contract/searchAttributes';
import { eventually } from '../../support/eventually';
import { holdOf, SOMEBODY, useHeldJobs } from '../../support/builders/heldJobs';
import { startByName, tasksOf } from '../../support/builders/jobs';
import { addFault, addPassingFault, answering, ask } from '../../support/service/sandbox';
import { segueClient, withWorker } from '../../support/servers/temporal';

const {
  temporal,
  sandbox,
  config,
  withHeldJob,
  withJobOfBatch,
  untilResubmitted,
  startResubmittable,
  leaveDecision,
  acceptedTask,
  submissions,
} = useHeldJobs();

describe('P1: a late answer', () => {
  test('ends the hold of its own submission, and no other', async () => {
    await withHeldJob('after', async (held) => {
      const handle = temporal.client.workflow.getHandle(held.workflowId);
      await handle.signal(acceptedSignal, { hold: 'another-run/7', taskId: 't-other' });
      expect(await handle.query(stateQuery)).toMatchObject({ stage: 'held' });
      const taskId = await acceptedTask();
      await handle.signal(acceptedSignal, { hold: 'another-run/1', taskId });
      expect(await held.wait()).toMatchObject({ status: 'succeeded', taskId });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('P2: a late answer before the timeout is adopted without a hold', async () => {
    const lost = await addPassingFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { nth: 1 }, fault: 'hang', when: 'after' },
    });
    await withWorker(temporal, config, sandbox.url, async () => {
      const key = `late-${randomUUID()}`;
      const request = { image_url: `${sandbox.url}/samples/mug.png` };
      const { media } = segueClient(temporal, config);
      const job = await media.start({ key, tool: 'remove-background', request });
      const taskId = await eventually('the POST', async () => (await tasksOf(sandbox.url, key)).at(0));
      const handle = temporal.client.workflow.getHandle(job.workflowId);
      await handle.signal(acceptedSignal, { hold: `${job.runId}/1`, taskId });
      expect(await job.state()).toMatchObject({ stage: 'submitting', attempts: [{ taskId }] });
      await lost.takeAway();
      expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId });
      expect(await job.state()).toMatchObject({ attempts: [{ outcome: 'unknown', taskId }] });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('a late answer at once with a decision to resubmit is adopted, and nothing is sent again', async () => {
    const { run, hold } = await startResubmittable();
    const outcome = await leaveDecision(run, { ...SOMEBODY, hold, action: 'resubmit' });
    await run.signal(acceptedSignal, { hold, taskId: 't-late' });
    await withWorker(temporal, config, sandbox.url, async () => {
      await expect(outcome()).rejects.toMatchObject({
        cause: { message: expect.stringContaining('decided already') },
      });
      expect(await run.query(stateQuery)).toMatchObject({ stage: 'polling', taskId: 't-late' });
      await run.terminate();
    });
    expect(await submissions()).toMatchObject({ submissions: 0 });
  });

  test('P1: a late answer to the submission of a batch is adopted also when it comes before the hold', async () => {
    const attempts = [{ n: 1, at: new Date().toISOString(), outcome: 'unknown' as const, reason: 'a test' }];
    const input = { key: `late-${randomUUID()}`, held: { attempts } };
    const run = await startByName(temporal, config, sandbox.url, input);
    await run.signal(acceptedSignal, { hold: 'another-run/7', taskId: 't-late' });
    await withWorker(temporal, config, sandbox.url, async () => {
      await eventually('the task', async () => (await run.query(stateQuery)).stage === 'polling');
      expect(await run.query(stateQuery)).toMatchObject({ taskId: 't-late', decisions: [] });
      await run.terminate();
    });
    expect(await submissions()).toMatchObject({ submissions: 0 });
  });

  test('P2: a late answer to a submission that a person gave up is shown in the attempts and the task ids', async () => {
    await withJobOfBatch('after', async (held) => {
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
      // Nor does the task of a submission that it does not know end the hold of the resubmit. Its id may have a blank inside.
      await handle.signal(acceptedSignal, { hold: 'another-run/7', taskId: 'another task' });
      expect(await held.state()).toMatchObject({ stage: 'held', taskId: null });
      await eventually('that it is listed', async () => {
        const { typedSearchAttributes } = await handle.describe();
        return typedSearchAttributes.get(searchAttributes.taskIds)?.includes('another task');
      });

      await held.resolve({ ...SOMEBODY, action: 'adopt', taskId: first });
      expect(await held.wait()).toMatchObject({ status: 'succeeded', taskId: first });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('P1: a late answer after resubmit is adopted if nothing else was accepted', async () => {
    await withJobOfBatch('after', async (held) => {
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
    const carried: MediaProgress = {
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

  test('never ends or blocks the run, even malformed or with a long task id', async () => {
    await withHeldJob('before', async (held) => {
      const handle = temporal.client.workflow.getHandle(held.workflowId);
      const unreadable = { hold: { toString: 1 }, taskId: 't-1' };
      for (const args of [[], [null], ['t-1'], [{ hold: 'r/1', taskId: 1 }], [unreadable]])
        await handle.signal(acceptedSignal.name, ...args);
      // Three bytes a character: together the four ids are over the server's limit for a search attribute.
      for (const n of [1, 2, 3, 4])
        await handle.signal(acceptedSignal, { hold: 'r/9', taskId: `${n}${'漢'.repeat(199)}` });
      expect(await held.resolve({ ...SOMEBODY, action: 'abandon' })).toMatchObject({ applied: true });
      expect(await held.wait()).toMatchObject({ status: 'abandoned' });
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.get(searchAttributes.taskIds)?.[0]).toBe('t-1');
    });
  });
});

describe.each([true, false])('with ETags: %s', (etags) => {
  const { temporal, sandbox, withJobOfBatch, untilResubmitted, acceptedTask } = useHeldJobs({ etags });

  test('P2: a late answer to a run that is then cancelled is written to the project', async () => {
    const project = { resourcetype: 'document', id: randomUUID() };
    await ask(sandbox.url, 'POST /_sandbox/seed', {
      body: { projects: [{ ...project, workspace: 1, data: {} }] },
    });
    let taskId = '';
    await withJobOfBatch(
      'after',
      async (held) => {
        taskId = await acceptedTask();
        // A denied job tries again after 10 s.
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
});
