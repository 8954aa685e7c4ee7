/** Batches from hand-over to results, judged by the service. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidInput, KeyReused } from '../../../src/errors';
import { batchPartWorkflowId, batchWorkflowId } from '../../../src/contract/ids';
import {
  batchOf,
  cutouts,
  mostAtOnce,
  oneByOne,
  resultsOf,
  startBatch,
  startPartly,
} from '../../support/builders/batch';
import { notificationsOf } from '../../support/builders/campaign';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { type BatchPartition } from '../../../src/runs/batch/handOver';
import { type BatchSpec } from '../../../src/runs/batch/start';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });

test('P1 P2: 60 items in 3 partitions: each submitted once, never more at once than it may, results in order', async () => {
  const config = testConfig();
  const items = cutouts(sandbox.url, 60);
  const spec = batchOf(items, 20, { concurrency: 7, notify: { userId: 'u-1', workspaceId: '1' } });
  await withWorker(temporal, config, sandbox.url, async () => {
    const { batch } = segueClient(temporal, config);
    const report = await batch.run(spec);
    expect(report).toMatchObject({ status: 'succeeded', stage: 'completed', key: spec.key });
    const handle = await batch.get(spec.key);
    const results = await resultsOf(handle);
    expect(results.map(({ key }) => key)).toEqual(items.map(({ key }) => key));
    expect(results.every(({ status, info, taskId }) => status === 'succeeded' && info && taskId)).toBe(true);
    expect(await handle.result()).toMatchObject({
      status: 'completed',
      items: 60,
      counts: { succeeded: 60, failed: 0, held: 0, waiting: 0, running: 0, cancelled: 0 },
      notified: { status: 'sent' },
    });
  });
  const { summary } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ submissions: 60, duplicates: 0, notifications: 1 });
  expect(await mostAtOnce(sandbox.url, 2)).toBeLessThanOrEqual(7);
  const [notification] = await notificationsOf(sandbox.url);
  expect(notification?.request).toMatchObject({
    category: 'agentTaskCompleted',
    message: expect.stringContaining('Of 60 items: 60 succeeded'),
  });
});

test('P1: started twice, and again when it is over, nothing is done twice', async () => {
  const config = testConfig();
  const items = cutouts(sandbox.url, 9);
  const spec = batchOf(items, 3);
  await withWorker(temporal, config, sandbox.url, async () => {
    const [one, other] = await Promise.all([
      startBatch(temporal, config, spec),
      startBatch(temporal, config, spec),
    ]);
    expect([one.existing, other.existing].sort()).toEqual([false, true]);
    expect(one.runId).toBe(other.runId);
    await one.result();
    const again = await startBatch(temporal, config, spec);
    expect(again).toMatchObject({ existing: true, runId: one.runId });
    expect(await resultsOf(again)).toHaveLength(9);
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 9, duplicates: 0 });
});

test('P1 P2: a client that was killed in the middle of the hand-over starts again and goes on', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 9), 3);
  const all = await allOf(spec);
  await withWorker(temporal, config, sandbox.url, async () => {
    const first = await startPartly(segueClient(temporal, config), {
      ...spec,
      partitions: oneByOne(all.slice(0, 1)),
    });
    expect((await first.status()).partitions.total).toBe(3);
    const second = await startBatch(temporal, config, spec);
    expect(second.existing).toBe(true);
    expect(await second.result()).toMatchObject({ status: 'completed', counts: { succeeded: 9 } });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 9, duplicates: 0 });
});

test('P2: partitions that never come are named; given alone, in any order, they complete the batch', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 8), 2);
  const all = await allOf(spec);
  const only = (...numbers: number[]) => ({
    ...spec,
    partitions: oneByOne(numbers.flatMap((n) => all[n - 1] ?? [])),
  });
  await withWorker(temporal, config, sandbox.url, async () => {
    const first = startBatch(temporal, config, only(3, 1));
    await expect(first).rejects.toThrow(InvalidInput);
    await expect(first).rejects.toThrow(
      `The batch ${spec.key} is open and waits for the rest: start it again to continue:\n` +
        '  of 4 partitions 2 did not come: 2, 4',
    );
    await expect(startBatch(temporal, config, only(4))).rejects.toThrow('1 did not come: 2');
    const batch = await startBatch(temporal, config, only(2));
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 8 } });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 8, duplicates: 0 });
});

test('the same key with another manifest is refused', async () => {
  const config = testConfig();
  const items = cutouts(sandbox.url, 9);
  const spec = batchOf(items, 3);
  const { batch: batches } = segueClient(temporal, config);
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await batch.result();
    const changed = items.map((item, index) => (index === 4 ? { ...item, key: 'another' } : item));
    for (const other of [changed, items.slice(0, 6), cutouts(sandbox.url, 11)]) {
      const refused = batches.start(batchOf(other, 3, { key: spec.key }));
      await expect(refused).rejects.toThrow(KeyReused);
      await expect(refused).rejects.toThrow('its manifest, or its scope or notify, differs');
    }
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 9, duplicates: 0 });
});

async function allOf({ partitions }: BatchSpec): Promise<BatchPartition[]> {
  const all: BatchPartition[] = [];
  for await (const partition of partitions) all.push(partition);
  return all;
}

test('batches that name no workspace have one turn together, and each workspace has its own', async () => {
  const config = testConfig();
  const turnsOf = async (scope?: { organization: string }): Promise<unknown[]> => {
    const { key } = await startBatch(temporal, config, batchOf(cutouts(sandbox.url, 1), 1, { scope }));
    const runs = [batchWorkflowId(key), batchPartWorkflowId(key, 1)];
    return Promise.all(
      runs.map(async (workflowId) => {
        const handle = temporal.client.workflow.getHandle(workflowId);
        const { raw } = await handle.describe();
        await handle.terminate();
        return raw.workflowExecutionInfo?.priority?.fairnessKey;
      }),
    );
  };
  const [one, other, scoped] = [await turnsOf(), await turnsOf(), await turnsOf({ organization: '42' })];
  expect(one).toEqual(['no-workspace', 'no-workspace']);
  expect(other).toEqual(one);
  expect(scoped).toEqual(['42', '42']);
});

test('P1: from a file, as it may be written elsewhere; what is wrong with one starts nothing', async () => {
  const config = testConfig();
  const [one = '', two = ''] = cutouts(sandbox.url, 2).map((item) => JSON.stringify(item));
  const file = path.join(shared().scratch, `${randomUUID()}.ndjson`);
  const key = `b-${randomUUID()}`;
  await withWorker(temporal, config, sandbox.url, async () => {
    const { batch } = segueClient(temporal, config);
    await writeFile(file, `${one}\n{"tool":"none"}\n`);
    await expect(batch.startFrom(file, { key })).rejects.toThrow(`${file}:2: request: is required`);
    await expect(batch.startFrom(file, { key: `${key}+2`, skipBad: true })).rejects.toThrow(InvalidInput);
    await expect(batch.get(key)).rejects.toThrow('There is no run');
    // What is wrong besides the manifest is told at once, and that is not read for it.
    const wrong = { key: 'a/b', concurrency: 20_000, scope: { space: 'ä' } };
    const problems = ['key', 'concurrency', 'scope.space'].map((name): unknown =>
      expect.stringMatching(`^${name}: `),
    );
    await expect(batch.startFrom('/nowhere', wrong)).rejects.toMatchObject({ problems });
    const empty = { digest: 'x', items: 1, partitions: [] };
    const given = { ...wrong, manifest: empty, partitions: oneByOne([]) };
    await expect(batch.start(given)).rejects.toMatchObject({
      problems: [...problems, expect.stringMatching(/^manifest\.partitions: /)],
    });
    // A byte order mark, Windows line ends, a blank line, and no end of the last one.
    await writeFile(file, `\ufeff${one}\r\n\r\n${two}`);
    const started = await batch.startFrom(file, { key, concurrency: 1 });
    expect(await started.result()).toMatchObject({ items: 2, counts: { succeeded: 2 } });
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});
