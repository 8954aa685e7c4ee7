/** A partition that cannot take what it is told of its slots is told again. */
import { runWithFullPartition, startServerOfFewSignals } from '../../support/builders/fullPartition';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal(startServerOfFewSignals);
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 1 } });

test('P2: a partition that has too many signals to take another is told its slots again, until it takes them', async () => {
  const run = await runWithFullPartition(temporal, testConfig(), sandbox.url);
  expect(await run.result()).toMatchObject({ status: 'completed', counts: { succeeded: 2 } });
  // The one that was there before, and the one that waited for its place.
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
});
