/** Batches of Segue, made in memory. */
import { randomUUID } from 'node:crypto';
import { type BatchItem, type BatchSpec, MOST_PARTITION_ITEMS, SegueClient } from '../src/client';
import { CONCURRENCY, POLL_EVERY_MS, WORKSPACE } from './settings';
import { type Stage } from './stage';
import { type Work, type WorkItem } from './work';

/** A client with the poll interval of the benchmark. */
export function segueClient({ client }: Stage, taskQueue: string): SegueClient {
  const every = `${POLL_EVERY_MS}ms`;
  return new SegueClient(client, {
    taskQueue,
    poll: { min: every, max: every, deadline: '1h', giveUp: '7d' },
    submit: { timeout: '30s', authGrace: '1h' },
  });
}

export function jobOf({ key, request, project, field, notice }: WorkItem) {
  return {
    ...{ key, tool: 'remove-background', request },
    scope: { organization: WORKSPACE },
    write: { project, at: `/${field}` },
    notify: notice,
  } satisfies BatchItem;
}

/** Yields one partition at a time, as the manifest reader does. */
export function batchOf({ name, items }: Work): BatchSpec {
  const parts = Array.from({ length: Math.ceil(items.length / MOST_PARTITION_ITEMS) }, (_unused, n) => ({
    firstItem: n * MOST_PARTITION_ITEMS,
    items: items.slice(n * MOST_PARTITION_ITEMS, (n + 1) * MOST_PARTITION_ITEMS),
  }));
  const facts = parts.map((part, n) => ({
    items: part.items.length,
    firstLine: part.firstItem + 1,
    digest: `partition-${n}`,
  }));
  async function* partitions() {
    for (const [n, { firstItem, items }] of parts.entries())
      yield Promise.resolve({ n: n + 1, firstItem, items: items.map(jobOf) });
  }
  const manifest = { digest: randomUUID(), items: items.length, partitions: facts };
  return { key: name, manifest, partitions: partitions(), concurrency: CONCURRENCY };
}
