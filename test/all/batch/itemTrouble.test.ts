/** Batches of which single items are in trouble: nobody knows what became of them, or the service refuses them. */
import { type MediaJob } from '../../../src/client/jobs/job';
import { batchItemKey } from '../../../src/contract/ids';
import { batchOf, cutouts, resultsOf } from '../../support/builders/batch';
import { befall, OPERATOR, toldToOperator } from '../../support/builders/batchTrouble';
import { notificationsOf } from '../../support/builders/campaign';
import { decideByLedger } from '../../support/builders/deciding';
import { eventually } from '../../support/eventually';
import { asReport, tasksOf } from '../../support/builders/jobs';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { patientPosts } from '../../support/servers/patientPosts';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });

test('P1 P2: one POST of unknown outcome: that item is held as a run of its own, the others go on', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 12), 6, { notify: { userId: 'u-1', workspaceId: '1' } });
  const key = batchItemKey(spec.key, 8);
  await befall(sandbox.url, `${key}.submit.1`, { fault: 'reset', when: 'after' });
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const client = segueClient(temporal, config);
      const report = await client.batch.run(spec).catch(asReport);
      expect(report).toMatchObject({
        status: 'held',
        stage: 'attention',
        error: '1 item held (see segue held)',
      });
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
    { operator: OPERATOR },
  );
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 12, duplicates: 0 });
  expect(await toldToOperator(sandbox.url)).toEqual(['Items of a batch need your decision']);
  const toUser = (await notificationsOf(sandbox.url)).filter(({ request }) => request.userId === 'u-1');
  expect(toUser.map(({ request }) => request.category)).toEqual(['agentError']);
});

test('an item that was held by its batch can be submitted again, as its second submission', async () => {
  const config = testConfig({ submit: { timeout: '1s', authGrace: '1h' } });
  const spec = batchOf(cutouts(sandbox.url, 2), 2);
  const key = batchItemKey(spec.key, 2);
  await befall(sandbox.url, `${key}.submit.1`, { fault: 'reset', when: 'before' });
  const resubmit = async (): Promise<void> => {
    const client = segueClient(temporal, config);
    await client.batch.run(spec).catch(asReport);
    const job = (await client.job(`media/${key}`)) as MediaJob;
    await decideByLedger(job, sandbox.url);
    expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    expect((await job.state())?.attempts.map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'unknown'],
      [2, 'accepted'],
    ]);
  };
  await withWorker(temporal, config, sandbox.url, resubmit, { worker: patientPosts() });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});

test('P2: an item that the service refuses fails alone, in its own words', async () => {
  const config = testConfig();
  const items = cutouts(sandbox.url, 6);
  const spec = batchOf(items, 6);
  await befall(sandbox.url, `${batchItemKey(spec.key, 2)}.submit.1`, { status: 422 });
  await befall(sandbox.url, `${batchItemKey(spec.key, 4)}.submit.1`, { status: 429 });
  await withWorker(temporal, config, sandbox.url, async () => {
    const { batch } = segueClient(temporal, config);
    expect(await batch.run(spec).catch(asReport)).toMatchObject({ status: 'failed', stage: 'completed' });
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
