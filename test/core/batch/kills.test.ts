/** A worker that is killed in the middle of a chunk: what it had learned is known, and nothing is paid for twice. */
import { defaultPayloadConverter } from '@temporalio/common';
import { type MediaJob } from '../../../src/client/jobs/job';
import { batchPartWorkflowId, keyIn, submitRequestId } from '../../../src/contract/ids';
import { batchOf, cutouts, resultsOf } from '../../support/builders/batch';
import { decideByLedger } from '../../support/builders/deciding';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { isUnanswered, killWorker, UNANSWERED } from '../../support/service/onWire';
import { addFault, readLedger } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);
const ITEMS = 40;

/** Outcomes that the server has of the chunk of each of these partitions that is on its way. */
async function known(partitions: string[]): Promise<number> {
  let outcomes = 0;
  for (const partition of partitions) {
    const { raw } = await temporal.client.workflow.getHandle(partition).describe();
    const [notes] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    if (notes) outcomes += Object.keys(defaultPayloadConverter.fromPayload<object>(notes)).length;
  }
  return outcomes;
}

/** With this a server runs what a worker took along once more, unless it was told not to. */
async function allowMoreAttempts(workflowId: string): Promise<void> {
  await temporal.client.workflowService.updateActivityOptions({
    ...{ namespace: 'default', execution: { workflowId }, type: 'submitChunk', identity: 'a test' },
    activityOptions: { retryPolicy: { maximumAttempts: 5 } },
    updateMask: { paths: ['retryPolicy.maximumAttempts'] },
  });
}

test('P1 P2: kill -9 while half of the answers are on their way: held are those, the others go on, also where somebody allowed more attempts', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=2');
  const config = testConfig({ submit: { timeout: '10m', authGrace: '1h' } });
  // The service takes each of them, and never says so of every other.
  await addFault(sandboxUrl, { operation: 'remove-background', match: { every: 2 }, ...UNANSWERED });
  const worker = await processes.worker(config.taskQueue, sandboxUrl);
  const client = segueClient(temporal, config);
  const batch = await client.batch.start(batchOf(cutouts(sandboxUrl, ITEMS), 20));
  await eventually('all POSTs', async () => (await readLedger(sandboxUrl)).summary.submissions === ITEMS);
  const partitions = [1, 2].map((n) => batchPartWorkflowId(batch.key, n));
  await eventually('the answers', async () => (await known(partitions)) === ITEMS / 2);
  await allowMoreAttempts(partitions[0] ?? '');
  const kill = await killWorker(worker, sandboxUrl);

  await processes.worker(config.taskQueue, sandboxUrl);
  const { status, counts } = await batch.result();
  expect(status).toBe('attention');
  expect(counts).toMatchObject({ succeeded: ITEMS / 2, held: ITEMS / 2, failed: 0 });

  const held = (await resultsOf(batch)).flatMap(({ workflowId }) => workflowId ?? []);
  const onTheWire = kill.filter(isUnanswered).map(({ requestId }) => requestId);
  expect(held.map((workflowId) => submitRequestId(keyIn(workflowId), 1)).sort()).toEqual(onTheWire.sort());
  await Promise.all(
    held.map(async (workflowId) => {
      const job = (await client.job(workflowId)) as MediaJob;
      await decideByLedger(job, sandboxUrl);
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    }),
  );
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: ITEMS, duplicates: 0 });
});
