/** Batches whose histories are soon too long: batch and partitions continue as new, with items at the service. */
import { randomUUID } from 'node:crypto';
import { BATCH_WORKFLOW, type BatchResult, batchStatusQuery } from '../../../src/contract';
import { batchWorkflowId } from '../../../src/contract/ids';
import {
  batchOf,
  cutouts,
  mostAtOnce,
  resultsOf,
  silentBatch,
  startBatch,
  startSilentPartitions,
  untilStatus,
} from '../../support/builders/batch';
import { notificationsOf } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, useSandboxEach } from '../../support/service/sandbox';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';
import { readProject, seedProject, WRITE_TIMEOUT_MS } from '../../support/builders/writing';

import { historiesOf, runsOf, timesOf } from '../../support/servers/runs';
import { startContinued } from '../../support/servers/continueAsNew';

const temporal = useTemporal(() =>
  startOwnDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 60 } }),
);
// Without ETags, which is harder; writing.test.ts of core has the same with both.
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 3 }, etags: false });

test('P1 P2 P4: 30 items over several runs of batch and partitions: one POST each, every result there, the operator told once though not at once, and what failed can be run again', async () => {
  const config = testConfig();
  const project = await seedProject(sandbox.url);
  const items = cutouts(sandbox.url, 30).map((item) => ({
    ...item,
    write: { project, at: `/made/${item.key}` },
  }));
  const spec = batchOf(items, 15, { concurrency: 6 });
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i5.submit.1` } },
    ...{ fault: 'reset', when: 'after' },
  });
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${spec.key}~i7.submit.1` } },
    ...{ fault: 'status', status: 422, when: 'before' },
  });
  // The operator cannot be told of what is held until all is over.
  await addFault(sandbox.url, answering(403, 'notify'));
  const work = async (): Promise<void> => {
    const batch = await startBatch(temporal, config, spec);
    const { workflowId, key } = batch;
    await untilStatus(batch, 'the end', ({ stage }) => stage === 'attention');
    await runsOf(temporal, workflowId);
    expect(await notificationsOf(sandbox.url)).toEqual([]);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    const result = (await temporal.client.workflow.getHandle(workflowId).result()) as BatchResult;
    expect(result).toMatchObject({ status: 'attention', counts: { succeeded: 28, failed: 1, held: 1 } });
    // runsOf fails unless the workflow continued as new.
    const runs = {
      batch: await runsOf(temporal, workflowId),
      first: await runsOf(temporal, `batch-part/${key}~1`),
      second: await runsOf(temporal, `batch-part/${key}~2`),
    };
    process.stderr.write(`batch over runs: ${JSON.stringify(runs)}\n`);
    const again = await startBatch(temporal, config, spec);
    const results = await resultsOf(again);
    expect(results.map(({ key: name }) => name)).toEqual(items.map(({ key: name }) => name));
    expect(results.filter(({ info }) => info !== undefined)).toHaveLength(28);
    expect(results[4]).toMatchObject({ status: 'held', workflowId: `media/${key}~i5` });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 29, lostKeys: 0 });
    // What it was asked for stands in the first of its partition's runs alone.
    const { batch: repeat } = await segueClient(temporal, config).batch.retry(key);
    expect(await repeat?.result()).toMatchObject({ items: 1, counts: { succeeded: 1 } });
    const { made } = (await readProject(sandbox.url, project)).data as { made: object };
    expect(Object.keys(made)).toHaveLength(29);
  };
  await withWorker(temporal, config, sandbox.url, work, {
    operator: { userId: 'on-call', workspaceId: '1' },
  });
  const told = (await notificationsOf(sandbox.url)).map(({ request }) => request.title);
  expect(told).toEqual(['Items of a batch need your decision']);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 30, duplicates: 0 });
  expect(await mostAtOnce(sandbox.url, 3)).toBeLessThanOrEqual(7);
});

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 3 }, etags });

  test('P3: a project that cannot be written keeps nothing else from getting on, and has every result once it can', async () => {
    const config = testConfig();
    const project = await seedProject(sandbox.url);
    const [first, second, ...others] = cutouts(sandbox.url, 14);
    const written = [first, second].flatMap((item) => (item ? [item] : []));
    const items = [
      ...written.map((item) => ({ ...item, write: { project, at: `/made/${item.key}` } })),
      ...others,
    ];
    // The second partition waits for the slots of the first.
    const spec = batchOf(items, 10, { concurrency: 2 });
    await addFault(sandbox.url, answering(500, 'update-project'));
    const work = async (): Promise<void> => {
      const batch = await startBatch(temporal, config, spec);
      await untilStatus(batch, 'all items', ({ counts }) => counts.succeeded === 14);
      const runs = await runsOf(temporal, `batch-part/${spec.key}~1`);
      process.stderr.write(`a project that cannot be written: ${runs} runs of its partition\n`);
      expect(await batch.status()).toMatchObject({ stage: 'running', partitions: { over: 1 } });
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 14 } });
      const results = await resultsOf(batch);
      expect(results.filter(({ unwritten }) => unwritten !== undefined)).toEqual([]);
      const { made } = (await readProject(sandbox.url, project)).data as { made: Record<string, unknown> };
      for (const [index, { key }] of written.entries())
        expect(made[key]).toMatchObject({ key, taskId: results[index]?.taskId, info: results[index]?.info });
    };
    await withWorker(temporal, config, sandbox.url, work, { writeTimeoutMs: WRITE_TIMEOUT_MS });
    const { summary } = await readLedger(sandbox.url);
    expect(summary).toMatchObject({ submissions: 14, duplicates: 0, lostKeys: 0 });
  });
});

test('P2: many silent partitions are checked together, each once', async () => {
  const config = testConfig();
  const [key, count] = [`b-${randomUUID()}`, 20];
  const workflowId = batchWorkflowId(key);
  // All but the last are open.
  await startSilentPartitions(temporal, key, count - 1);
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startContinued(temporal, BATCH_WORKFLOW, {
      workflowId,
      taskQueue: config.taskQueue,
      args: [silentBatch(key, count)],
    });
    const { stopped } = await eventually('that the last one is missed', async () => {
      const status = await batch.query(batchStatusQuery);
      return status.stopped !== null && status;
    });
    expect(stopped?.reason).toBe(`partition ${count} is not known to the Temporal server any more`);
    const histories = await historiesOf(temporal, workflowId);
    expect(timesOf('readEnds', histories)).toBe(1);
    await batch.terminate();
  });
});
