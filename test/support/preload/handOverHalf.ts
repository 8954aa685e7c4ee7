/** Hands the first partitions of a manifest over and then waits, to be killed: `node -r ../typescript.js handOverHalf.ts FILE KEY COUNT`. */
import { Client, Connection } from '@temporalio/client';
import { type BatchPartition, SegueClient } from '../../../src/client';
import { checkManifest, readPartitions } from '../../../src/runs/manifest';
import { manifestLines } from '../../../src/runs/manifest/source';
import { loadStarterConfig } from '../../../src/config';

async function* first(count: number, partitions: AsyncIterable<BatchPartition>) {
  for await (const partition of partitions) {
    if (partition.n > count) break;
    yield partition;
  }
  console.log('half');
  await new Promise(() => setInterval(() => undefined, 60_000));
}

async function main([file = '', key = '', count]: string[]): Promise<void> {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
  const { digest, items, partitions } = await checkManifest(manifestLines(file));
  await new SegueClient(new Client({ connection }), loadStarterConfig()).batch.start({
    ...{ key, manifest: { digest, items, partitions } },
    partitions: first(Number(count), readPartitions(manifestLines(file))),
  });
}

void main(process.argv.slice(2));
