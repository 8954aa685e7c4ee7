/** Scheduled batches whose worker was killed while it handed them over: what the next one makes of what is there. */
import { randomUUID } from 'node:crypto';
import { checkManifest, type Partition, readPartitions } from '../../../src/runs/manifest';
import { linesOf } from '../../../src/runs/manifest/lines';
import { startScheduledBatch } from '../../../src/runs/batch/fromAddress';
import { UnreachableAddress } from '../../../src/errors';
import { endHandOverSignal } from '../../../src/contract';
import { batchWorkflowId, firedKey, firingWorkflowId } from '../../../src/contract/ids';
import { cutouts, oneByOne, resultsOf, startPartly, untilStatus } from '../../support/builders/batch';
import { eventually } from '../../support/eventually';
import { manifestOf } from '../../support/builders/manifests';
import { FIRST, itemsOf, useScheduledBatches } from '../../support/builders/scheduledBatches';

const { client, leaving, manifests, newSchedule, sandbox, submitted, temporal, untilOver } =
  useScheduledBatches();

describe('a worker that was killed while it handed a batch over', () => {
  /** The firing reads; what an earlier attempt of it left behind comes to be; then the address gives its answer. */
  async function fireAfter(
    left: (key: string, token: string) => Promise<void>,
    answer: string | number,
  ): Promise<string> {
    const name = await newSchedule();
    const release = manifests.holdBack();
    manifests.gives(answer);
    await client().schedules.backfill(name, FIRST, FIRST);
    await eventually('the reading', () => manifests.asked.length === 1);
    const { runId } = await temporal.client.workflow
      .getHandle(`${firingWorkflowId(name)}-${FIRST}`)
      .describe();
    await left(firedKey(name, FIRST), runId);
    release();
    return name;
  }

  test('P1: the next one goes on with the same manifest', async () => {
    // So long that eight of them fill a partition; nobody is told of anything.
    const notify = { userId: 'u-1', workspaceId: '1', on: [], link: `${sandbox.url}/${'x'.repeat(60_000)}` };
    const text = manifestOf(cutouts(sandbox.url, 10, { notify }));
    const lines = () => linesOf([Buffer.from(text)]);
    const left = async (key: string, token: string): Promise<void> => {
      const { digest, items, partitions } = await checkManifest(lines());
      const { value: first } = (await readPartitions(lines()).next()) as { value: Partition };
      expect(partitions).toHaveLength(2);
      const manifest = { digest, items, partitions };
      const spec = { key, source: manifests.name, manifest, partitions: oneByOne([first]) };
      await startPartly(client(), spec, { token });
    };
    const name = await fireAfter(left, text);
    expect(await untilOver(name)).toMatchObject({ status: 'succeeded', error: null });
    expect(await submitted()).toEqual(itemsOf(name, FIRST, 10).sort());
  });

  test('P2: where its address gives another manifest, what is there goes on, and a person is told of the rest', async () => {
    const name = await fireAfter(leaving(1), manifestOf(cutouts(sandbox.url, 9)));
    const key = firedKey(name, FIRST);
    expect(await untilOver(name)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`this ends it: segue batch cancel ${key} --by NAME`),
    });
    const batch = await client().batch.get(key);
    await untilStatus(batch, 'the end of what is there', ({ partitions }) => partitions.over === 1);
    expect(await submitted()).toEqual(itemsOf(name, FIRST, 2));
    const incomplete = 'the manifest is lost';
    const run = temporal.client.workflow.getHandle(batchWorkflowId(key));
    await run.signal(endHandOverSignal, { reason: incomplete });
    expect(await batch.result()).toMatchObject({ incomplete, counts: { succeeded: 2, cancelled: 2 } });
    expect(await resultsOf(batch)).toHaveLength(2);
  });

  const nextAttempt = (key: string, token: string, taskQueue: string) =>
    startScheduledBatch(temporal.client, { key, manifest: manifests.address }, { taskQueue, token });

  test('P2: where its address cannot be read any more, the batch waits for the rest until a person ends it', async () => {
    manifests.gives(503);
    const [key, token] = [`b-${randomUUID()}`, randomUUID()];
    await leaving(1)(key, token);
    const batch = await client().batch.get(key);
    await expect(nextAttempt(key, token, batch.taskQueue)).rejects.toThrow(UnreachableAddress);
    expect(await batch.status()).toMatchObject({ stage: 'running', incomplete: null });
    await batch.cancel({ by: 'olga' });
    expect(await batch.result()).toMatchObject({ status: 'cancelled' });
  });

  test('a batch that is all there needs its address no more', async () => {
    manifests.gives(503);
    const [key, token] = [`b-${randomUUID()}`, randomUUID()];
    await leaving(2)(key, token);
    const { runId, taskQueue } = await client().batch.get(key);
    expect(await nextAttempt(key, token, taskQueue)).toMatchObject({ key, runId, existing: false });
    expect(await nextAttempt(key, randomUUID(), taskQueue)).toMatchObject({ key, runId, existing: true });
    expect(manifests.asked).toEqual([]);
  });
});
