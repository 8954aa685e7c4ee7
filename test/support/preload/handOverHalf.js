/** Hands the first partitions of a manifest over and then waits, to be killed: `node handOverHalf.js FILE KEY COUNT`. */
const { Client, Connection } = require('@temporalio/client');
const { SegueClient } = require('../../../dist/client.js');
const { checkManifest, manifestLines, readPartitions } = require('../../../dist/runs/manifest/index.js');
const { loadStarterConfig } = require('../../../dist/config/index.js');

async function* first(count, partitions) {
  for await (const partition of partitions) {
    if (partition.n > count) break;
    yield partition;
  }
  console.log('half');
  await new Promise(() => setInterval(() => undefined, 60_000));
}

async function main([file, key, count]) {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
  const { digest, items, partitions } = await checkManifest(manifestLines(file));
  await new SegueClient(new Client({ connection }), loadStarterConfig()).batch.start({
    ...{ key, manifest: { digest, items, partitions } },
    partitions: first(Number(count), readPartitions(manifestLines(file))),
  });
}

void main(process.argv.slice(2));
