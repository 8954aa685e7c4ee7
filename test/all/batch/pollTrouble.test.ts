/** Batches whose service does not tell what became of their tasks. */
import { createHash } from 'node:crypto';
import { batchItemKey } from '../../../src/contract/ids';
import { batchOf, cutouts, startBatch } from '../../support/builders/batch';
import { befall, OPERATOR, toldToOperator } from '../../support/builders/batchTrouble';
import { eventually } from '../../support/eventually';
import { answer, startRawServer } from '../../support/service/rawServer';
import { addFault, ask, readLedger, useSandboxEach, startSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });

test("P2: a poll that fails now and then is nobody's business; when none tells anything, the operator is told once", async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  const silent = batchOf(cutouts(sandbox.url, 1), 1);
  const silence = (key: string, polls: number[]): Promise<unknown> =>
    Promise.all(
      polls.map((poll) =>
        befall(sandbox.url, `${batchItemKey(key, 1)}.poll.${poll}`, { operation: 'get-task', status: 500 }),
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
    expect(await toldToOperator(sandbox.url)).toEqual([]);
    const batch = await batches.start(silent);
    await eventually('that the operator knows', async () => (await toldToOperator(sandbox.url)).length > 0);
    expect((await batch.status()).trouble).toMatch(/^polls fail: /);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 1 } });
  };
  await withWorker(temporal, config, sandbox.url, work, { operator: OPERATOR });
  expect(await toldToOperator(sandbox.url)).toEqual(['Batch stalled: the service is in trouble']);
});

test('P2: tasks whose answers are over 8 MiB are over when the service says so', async () => {
  const config = testConfig();
  let accepted = 0;
  const info = { pixels: 'x'.repeat(9 << 20) };
  const server = await startRawServer((socket, request) => {
    const isOdd = /^GET \S+[13579] /.test(request);
    const task = isOdd ? { status: 'SUCCESS', info } : { info, status: 'SUCCESS' };
    const isPost = request.startsWith('POST');
    const reply = isPost
      ? answer('202 Accepted', `{"task_id":"t-${++accepted}"}`, ['connection: close'])
      : answer('200 OK', JSON.stringify(task), ['connection: close']);
    socket.end(reply);
  });
  await withWorker(temporal, config, server.url, async () => {
    const batch = await startBatch(temporal, config, batchOf(cutouts(server.url, 2), 2));
    expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: 2 } });
    for await (const { taskId, info: kept } of batch.results())
      expect(kept).toEqual({
        segue: 'too large to keep',
        bytes: Buffer.byteLength(JSON.stringify(info)),
        sha256: createHash('sha256').update(JSON.stringify(info)).digest('hex'),
        fetch: `segue get task ${taskId} --json`,
      });
  });
  expect(accepted).toBe(2);
  await server.stop();
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
});
