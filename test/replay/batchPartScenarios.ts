/** Partitions of batches whose histories are committed: every way through one, and of an item that left its own. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type Batch } from '../../src/client/batches';
import { type MediaJob } from '../../src/client/jobs/job';
import {
  BATCH_PART_WORKFLOW,
  changedSignal,
  DEFAULT_BATCH_CONCURRENCY,
  lateTasksSignal,
  type PartitionProgress,
  type PendingWrite,
  USUAL_CHUNK,
} from '../../src/contract';
import { batchItemKey, batchPartWorkflowId, changeIdOf, mediaWorkflowId } from '../../src/contract/ids';
import { batchOf, cutouts, tellingPartition, untilStatus } from '../support/builders/batch';
import { decideByLedger } from '../support/builders/deciding';
import { eventually } from '../support/eventually';
import {
  addFault,
  addPassingFault,
  answering,
  ask,
  readLedger,
  startSandbox,
} from '../support/service/sandbox';
import { segueClient, testConfig, withWorker } from '../support/servers/temporal';
import { seedProject } from '../support/builders/writing';
import {
  BY_SAM,
  CANCELLED,
  CONTINUED,
  continuing,
  DENIED,
  firstPart,
  ITEMS,
  ORDERED,
  plain,
  type Recorded,
  recording,
  SHORT,
  troubled,
  written,
} from './recordBatch';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';
import { startContinued } from '../support/servers/continueAsNew';
import { asReport } from '../support/builders/jobs';

const NOTHING_NEW = { order: 0, slots: 0, paused: false, cancelled: false };

/** A project that takes nothing for longer than a run of the partition lasts. */
async function unwritable(sandboxUrl: string): Promise<void> {
  await addFault(sandboxUrl, answering(500, 'update-project'));
}

async function writable(batch: Batch, sandboxUrl: string): Promise<void> {
  await untilStatus(batch, 'all items', ({ counts }) => counts.succeeded === ITEMS);
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}

const UNWRITABLE: Recorded = { ...CONTINUED, before: unwritable, meanwhile: writable, kept: firstPart };

/** Paused while two chunks are on the wire and others wait for their turn, which then are not sent. */
const unwanted: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
  const config = testConfig({ submit: { timeout: '1m', authGrace: '1h' } });
  const onWire = 50;
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { every: 1 } },
    ...{ fault: 'delay', ms: 60_000, when: 'after' },
  });
  const work = async (): Promise<void> => {
    const items = 3 * onWire;
    const asked = batchOf(cutouts(sandbox.url, items), items);
    const batch = await segueClient(temporal, config).batch.start(asked);
    await eventually('two chunks on the wire', async () => {
      return (await readLedger(sandbox.url)).summary.submissions === onWire;
    });
    await batch.pause(BY_SAM);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await untilStatus(batch, 'what was on the wire', ({ counts }) => counts.succeeded === onWire);
    await batch.resume(BY_SAM);
    await temporal.client.workflow.getHandle(batch.workflowId).result();
    await keep(temporal.client.workflow.getHandle(firstPart(asked.key)));
  };
  await withWorker(temporal, config, sandbox.url, work, { limits: { maxSubmits: 2 * onWire } });
  await sandbox.stop();
};

/** Its batch may have many at the service, so that its first chunks are large; its worker has room for few of each. */
const smallWorker: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
  const config = testConfig();
  const items = 3 * USUAL_CHUNK;
  const work = async (): Promise<void> => {
    const concurrency = 2 * DEFAULT_BATCH_CONCURRENCY;
    const asked = batchOf(cutouts(sandbox.url, items), items, { concurrency });
    await segueClient(temporal, config).batch.run(asked);
    await keep(temporal.client.workflow.getHandle(firstPart(asked.key)));
  };
  await withWorker(temporal, config, sandbox.url, work, { limits: { maxSubmits: USUAL_CHUNK } });
  await sandbox.stop();
};

/** Its users are denied, and its history grows long meanwhile. */
const telling = whereHistoriesAreShort(SHORT, async (temporal, keep) => {
  const sandbox = await startSandbox();
  const config = testConfig();
  const input = tellingPartition(sandbox.url, 3);
  const workflowId = batchPartWorkflowId(input.batch, 1);
  await addFault(sandbox.url, answering(403, 'notify'));
  await withWorker(temporal, config, sandbox.url, async () => {
    const { workflow } = temporal.client;
    const { taskQueue } = config;
    const run = await startContinued(temporal, BATCH_PART_WORKFLOW, { workflowId, taskQueue, args: [input] });
    const { runId } = await run.describe();
    for (let n = 0; n < SHORT; n++) await run.signal(lateTasksSignal, { tasks: [] });
    const latest = workflow.getHandle(workflowId);
    await eventually('the next run', async () => (await latest.describe()).runId !== runId);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await latest.result();
    await keep(latest);
  });
  await sandbox.stop();
});

/** One POST takes its time, and its history grows long meanwhile; the other tasks are followed until that is answered. */
const slowPost = whereHistoriesAreShort(SHORT, async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 3 } });
  const config = testConfig();
  const asked = batchOf(plain(sandbox.url), ITEMS);
  const slowness = await addPassingFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${batchItemKey(asked.key, 2)}.submit.1` } },
    ...{ fault: 'delay', ms: 25_000, when: 'before' },
  });
  const silence = await addPassingFault(sandbox.url, answering(503, 'get-task'));
  const work = async (): Promise<void> => {
    const batch = await segueClient(temporal, config).batch.start(asked);
    const first = temporal.client.workflow.getHandle(firstPart(asked.key));
    await eventually('the other POSTs', async () => {
      return (await readLedger(sandbox.url)).summary.submissions === ITEMS - 1;
    });
    for (let n = 0; n < SHORT; n++) await first.signal(lateTasksSignal, { tasks: [] });
    await silence.takeAway();
    await untilStatus(batch, 'the others', ({ counts }) => counts.succeeded === ITEMS - 1);
    await slowness.takeAway();
    await batch.result();
    await keep(temporal.client.workflow.getHandle(firstPart(asked.key)));
  };
  await withWorker(temporal, config, sandbox.url, work, { limits: { maxSubmits: 4 } });
  await sandbox.stop();
});

/** A run that continues another, which asked a project's writer for a change and had no outcome yet. */
const carryingAChange =
  (nextAskMs: number, meanwhile?: (run: WorkflowHandle, changeId: string) => Promise<void>): Scenario =>
  async (temporal, keep) => {
    const sandbox = await startSandbox();
    const config = testConfig();
    const { batch, items } = { batch: `b-${randomUUID()}`, items: cutouts(sandbox.url, 1) };
    const workflowId = batchPartWorkflowId(batch, 1);
    const changeId = changeIdOf(workflowId, randomUUID());
    const write: PendingWrite = {
      ...{ address: 'the project', project: await seedProject(sandbox.url), halves: [], waiting: [] },
      asked: {
        changeId,
        items: [{ item: 0, at: '/made/one', finishedAt: new Date().toISOString() }],
        ...{ times: 1, nextAt: new Date(Date.now() + nextAskMs).toISOString() },
      },
    };
    const carried: PartitionProgress = {
      items: [{ status: 'succeeded', taskId: 't-0', attempts: 1, info: {} }],
      ...{ pendingWrites: [write], slotGrant: NOTHING_NEW, polls: 1, late: null, reset: false },
    };
    await withWorker(temporal, config, sandbox.url, async () => {
      const run = await startContinued(temporal, BATCH_PART_WORKFLOW, {
        ...{ workflowId, taskQueue: config.taskQueue },
        args: [{ ...{ batch, n: 1, first: 1, items }, carried }],
      });
      await meanwhile?.(run, changeId);
      await run.result();
      await keep(run);
    });
    await sandbox.stop();
  };

/** The outcome comes before the next ask is due. */
const toldOutcome = carryingAChange(3_600_000, async (run, changeId) => {
  await eventually('the timer of the next ask', async () => {
    const { events } = await run.fetchHistory();
    return events?.some(({ timerStartedEventAttributes: timer }) => timer);
  });
  await run.signal(changedSignal, { applied: [changeId], refused: [], noRoom: [], unknown: [] });
});

/** Its batch is terminated: what is at the service is followed to its end, and what waits is not begun. */
const alone: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
  const config = testConfig({ poll: { ...testConfig().poll, min: '2s', max: '2s' } });
  await withWorker(temporal, config, sandbox.url, async () => {
    const asked = batchOf(plain(sandbox.url), ITEMS, { concurrency: 1 });
    const batch = await segueClient(temporal, config).batch.start(asked);
    await untilStatus(batch, 'an item at the service', ({ counts }) => counts.running === 1);
    await temporal.client.workflow.getHandle(batch.workflowId).terminate();
    const run = temporal.client.workflow.getHandle(firstPart(asked.key));
    await run.result();
    await keep(run);
  });
  await sandbox.stop();
};

/** An item that its batch let go, and a person adopted. */
const adopted: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 1 } });
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const client = segueClient(temporal, config);
    const asked = batchOf(plain(sandbox.url), ITEMS);
    await troubled(sandbox.url, asked.key);
    await client.batch.run(asked).catch(asReport);
    const workflowId = mediaWorkflowId(batchItemKey(asked.key, 2));
    const job = (await client.job(workflowId)) as MediaJob;
    await eventually('the hold', async () => (await job.state())?.stage === 'held');
    await decideByLedger(job, sandbox.url);
    await job.wait();
    await keep(temporal.client.workflow.getHandle(workflowId));
  });
  await sandbox.stop();
};

export const batchPartScenarios: Record<string, Scenario> = {
  'batch-part-written-and-told': recording({ items: written, kept: firstPart }),
  'batch-part-held-and-refused': recording({ before: troubled, kept: firstPart }),
  'batch-part-denied': recording({ ...DENIED, kept: firstPart }),
  'batch-part-paused': recording({ ...ORDERED, kept: firstPart }),
  'batch-part-paused-in-the-queue': unwanted,
  'batch-part-with-a-small-worker': smallWorker,
  // One partition: of two, either may get the first slots.
  'batch-part-cancelled': recording({ ...CANCELLED, partitionSize: ITEMS, kept: firstPart }),
  'batch-part-continued': continuing({ ...CONTINUED, kept: firstPart }),
  'batch-part-handing-over': handingOver(continuing({ ...CONTINUED, kept: firstPart })),
  'batch-part-handing-over-slowly': handingOver(slowPost),
  'batch-part-alone': alone,
  // No outcome comes before the next request is due: the change is requested again.
  'batch-part-asked-before': carryingAChange(2_000),
  'batch-part-continued-untold': telling,
  'batch-part-handing-over-untold': handingOver(telling),
  'batch-part-continued-unwritten': toldOutcome,
  'batch-part-handing-over-unwritten': handingOver(continuing(UNWRITABLE), 'requestChanges'),
  'media-held-by-batch': adopted,
};
