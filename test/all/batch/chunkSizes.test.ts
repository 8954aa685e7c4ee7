/** How many items a partition hands to a worker at once, and how many of them that one sends. */
import { defaultPayloadConverter } from '@temporalio/common';
import { type ChunkOrder, type ChunkOutcome } from '../../../src/contract';
import { batchPartWorkflowId } from '../../../src/contract/ids';
import { batchOf, cutouts, startBatch } from '../../support/builders/batch';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 1 } });

interface Chunk {
  items: number;
  sent: number;
}

/** In the order in which they were given to workers. */
async function chunksOf(workflowId: string): Promise<Chunk[]> {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const orders = new Map<string, Chunk>();
  for (const { eventId, ...event } of events ?? []) {
    const { activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
    const [order] = input?.payloads ?? [];
    if (activityType?.name === 'submitChunk' && order) {
      const { submissions } = defaultPayloadConverter.fromPayload<ChunkOrder>(order);
      orders.set(String(eventId), { items: submissions.length, sent: 0 });
    }
    const { scheduledEventId, result } = event.activityTaskCompletedEventAttributes ?? {};
    const chunk = orders.get(String(scheduledEventId));
    const [outcomes] = result?.payloads ?? [];
    if (chunk && outcomes)
      chunk.sent = defaultPayloadConverter
        .fromPayload<ChunkOutcome[]>(outcomes)
        .filter(({ outcome }) => outcome === 'accepted').length;
  }
  return [...orders.values()];
}

async function chunksWith(
  limits: { maxSubmits: number; maxSubmitRate?: number },
  items: number,
  concurrency = 1_000,
): Promise<Chunk[]> {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, items), items, { concurrency });
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const batch = await startBatch(temporal, config, spec);
      expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: items } });
    },
    { limits },
  );
  const { summary, entries } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ submissions: items, duplicates: 0 });
  // What had no place was not tried: it is the first attempt of each that was sent.
  const attempts = entries
    .filter(({ operation }) => operation === 'remove-background')
    .map(({ requestId }) => requestId?.split('.submit.')[1]);
  expect(attempts).toEqual(Array(items).fill('1'));
  return chunksOf(batchPartWorkflowId(spec.key, 1));
}

test('a worker with room for two of the largest sends all of each', async () => {
  expect(await chunksWith({ maxSubmits: 200 }, 100)).toEqual(Array(2).fill({ items: 50, sent: 50 }));
});

test('P1: where there is less, half of the slots are one chunk: the rest goes back, and the next are no larger', async () => {
  const chunks = await chunksWith({ maxSubmits: 120 }, 130);
  expect(chunks.slice(0, 3).map(({ items }) => items)).toEqual([50, 50, 30]);
  expect(Math.max(...chunks.map(({ sent }) => sent))).toBe(30);
  expect(Math.max(...chunks.slice(3).map(({ items }) => items))).toBeLessThanOrEqual(30);
});

test('a batch that may have few at the service sends few at once', async () => {
  const chunks = await chunksWith({ maxSubmits: 200 }, 100, 200);
  expect(chunks).toEqual(Array(4).fill({ items: 25, sent: 25 }));
});

test('where a rate is to be kept, no chunk sends more than it counts for', async () => {
  const chunks = await chunksWith({ maxSubmits: 200, maxSubmitRate: 1_000 }, 60);
  expect(Math.max(...chunks.map(({ sent }) => sent))).toBe(25);
});
