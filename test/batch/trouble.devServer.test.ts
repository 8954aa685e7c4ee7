/** Batches whose service is in trouble: with one item, or with all of them. */
import { type MediaJob } from '../../src/client/jobs/job';
import { batchItemKey } from '../../src/ids';
import { startSandbox } from '../../src/sandbox/server';
import { batchOf, cutouts, resultsOf, startBatch, untilStatus } from '../support/batch';
import { notificationsOf } from '../support/campaign';
import { decideByLedger } from '../support/deciding';
import { eventually } from '../support/eventually';
import { tasksOf } from '../support/jobs';
import { addFault, answering, ask, readLedger, useSandboxEach } from '../support/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../support/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });
const operator = { userId: 'on-call', workspaceId: '1' };

/** What the operator was told, by title. */
async function toldToOperator(): Promise<string[]> {
  const told = await notificationsOf(sandbox.url);
  return told.filter(({ request }) => request.userId === operator.userId).map(({ request }) => request.title);
}

function befall(requestId: string, fault: Partial<Parameters<typeof addFault>[1]>): Promise<void> {
  const rule = { operation: 'remove-background', match: { requestId }, when: 'before' as const };
  return addFault(sandbox.url, { ...rule, fault: 'status', ...fault });
}

test('P1 P2: one POST of unknown outcome: that item is held as a run of its own, the others go on', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 12), 6, { notify: { userId: 'u-1', workspaceId: '1' } });
  const key = batchItemKey(spec.key, 8);
  await befall(`${key}.submit.1`, { fault: 'reset', when: 'after' });
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const client = segueClient(temporal, config);
      const report = await client.batch.run(spec);
      expect(report).toMatchObject({ status: 'held', stage: 'attention', error: '1 items need a person' });
      const batch = await client.batch.get(spec.key);
      const results = await resultsOf(batch);
      expect(results.filter(({ status }) => status === 'succeeded')).toHaveLength(11);
      expect(results[7]).toMatchObject({ key: 'line-8', status: 'held', workflowId: `media/${key}` });

      const job = (await client.job(`media/${key}`)) as MediaJob;
      expect(await job.state()).toMatchObject({
        stage: 'held',
        hold: { why: 'unknown' },
        attempts: [{ n: 1, outcome: 'unknown' }],
      });
      await eventually('it in the list', async () =>
        (await client.held({ limit: 5_000 })).jobs.some((held) => held.key === key),
      );
      await decideByLedger(job, sandbox.url);
      const [taskId] = await tasksOf(sandbox.url, key);
      expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId });
    },
    { operator },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 12, duplicates: 0 });
  expect(await toldToOperator()).toEqual(['Items of a batch need your decision']);
  const toUser = (await notificationsOf(sandbox.url)).filter(({ request }) => request.userId === 'u-1');
  expect(toUser.map(({ request }) => request.category)).toEqual(['agentError']);
});

test('an item that was held by its batch can be submitted again, as its second submission', async () => {
  const config = testConfig({ submit: { timeout: '1s', authGrace: '1h' } });
  const spec = batchOf(cutouts(sandbox.url, 2), 2);
  const key = batchItemKey(spec.key, 2);
  await befall(`${key}.submit.1`, { fault: 'reset', when: 'before' });
  await withWorker(temporal, config, sandbox.url, async () => {
    const client = segueClient(temporal, config);
    await client.batch.run(spec);
    const job = (await client.job(`media/${key}`)) as MediaJob;
    await decideByLedger(job, sandbox.url);
    expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    expect((await job.state())?.attempts.map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'unknown'],
      [2, 'accepted'],
    ]);
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});

test('P2: an item that the service refuses fails alone, in its own words', async () => {
  const config = testConfig();
  const items = cutouts(sandbox.url, 6);
  const spec = batchOf(items, 6);
  await befall(`${batchItemKey(spec.key, 2)}.submit.1`, { status: 422 });
  await befall(`${batchItemKey(spec.key, 4)}.submit.1`, { status: 429 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const { batch } = segueClient(temporal, config);
    expect(await batch.run(spec)).toMatchObject({ status: 'failed', stage: 'completed' });
    const results = await resultsOf(await batch.get(spec.key));
    expect(results.map(({ status }) => status)).toEqual([
      'succeeded',
      'failed',
      ...Array<string>(4).fill('succeeded'),
    ]);
    expect(results[1]?.error).toMatch(/^the service refused it: status 422/);
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 5, duplicates: 0 });
});

test('P1 P2: 503 for everybody holds what was on the wire, tells the operator once, and the rest goes on afterwards', async () => {
  const config = testConfig();
  const limits = { maxSubmits: 10 };
  const spec = batchOf(cutouts(sandbox.url, 40), 20);
  for (const operation of ['remove-background', 'get-workspace'])
    await addFault(sandbox.url, answering(503, operation));
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const batch = await startBatch(temporal, config, spec);
      const { trouble } = await untilStatus(batch, 'the trouble', (status) => status.trouble !== null);
      expect(trouble).toMatch(/holds submits back since/);
      await eventually('that the operator knows', async () => (await toldToOperator()).length === 2);
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      const { status, counts } = await batch.result();
      expect(status).toBe('attention');
      // The batch's half of what may be on the wire, and three.
      expect(counts.held).toBeLessThanOrEqual(limits.maxSubmits / 2 + 3);
      expect(counts).toMatchObject({ succeeded: 40 - counts.held, failed: 0, waiting: 0, running: 0 });
      expect((await readLedger(sandbox.url)).summary).toMatchObject({
        submissions: counts.succeeded,
        duplicates: 0,
      });
      for (const { workflowId } of await resultsOf(batch))
        if (workflowId) await temporal.client.workflow.getHandle(workflowId).terminate();
    },
    { limits, operator },
  );
  expect((await toldToOperator()).sort()).toEqual([
    'A batch does not get on',
    'Items of a batch need your decision',
  ]);
});

test('P2: a denied credential pauses the batch, fails and holds nothing, and it goes on with one that works', async () => {
  const config = testConfig({ submit: { timeout: '5s', authGrace: '0s' } });
  const spec = batchOf(cutouts(sandbox.url, 12), 6);
  for (const operation of ['remove-background', 'get-workspace'])
    await addFault(sandbox.url, answering(401, operation));
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const batch = await startBatch(temporal, config, spec);
      await untilStatus(batch, 'the trouble', ({ trouble }) => trouble !== null);
      await eventually('that the operator knows', async () => (await toldToOperator()).length > 0);
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 12 } });
    },
    { operator },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 12, duplicates: 0 });
  expect(await toldToOperator()).toEqual(['A batch does not get on']);
});

test('P2: items that are denied, time and again, keep nobody behind them from being submitted', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 6), 6, { concurrency: 2 });
  for (const submission of ['1.submit.1', '2.submit.1', ...[2, 3, 4, 5].map((n) => `1.submit.${n}`)])
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i${submission}` } },
      ...{ fault: 'status', status: 403, when: 'before' },
    });
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await untilStatus(batch, 'the others', ({ counts }) => counts.succeeded >= 4);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 6 } });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 6, duplicates: 0 });
});

test("P2: a poll that fails now and then is nobody's business; when none tells anything, the operator is told once", async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  const silent = batchOf(cutouts(sandbox.url, 1), 1);
  const silence = (key: string, polls: number[]): Promise<unknown> =>
    Promise.all(
      polls.map((poll) =>
        befall(`${batchItemKey(key, 1)}.poll.${poll}`, { operation: 'get-task', status: 500 }),
      ),
    );
  await silence(spec.key, [1, 3]);
  await silence(
    silent.key,
    Array.from({ length: 200 }, (_unused, index) => index + 1),
  );
  const work = async (): Promise<void> => {
    const { batch: batches } = segueClient(temporal, config);
    expect(await batches.run(spec)).toMatchObject({ status: 'succeeded' });
    expect(await toldToOperator()).toEqual([]);
    const batch = await batches.start(silent);
    await eventually('that the operator knows', async () => (await toldToOperator()).length > 0);
    expect((await batch.status()).trouble).toMatch(/^nothing is learned of its tasks: /);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 1 } });
  };
  await withWorker(temporal, config, sandbox.url, work, { operator });
  expect(await toldToOperator()).toEqual(['A batch learns nothing of its tasks']);
});

test('P2: tasks that the service gives no answer to keep none behind them from being asked after', async () => {
  const config = testConfig();
  const { url, stop } = await startSandbox({ pace: { kind: 'polls', polls: 1 } });
  // As many as one poll asks after at once, and as many others.
  const [silent, others] = [20, 20];
  const spec = batchOf(cutouts(url, silent + others), silent + others);
  for (let item = 1; item <= silent; item++)
    for (let poll = 1; poll <= 8; poll++)
      await addFault(url, {
        ...{ operation: 'get-task', fault: 'hang', when: 'before' },
        match: { requestId: `${batchItemKey(spec.key, item)}.poll.${poll}` },
      });
  await withWorker(temporal, config, url, async () => {
    const batch = await startBatch(temporal, config, spec);
    const isDone = async (): Promise<boolean> => (await batch.status()).counts.succeeded >= others;
    await eventually('the others', isDone, 120_000);
    const { entries } = await readLedger(url);
    const polls = entries.map(({ requestId }) => Number(/\.poll\.(\d+)$/.exec(requestId ?? '')?.[1] ?? 0));
    // The first comes to two of them, at most, and the second to all.
    expect(Math.max(...polls)).toBeLessThanOrEqual(4);
    await ask(url, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ counts: { succeeded: silent + others } });
  });
  await stop();
}, 180_000);

/** Long enough for what is not stuck, however slow the machine. */
const DEADLINE = '4s';

/** The service tells nothing of its task, until long after the deadline. */
async function keepSilentAbout(key: string): Promise<void> {
  for (let poll = 1; poll <= 200; poll++)
    await befall(`${key}.poll.${poll}`, { operation: 'get-task', status: 500 });
}

test('P2: tasks that take too long go on as runs of their own when nothing else is left', async () => {
  const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: DEADLINE, giveUp: '7d' } });
  const spec = batchOf(cutouts(sandbox.url, 3), 3);
  const key = batchItemKey(spec.key, 2);
  await keepSilentAbout(key);
  await withWorker(temporal, config, sandbox.url, async () => {
    const client = segueClient(temporal, config);
    const batch = await client.batch.start(spec);
    expect(await batch.result()).toMatchObject({ status: 'attention', counts: { succeeded: 2, held: 1 } });
    const [, late] = await resultsOf(batch);
    const [taskId] = await tasksOf(sandbox.url, key);
    expect(late).toMatchObject({ status: 'held', taskId, workflowId: `media/${key}` });
    const job = (await client.job(`media/${key}`)) as MediaJob;
    await eventually('that it is overdue', async () => (await job.state())?.stage === 'overdue');
    await job.resolve({ action: 'abandon', by: 'a test', reason: 'too slow' });
    await job.wait();
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 3, duplicates: 0 });
});

test('P2: tasks that never end and take all places go on as runs of their own when a single job would be given up', async () => {
  const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '500ms', giveUp: '2s' } });
  const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
  const work = async (): Promise<void> => {
    const batch = await startBatch(temporal, config, batchOf(cutouts(slow.url, 3), 3, { concurrency: 2 }));
    expect(await batch.result()).toMatchObject({ status: 'attention', counts: { held: 3 } });
  };
  await withWorker(temporal, config, slow.url, work, { operator });
  expect((await readLedger(slow.url)).summary).toMatchObject({ submissions: 3, duplicates: 0 });
  await slow.stop();
});

/** One that the service has before there is a batch. */
async function newTask(sandboxUrl: string, body: unknown): Promise<string> {
  const { json } = await ask(sandboxUrl, 'POST /tools/remove-background', { body });
  return String(json.task_id);
}

test('P2: a batch whose partition has nothing left to submit is not in trouble any more', async () => {
  const config = testConfig();
  const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
  const items = cutouts(slow.url, 2);
  for (const item of items.slice(0, 1)) item.taskId = await newTask(slow.url, item.request);
  const spec = batchOf(items, 2);
  // It is denied, and then nobody knows what became of it.
  for (const [n, fault] of [{ fault: 'status' as const, status: 401 }, { fault: 'reset' as const }].entries())
    await addFault(slow.url, {
      ...{ operation: 'remove-background', when: 'before', ...fault },
      match: { requestId: `${batchItemKey(spec.key, 2)}.submit.${n + 1}` },
    });
  await withWorker(temporal, config, slow.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    const { trouble } = await untilStatus(batch, 'the trouble', (status) => status.trouble !== null);
    expect(trouble).toContain('401');
    const left = await untilStatus(batch, 'the held one', ({ counts }) => counts.held === 1);
    expect(left).toMatchObject({ counts: { running: 1, waiting: 0 }, trouble: null });
    await batch.cancel({ by: 'sam' });
    await batch.result();
    await temporal.client.workflow.getHandle(`media/${batchItemKey(spec.key, 2)}`).terminate();
  });
  await slow.stop();
});

test.each([
  ['all places', 0, 2],
  ['more than all places, since they were there before', 3, 3],
])(
  'P2: tasks that take too long, and %s: the operator is told, and more places let others begin',
  async (_what, given, taken) => {
    const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '500ms', giveUp: '7d' } });
    const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    const submissions = async (): Promise<number> => (await readLedger(slow.url)).summary.submissions;
    const work = async (): Promise<void> => {
      const items = cutouts(slow.url, 6);
      for (const item of items.slice(0, given)) item.taskId = await newTask(slow.url, item.request);
      const batch = await startBatch(temporal, config, batchOf(items, 6, { concurrency: 2 }));
      const { late, trouble } = await untilStatus(batch, 'slow tasks', (status) => status.late !== null);
      expect(late).toContain(`${taken} tasks of partition 1 are not over after 500ms, and others wait`);
      expect(trouble).toBeNull();
      const isTold = async (): Promise<boolean> =>
        (await notificationsOf(slow.url)).some(({ request }) => request.title.startsWith('Slow tasks'));
      await eventually('that the operator knows', isTold);
      // No more are at the service than was agreed.
      expect(await submissions()).toBe(taken);
      await batch.concurrency({ concurrency: taken + 1, by: 'sam' });
      await eventually('another one', async () => (await submissions()) === taken + 1);
      await batch.cancel({ by: 'sam' });
      expect(await batch.result()).toMatchObject({ status: 'cancelled', counts: { cancelled: 6 } });
    };
    await withWorker(temporal, config, slow.url, work, { operator });
    await slow.stop();
  },
);
