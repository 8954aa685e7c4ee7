/** What a person decides of a held run, once or twice, and which decisions cannot be. */
import { randomUUID } from 'node:crypto';
import { type Decision, FAILURE, resolveUpdate, stateQuery } from '../../../src/contract';
import { eventually } from '../../support/eventually';
import { holdOf, SOMEBODY, useHeldJobs } from '../../support/builders/heldJobs';
import { startByName } from '../../support/builders/jobs';
import { ask, startSandbox } from '../../support/service/sandbox';
import { segueClient, withWorker } from '../../support/servers/temporal';

const jobs = useHeldJobs();
const { temporal, sandbox, config, withHeldJob, withJobOfBatch, decide } = jobs;
const { untilResubmitted, startResubmittable, leaveDecision, acceptedTask, submissions } = jobs;

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
      await expect(decide(held, { ...decision, by: '\ud800' })).rejects.toMatchObject({
        cause: { message: expect.stringContaining('by: must be a text') },
      });
      expect(await decide(held, decision)).toMatchObject({
        ...{ applied: true, stage: 'polling', taskId: decision.taskId },
      });
      await expect(decide(held, decision)).rejects.toThrow();
      expect(await held.wait()).toMatchObject({ status: 'succeeded', taskId: decision.taskId });
      expect(await held.state()).toMatchObject({ decisions: [{ action: 'adopt', by: 'Olga' }], hold: null });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('resubmit sends one more', async () => {
    await withJobOfBatch('before', async (held) => {
      const hold = await holdOf(held);
      await untilResubmitted(held, hold);
      await expect(decide(held, { ...SOMEBODY, hold, action: 'resubmit' })).rejects.toThrow();
      expect(await held.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });
});

describe.each([true, false])('P1 P2: a decision that is written, sent twice, with ETags: %s', (etags) => {
  const { sandbox, withHeldJob, decide, submissions } = useHeldJobs({ etags });

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
        expect(await decide(held, decision)).toMatchObject({ applied: true, stage: 'abandoned' });
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

test('P1: the first of two decisions at once is taken: an abandoned job is not sent', async () => {
  const { run, hold } = await startResubmittable();
  const abandoned = await leaveDecision(run, { ...SOMEBODY, hold, action: 'abandon' });
  const resubmitted = await leaveDecision(run, { ...SOMEBODY, hold, action: 'resubmit' });
  await withWorker(temporal, config, sandbox.url, async () => {
    expect(await abandoned()).toMatchObject({ applied: true });
    await expect(resubmitted()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('decided already') },
    });
    await expect(run.result()).rejects.toMatchObject({ cause: { type: FAILURE.abandoned } });
  });
  expect(await submissions()).toMatchObject({ submissions: 0 });
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

describe('a decision', () => {
  const cases: [Partial<Decision>, string][] = [
    [{ hold: 'r/9' }, 'hold: the open one is'],
    [{ by: ' ' }, 'by: must be a text'],
    [{ reason: '' }, 'reason: must be a text'],
    [{ action: 'adopt' }, 'taskId: must name the task'],
    [{ action: 'dance' as never }, 'action: must be adopt or resubmit or abandon'],
  ];
  test('on another hold, by nobody, without a reason, without a task or with an unknown action is refused, and the run stays held', async () => {
    await withHeldJob('before', async (held) => {
      for (const [decision, problem] of cases) {
        const whole = { ...SOMEBODY, hold: await holdOf(held), action: 'abandon' as const, ...decision };
        await expect(decide(held, whole)).rejects.toMatchObject({
          cause: { message: expect.stringContaining(problem) },
        });
        expect(await held.state()).toMatchObject({ stage: 'held', decisions: [] });
      }
      await held.resolve({ ...SOMEBODY, action: 'abandon' });
    });
  });

  test('P1: to submit again while what was sent may still arrive is refused', async () => {
    await withHeldJob('before', async (held) => {
      const decision = { ...SOMEBODY, hold: await holdOf(held), action: 'resubmit' as const };
      await expect(decide(held, decision)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('may still arrive') },
      });
      expect(await held.state()).toMatchObject({ stage: 'held', decisions: [] });
      await held.resolve({ ...SOMEBODY, action: 'abandon' });
    });
    expect(await submissions()).toMatchObject({ submissions: 0 });
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

  test('a decision on a run that is not held is refused with its stage', async () => {
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

describe('P1: a resubmit is refused for as long as the last POST may still be sent', () => {
  const HOUR = 3_600_000;
  const submit = { timeout: '1h', authGrace: '1h' } as const;

  test.each<[string, number, (ordered: number, held: number) => number]>([
    ['just ordered: twice the submit timeout from its order on', 0, (ordered) => ordered + 2 * HOUR],
    ['long in its queue: the submit timeout from the hold on', 10 * HOUR, (_ordered, held) => held + HOUR],
  ])('a POST that was %s', async (_case, waited, until) => {
    const at = new Date(Date.now() - waited).toISOString();
    const attempts = [{ n: 1, at, outcome: 'unknown' as const, reason: 'a test' }];
    await withWorker(temporal, config, sandbox.url, async () => {
      const input = { key: `held-${randomUUID()}`, held: { attempts }, submit };
      const run = await startByName(temporal, config, sandbox.url, input);
      const hold = await eventually('the hold', async () => (await run.query(stateQuery)).hold ?? undefined);
      expect(Date.parse(hold.resubmitAfter ?? '')).toBe(until(Date.parse(at), Date.parse(hold.since)));
      const args = [{ ...SOMEBODY, hold: hold.id, action: 'resubmit' }] as [Decision];
      await expect(run.executeUpdate(resolveUpdate, { args })).rejects.toMatchObject({
        cause: { message: expect.stringContaining('may still arrive') },
      });
      await run.terminate();
    });
    expect(await submissions()).toMatchObject({ submissions: 0 });
  });
});
