/** A worker that is killed in the middle of a chunk: what it had learned is known, and nothing is paid for twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MediaJob } from '../../src/client/jobs/job';
import { batchOf, cutouts, resultsOf } from '../support/batch';
import { decideByLedger } from '../support/deciding';
import { eventually } from '../support/eventually';
import { useProcesses } from '../support/processes';
import { addFault, readLedger } from '../support/sandbox';
import { segueClient, testConfig, useTemporal } from '../support/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);
const ITEMS = 40;

test('P1 P2: kill -9 while half of the answers are on their way: held at most those, the others go on', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=2');
  const config = testConfig({ submit: { timeout: '10s', authGrace: '1h' } });
  // The service takes each of them, and is slow to say so of every other.
  await addFault(sandboxUrl, {
    ...{ operation: 'remove-background', match: { every: 2 } },
    ...{ fault: 'delay', ms: 8_000, when: 'after' },
  });
  const worker = await processes.worker(config.taskQueue, sandboxUrl);
  const client = segueClient(temporal, config);
  const batch = await client.batch.start(batchOf(cutouts(sandboxUrl, ITEMS), 20));
  await eventually('all POSTs', async () => (await readLedger(sandboxUrl)).summary.submissions === ITEMS);
  // What is known goes out with the next sign of life.
  await sleep(500);
  await worker.end('SIGKILL');
  const onTheWire = (await readLedger(sandboxUrl)).entries.filter(({ fault }) => fault === 'delay after');

  await processes.worker(config.taskQueue, sandboxUrl);
  const { status, counts } = await batch.result();
  expect(status).toBe('attention');
  expect(counts.held).toBeLessThanOrEqual(onTheWire.length);
  expect(counts).toMatchObject({ succeeded: ITEMS - counts.held, failed: 0 });

  const held = (await resultsOf(batch)).flatMap(({ workflowId }) => workflowId ?? []);
  expect(held).toHaveLength(counts.held);
  for (const workflowId of held) {
    const job = (await client.job(workflowId)) as MediaJob;
    await decideByLedger(job, sandboxUrl);
    expect(await job.wait()).toMatchObject({ status: 'succeeded' });
  }
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: ITEMS, duplicates: 0 });
  process.stderr.write(`batch: ${onTheWire.length} on the wire at the kill, ${counts.held} held\n`);
}, 120_000);
