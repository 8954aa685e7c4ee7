/** Batches whose tasks take too long. */
import { type MediaJob } from '../../../src/client/jobs/job';
import { batchItemKey } from '../../../src/contract/ids';
import { batchOf, cutouts, resultsOf, startBatch, untilStatus } from '../../support/builders/batch';
import { befall, newTask, OPERATOR } from '../../support/builders/batchTrouble';
import { notificationsOf } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { tasksOf } from '../../support/builders/jobs';
import { readLedger, useSandboxEach, startSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'instant' } });

/** What is not over at its first poll takes too long. */
const overdueAtOnce = (giveUp: '2s' | '7d' = '7d') =>
  testConfig({ poll: { min: '50ms', max: '100ms', deadline: '0ms', giveUp } });

/** The service tells nothing of its task, neither the batch nor the run that goes on with it. */
async function keepSilentAbout(key: string): Promise<void> {
  for (let poll = 1; poll <= 5; poll++)
    await befall(sandbox.url, `${key}.poll.${poll}`, { operation: 'get-task', status: 500 });
}

test('P2: tasks that take too long go on as runs of their own when nothing else is left', async () => {
  const config = overdueAtOnce();
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

test('P2: tasks that never end and take all slots go on as runs of their own when a single job would be given up', async () => {
  const config = overdueAtOnce('2s');
  const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
  const work = async (): Promise<void> => {
    const batch = await startBatch(temporal, config, batchOf(cutouts(slow.url, 3), 3, { concurrency: 2 }));
    // As it ended: the runs of its items are given up soon after.
    const result: unknown = await temporal.client.workflow.getHandle(batch.workflowId).result();
    expect(result).toMatchObject({ status: 'attention', counts: { held: 3 } });
  };
  await withWorker(temporal, config, slow.url, work, { operator: OPERATOR });
  expect((await readLedger(slow.url)).summary).toMatchObject({ submissions: 3, duplicates: 0 });
  await slow.stop();
});

test.each([
  ['all slots', 0, 2],
  ['more than all slots, since they were there before', 3, 3],
])(
  'P2: tasks that take too long, and %s: the operator is told, and more slots let others begin',
  async (_what, given, taken) => {
    const config = overdueAtOnce();
    const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    const submissions = async (): Promise<number> => (await readLedger(slow.url)).summary.submissions;
    const work = async (): Promise<void> => {
      const items = cutouts(slow.url, 6);
      for (const item of items.slice(0, given)) item.taskId = await newTask(slow.url, item.request);
      const batch = await startBatch(temporal, config, batchOf(items, 6, { concurrency: 2 }));
      const { late, trouble } = await untilStatus(batch, 'slow tasks', (status) => status.late !== null);
      expect(late).toContain(`${taken} tasks of partition 1 are not over after 0ms, and others wait`);
      expect(trouble).toBeNull();
      const isTold = async (): Promise<boolean> =>
        (await notificationsOf(slow.url)).some(({ request }) => request.title.includes('slow tasks'));
      await eventually('that the operator knows', isTold);
      // No more are at the service than was agreed.
      expect(await submissions()).toBe(taken);
      await batch.concurrency({ concurrency: taken + 1, by: 'sam' });
      await eventually('another one', async () => (await submissions()) === taken + 1);
      await batch.cancel({ by: 'sam' });
      expect(await batch.result()).toMatchObject({ status: 'cancelled', counts: { cancelled: 6 } });
    };
    await withWorker(temporal, config, slow.url, work, { operator: OPERATOR });
    await slow.stop();
  },
);
