/** Batches of Segue, made in memory. */
import { randomUUID } from 'node:crypto';
import { type BatchItem, type BatchSpec, MOST_PARTITION_ITEMS, SegueClient } from '../src/client';
import { CONCURRENCY, ITEMS_A_PROJECT, POLL_EVERY_MS, WORKSPACE } from './settings';
import { control, type Stage } from './stage';

/** A client whose jobs are polled at the pace of the benchmark. */
export function segueClient({ client }: Stage, taskQueue: string): SegueClient {
  const every = `${POLL_EVERY_MS}ms`;
  return new SegueClient(client, {
    taskQueue,
    poll: { min: every, max: every, deadline: '1h', giveUp: '7d' },
    submit: { timeout: '30s', authGrace: '1h' },
  });
}

/** So many items with a project to write to and a user to tell, each; and the projects. */
export async function prepareBatch(items: number, sandboxUrl: string): Promise<BatchSpec> {
  const key = `bench-${randomUUID()}`;
  const projectOf = (index: number) => ({
    resourcetype: 'campaign',
    id: `${key}-${Math.floor(index / ITEMS_A_PROJECT)}`,
  });
  for (let index = 0; index < items; index += ITEMS_A_PROJECT)
    await control(sandboxUrl, 'seed', {
      projects: [{ ...projectOf(index), workspace: Number(WORKSPACE), data: {} }],
    });
  const itemAt = (index: number): BatchItem => ({
    ...{ key: `item-${index + 1}`, tool: 'remove-background' },
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
    scope: { organization: WORKSPACE },
    write: { project: projectOf(index), at: `/made/item-${index + 1}` },
    notify: { userId: 'u-1', workspaceId: WORKSPACE },
  });
  return { key, ...partitioned(items, itemAt), concurrency: CONCURRENCY };
}

/** As a reader of manifests does it: one partition at a time. */
function partitioned(items: number, itemAt: (index: number) => BatchItem) {
  const sizes = Array.from({ length: Math.ceil(items / MOST_PARTITION_ITEMS) }, (_unused, n) =>
    Math.min(MOST_PARTITION_ITEMS, items - n * MOST_PARTITION_ITEMS),
  );
  const facts = sizes.map((size, n) => ({
    items: size,
    firstLine: n * MOST_PARTITION_ITEMS + 1,
    digest: `partition-${n}`,
  }));
  async function* partitions() {
    for (const [n, size] of sizes.entries()) {
      const firstItem = n * MOST_PARTITION_ITEMS;
      const batchItems = Array.from({ length: size }, (_unused, place) => itemAt(firstItem + place));
      yield Promise.resolve({ n: n + 1, firstItem, items: batchItems });
    }
  }
  return { manifest: { digest: randomUUID(), items, partitions: facts }, partitions: partitions() };
}
