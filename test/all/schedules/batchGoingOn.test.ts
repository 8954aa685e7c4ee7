/** Scheduled batches whose worker was killed while it handed them over: what the next one makes of what is there. */
import { randomUUID } from 'node:crypto';
import { checkManifest, type Partition, readPartitions } from '../../../src/runs/manifest';
import { linesOf } from '../../../src/runs/manifest/lines';
import { startScheduledBatch } from '../../../src/runs/schedule/batch';
import { UnreachableAddressError } from '../../../src/errors';
import { batchItemKey, firedKey, firingWorkflowId } from '../../../src/contract/ids';
import { cutouts, oneByOne, resultsOf, startPartly } from '../../support/builders/batch';
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

  test('P2: where its address gives another manifest, what is there goes on, and the rest is told', async () => {
    const name = await fireAfter(leaving(1), manifestOf(cutouts(sandbox.url, 9)));
    expect(await untilOver(name)).toMatchObject({
      status: 'failed',
      error: `2 items were not handed over: ${manifests.name} gave another manifest when the rest was to be read`,
    });
    expect(await submitted()).toEqual(itemsOf(name, FIRST, 2));
    const batch = await client().batch.get(firedKey(name, FIRST));
    expect(await batch.result()).toMatchObject({ counts: { succeeded: 2, cancelled: 2 } });
    expect(await resultsOf(batch)).toHaveLength(2);
  });

  test('P2: where its address cannot be read any more, the rest is given up at the last attempt and not before', async () => {
    manifests.gives(503);
    const [key, token] = [`b-${randomUUID()}`, randomUUID()];
    await leaving(1)(key, token);
    const batch = await client().batch.get(key);
    const asked = { key, manifest: manifests.address };
    const attempt = (isLastAttempt: boolean, requireCurrent = () => Promise.resolve()) =>
      startScheduledBatch(temporal.client, asked, {
        ...{ taskQueue: batch.taskQueue, token, isLastAttempt, requireCurrent },
      });
    await expect(attempt(false)).rejects.toThrow(UnreachableAddressError);
    const late = attempt(true, () => Promise.reject(new Error('another attempt goes on')));
    await expect(late).rejects.toThrow('another attempt goes on');
    expect(await batch.status()).toMatchObject({ stage: 'running', incomplete: null });

    expect(await attempt(true)).toMatchObject({ key, runId: batch.runId, existing: false });
    const incomplete = `${manifests.name} cannot be read: the answer is status 503`;
    expect(await batch.result()).toMatchObject({ incomplete, counts: { succeeded: 2, cancelled: 2 } });
    expect(await batch.report()).toMatchObject({
      ...{ status: 'failed', error: `2 items were not handed over: ${incomplete}` },
    });
    expect(await submitted()).toEqual([1, 2].map((item) => batchItemKey(key, item)));
  });

  test('a batch that is all there needs its address no more', async () => {
    const name = await fireAfter(leaving(2), 'nonsense');
    expect(await untilOver(name)).toMatchObject({ status: 'succeeded', error: null });
    expect(await submitted()).toEqual(itemsOf(name, FIRST, 4));
  });

  test("what is somebody else's is left alone, and a person is told how to end it", async () => {
    const name = await fireAfter(leaving(1, 'somebody'), manifestOf(cutouts(sandbox.url, 9)));
    const key = firedKey(name, FIRST);
    expect(await untilOver(name)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`End it with: segue batch cancel ${key} --by NAME`),
    });
    const batch = await client().batch.get(key);
    await batch.cancel({ by: 'olga' });
    expect(await batch.result()).toMatchObject({ status: 'cancelled' });
  });
});
