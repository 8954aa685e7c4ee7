/** Batches and their partitions whose histories are committed: every way through one. */
import { randomUUID } from 'node:crypto';
import { type Batch } from '../../src/client/batches/batch';
import {
  BATCH_PART_WORKFLOW,
  BATCH_WORKFLOW,
  batchCancelUpdate,
  type BatchItem,
  batchStatusQuery,
  CHUNK_ITEMS,
  endHandOverSignal,
  type Letter,
  type PartitionProgress,
  windowSignal,
} from '../../src/contract';
import { type BatchSpec } from '../../src/client/batches';
import {
  batchItemKey,
  batchPartWorkflowId,
  batchWorkflowId,
  changeIdOf,
  mediaWorkflowId,
} from '../../src/ids';
import { startSandbox } from '../../src/sandbox/server';
import {
  batchOf,
  cutouts,
  firstOf,
  oneByOne,
  silentBatch,
  startSilentPartitions,
  tellingPartition,
  startPartly,
  untilStatus,
} from '../support/batch';
import { notificationsOf } from '../support/campaign';
import { decideByLedger } from '../support/deciding';
import { eventually } from '../support/eventually';
import { runWithFullPartition, startServerOfFewSignals } from '../support/fullPartition';
import { type MediaJob } from '../../src/client/jobs/job';
import { addFault, answering, ask, readLedger } from '../support/sandbox';
import { segueClient, testConfig, type TestWorkerOptions, withWorker } from '../support/temporal';
import { seedProject } from '../support/writing';
import { type StarterConfig } from '../../src/config';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';

const ITEMS = 6;
const BY_SAM = { by: 'sam' };
const NOTIFY = { userId: 'u-1', workspaceId: '1' };

interface Recorded {
  items?: (sandboxUrl: string) => Promise<BatchItem[]> | BatchItem[];
  spec?: Partial<BatchSpec>;
  config?: Partial<StarterConfig>;
  worker?: TestWorkerOptions;
  before?: (sandboxUrl: string, key: string) => Promise<void>;
  meanwhile?: (batch: Batch, sandboxUrl: string) => Promise<unknown>;
  /** The run whose history is kept; the batch itself unless told. */
  kept?: (key: string) => string;
}

/** Runs a batch of two partitions and what people do to it, to its end. */
function recording({
  items = plain,
  spec,
  config: settings,
  worker,
  before,
  meanwhile,
  kept,
}: Recorded): Scenario {
  return async (temporal, keep) => {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
    const config = testConfig(settings);
    const work = async (): Promise<void> => {
      const asked = batchOf(await items(sandbox.url), ITEMS / 2, spec);
      await before?.(sandbox.url, asked.key);
      const batch = await segueClient(temporal, config).batch.start(asked);
      await meanwhile?.(batch, sandbox.url);
      await temporal.client.workflow.getHandle(batch.workflowId).result();
      await keep(temporal.client.workflow.getHandle((kept ?? batchWorkflowId)(asked.key)));
    };
    await withWorker(temporal, config, sandbox.url, work, worker);
    await sandbox.stop();
  };
}

function plain(sandboxUrl: string): BatchItem[] {
  return cutouts(sandboxUrl, ITEMS);
}

async function written(sandboxUrl: string): Promise<BatchItem[]> {
  const project = await seedProject(sandboxUrl);
  return plain(sandboxUrl).map((item) => ({
    ...item,
    notify: NOTIFY,
    write: { project, at: `/made/${item.key}` },
  }));
}

function firstPart(key: string): string {
  return batchPartWorkflowId(key, 1);
}

/** One item is refused, one is unknown. */
async function troubled(sandboxUrl: string, key: string): Promise<void> {
  await befall(sandboxUrl, key, 1, { fault: 'status', status: 422, when: 'before' });
  await befall(sandboxUrl, key, 2);
}

/** The answer to its first submission is lost, unless it is another fault. */
function befall(sandboxUrl: string, key: string, item: number, fault: object = {}): Promise<void> {
  return addFault(sandboxUrl, {
    ...{ operation: 'remove-background', when: 'after', fault: 'reset' },
    match: { requestId: `${batchItemKey(key, item)}.submit.1` },
    ...fault,
  });
}

async function denied(sandboxUrl: string): Promise<void> {
  for (const operation of ['remove-background', 'get-workspace'])
    await addFault(sandboxUrl, answering(401, operation));
}

async function mended(batch: Batch, sandboxUrl: string): Promise<void> {
  await untilStatus(batch, 'the trouble', ({ trouble }) => trouble !== null);
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}

async function ordered(batch: Batch): Promise<void> {
  await untilStatus(batch, 'an item', ({ counts }) => counts.succeeded > 0);
  await batch.pause({ ...BY_SAM, reason: 'lunch' });
  await batch.concurrency({ ...BY_SAM, concurrency: 3 });
  await batch.resume(BY_SAM);
}

async function cancelled(batch: Batch): Promise<void> {
  await untilStatus(batch, 'items at the service', ({ counts }) => counts.running === 2);
  await batch.cancel(BY_SAM);
}

/** A project that takes nothing for longer than a run of the partition lasts. */
async function unwritable(sandboxUrl: string): Promise<void> {
  await addFault(sandboxUrl, answering(500, 'update-project'));
}

async function writable(batch: Batch, sandboxUrl: string): Promise<void> {
  await untilStatus(batch, 'all items', ({ counts }) => counts.succeeded === ITEMS);
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}

/** Items are unknown, and the operator cannot be told of them for longer than a run of the batch lasts. */
async function untellable(sandboxUrl: string, key: string): Promise<void> {
  await troubled(sandboxUrl, key);
  // Either partition may be the first to have a place.
  await befall(sandboxUrl, key, ITEMS - 1);
  await addFault(sandboxUrl, answering(403, 'notify'));
}

async function tellable(batch: Batch, sandboxUrl: string): Promise<void> {
  await untilStatus(batch, 'the end', ({ stage }) => stage === 'attention');
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}

const SLOW = { poll: { min: '1h', max: '1h', deadline: '2h', giveUp: '7d' } } as const;
const ORDERED: Recorded = { spec: { concurrency: 1 }, meanwhile: ordered };
const CANCELLED: Recorded = { items: written, spec: { concurrency: 2 }, config: SLOW, meanwhile: cancelled };
const DENIED: Recorded = { before: denied, meanwhile: mended };
const CONTINUED: Recorded = { items: written, spec: { concurrency: 1 } };

const OPERATOR = { userId: 'on-call', workspaceId: '1' };
const UNTOLD: Recorded = {
  ...{ spec: CONTINUED.spec, worker: { operator: OPERATOR } },
  ...{ before: untellable, meanwhile: tellable },
};
const UNWRITABLE: Recorded = { ...CONTINUED, before: unwritable, meanwhile: writable, kept: firstPart };

function continuing(recorded: Recorded): Scenario {
  return whereHistoriesAreShort(40, recording(recorded));
}

/** An item that its batch let go, and a person adopted. */
const adopted: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 1 } });
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const client = segueClient(temporal, config);
    const asked = batchOf(plain(sandbox.url), ITEMS);
    await troubled(sandbox.url, asked.key);
    await client.batch.run(asked);
    const workflowId = mediaWorkflowId(batchItemKey(asked.key, 2));
    const job = (await client.job(workflowId)) as MediaJob;
    await eventually('the hold', async () => (await job.state())?.stage === 'held');
    await decideByLedger(job, sandbox.url);
    await job.wait();
    await keep(temporal.client.workflow.getHandle(workflowId));
  });
  await sandbox.stop();
};

/** One of its two partitions never comes. */
const incomplete: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 1 } });
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const asked = batchOf(plain(sandbox.url), ITEMS / 2);
    const partitions = firstOf(asked.partitions);
    const batch = await startPartly(segueClient(temporal, config), { ...asked, partitions });
    await untilStatus(batch, 'the first partition', ({ partitions: { handedOver } }) => handedOver === 1);
    const run = temporal.client.workflow.getHandle(batch.workflowId);
    await run.signal(endHandOverSignal, { reason: 'its address gave another manifest' });
    await run.result();
    await keep(run);
  });
  await sandbox.stop();
};

/** One of its two partitions is terminated while it waits. */
const stopped: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 1 } });
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const asked = batchOf(plain(sandbox.url), ITEMS / 2, { notify: NOTIFY });
    const { batch: batches } = segueClient(temporal, config);
    const batch = await startPartly(segueClient(temporal, config), { ...asked, partitions: oneByOne([]) });
    await batch.pause(BY_SAM);
    await batches.start(asked);
    await untilStatus(batch, 'all partitions', ({ partitions: { handedOver } }) => handedOver === 2);
    await temporal.client.workflow.getHandle(batchPartWorkflowId(asked.key, 2)).terminate('by mistake');
    await batch.resume(BY_SAM);
    const run = temporal.client.workflow.getHandle(batch.workflowId);
    await run.result();
    await keep(run);
  });
  await sandbox.stop();
};

/** Paused while one chunk is on the wire and another waits for its turn, which then is not sent. */
const unwanted: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
  const config = testConfig({ submit: { timeout: '1m', authGrace: '1h' } });
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { every: 1 } },
    ...{ fault: 'delay', ms: 60_000, when: 'after' },
  });
  const work = async (): Promise<void> => {
    const asked = batchOf(cutouts(sandbox.url, 2 * CHUNK_ITEMS), 2 * CHUNK_ITEMS);
    const batch = await segueClient(temporal, config).batch.start(asked);
    await eventually('a chunk on the wire', async () => {
      return (await readLedger(sandbox.url)).summary.submissions === CHUNK_ITEMS;
    });
    await batch.pause(BY_SAM);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await untilStatus(batch, 'what was on the wire', ({ counts }) => counts.succeeded === CHUNK_ITEMS);
    await batch.resume(BY_SAM);
    await temporal.client.workflow.getHandle(batch.workflowId).result();
    await keep(temporal.client.workflow.getHandle(firstPart(asked.key)));
  };
  await withWorker(temporal, config, sandbox.url, work, { limits: { maxSubmits: 2 * CHUNK_ITEMS } });
  await sandbox.stop();
};

const SHORT = 60;
const NOTHING_NEW = { order: 0, places: 0, paused: false, cancelled: false };

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
    const run = await workflow.start(BATCH_PART_WORKFLOW, { workflowId, taskQueue, args: [input] });
    for (let n = 0; n < SHORT; n++) await run.signal(windowSignal, NOTHING_NEW);
    const { firstExecutionRunId } = run;
    const latest = workflow.getHandle(workflowId);
    await eventually('the next run', async () => (await latest.describe()).runId !== firstExecutionRunId);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await latest.result();
    await keep(latest);
  });
  await sandbox.stop();
});

/** Looks at partitions that say nothing, in more than one run; the last is not there. */
const silent = whereHistoriesAreShort(SHORT, async (temporal, keep) => {
  const sandbox = await startSandbox();
  const config = testConfig();
  const [key, count] = [`b-${randomUUID()}`, 20];
  await startSilentPartitions(temporal, key, count - 1);
  await withWorker(temporal, config, sandbox.url, async () => {
    const workflowId = batchWorkflowId(key);
    const { workflow } = temporal.client;
    const { taskQueue } = config;
    await workflow.start(BATCH_WORKFLOW, { workflowId, taskQueue, args: [silentBatch(key, count)] });
    const run = workflow.getHandle(workflowId);
    await eventually('the end of the look', async () => (await run.query(batchStatusQuery)).stopped !== null);
    await keep(run);
    await run.terminate();
  });
  await sandbox.stop();
});

/** One whose partition is full of signals, and takes its places when they are told again. */
const toldAgain: Scenario = async (_temporal, keep) => {
  const temporal = await startServerOfFewSignals();
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 1 } });
  await keep(await runWithFullPartition(temporal, testConfig(), sandbox.url));
  await sandbox.stop();
  await temporal.close();
};

/** Its only partition was never handed over, and nobody does so for longer than that takes. */
const absent: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox();
  const config = testConfig();
  const key = `b-${randomUUID()}`;
  const counts = { waiting: 1, running: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0 };
  const input = silentBatch(key, 1, { counts, places: 0, isThere: false });
  const begun = { startedAt: new Date(Date.now() - 3_600_000).toISOString() };
  const work = async (): Promise<void> => {
    const run = await temporal.client.workflow.start(BATCH_WORKFLOW, {
      ...{ workflowId: batchWorkflowId(key), taskQueue: config.taskQueue },
      args: [{ ...input, carried: { ...input.carried, ...begun } }],
    });
    await eventually('that the operator knows', async () => (await notificationsOf(sandbox.url)).length > 0);
    await run.executeUpdate(batchCancelUpdate, { args: [BY_SAM] });
    await run.result();
    await keep(run);
  };
  await withWorker(temporal, config, sandbox.url, work, { operator: OPERATOR });
  await sandbox.stop();
};

/** What the run before it asked a project's writer for is asked for again, when that is due. */
const askedBefore: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox();
  const config = testConfig();
  const { batch, items } = { batch: `b-${randomUUID()}`, items: cutouts(sandbox.url, 1) };
  const workflowId = batchPartWorkflowId(batch, 1);
  const letter: Letter = {
    ...{ address: 'the project', project: await seedProject(sandbox.url), halves: [], waiting: [] },
    asked: {
      changeId: changeIdOf(workflowId, randomUUID()),
      items: [{ place: 0, at: '/made/one', finishedAt: new Date().toISOString() }],
      ...{ times: 1, nextAt: new Date(Date.now() + 2_000).toISOString() },
    },
  };
  const carried: PartitionProgress = {
    items: [{ status: 'succeeded', taskId: 't-0', attempts: 1, info: {} }],
    ...{ letters: [letter], window: NOTHING_NEW, polls: 1, late: null, reset: false },
  };
  await withWorker(temporal, config, sandbox.url, async () => {
    const run = await temporal.client.workflow.start(BATCH_PART_WORKFLOW, {
      ...{ workflowId, taskQueue: config.taskQueue },
      args: [{ ...{ batch, n: 1, first: 1, items }, carried }],
    });
    await run.result();
    await keep(run);
  });
  await sandbox.stop();
};

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

export const batchScenarios: Record<string, Scenario> = {
  'batch-completed': recording({ spec: { concurrency: 3, notify: NOTIFY } }),
  'batch-attention': recording({ before: troubled, spec: { notify: NOTIFY } }),
  'batch-denied': recording(DENIED),
  'batch-ordered': recording(ORDERED),
  'batch-cancelled': recording(CANCELLED),
  'batch-continued': continuing(CONTINUED),
  'batch-handing-over': handingOver(continuing(CONTINUED)),
  'batch-continued-untold': continuing(UNTOLD),
  'batch-handing-over-untold': handingOver(continuing(UNTOLD)),
  'batch-incomplete': incomplete,
  'batch-stopped': stopped,
  'batch-absent': absent,
  'batch-told-again': toldAgain,
  'batch-part-written-and-told': recording({ items: written, kept: firstPart }),
  'batch-part-held-and-refused': recording({ before: troubled, kept: firstPart }),
  'batch-part-denied': recording({ ...DENIED, kept: firstPart }),
  'batch-part-paused': recording({ ...ORDERED, kept: firstPart }),
  'batch-part-paused-in-the-queue': unwanted,
  'batch-part-cancelled': recording({ ...CANCELLED, kept: firstPart }),
  'batch-part-continued': continuing({ ...CONTINUED, kept: firstPart }),
  'batch-part-handing-over': handingOver(continuing({ ...CONTINUED, kept: firstPart })),
  'batch-part-alone': alone,
  'batch-part-asked-before': askedBefore,
  'batch-part-continued-untold': telling,
  'batch-part-handing-over-untold': handingOver(telling),
  'batch-looked-on': silent,
  'batch-handing-over-its-look': handingOver(silent),
  'batch-part-continued-unwritten': continuing(UNWRITABLE),
  'batch-part-handing-over-unwritten': handingOver(continuing(UNWRITABLE)),
  'media-held-by-batch': adopted,
};
