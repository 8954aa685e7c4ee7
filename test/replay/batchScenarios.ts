/** Batches whose histories are committed: every way through one. */
import { randomUUID } from 'node:crypto';
import { type Batch } from '../../src/client/batches';
import { BATCH_WORKFLOW, batchCancelUpdate, batchStatusQuery, endHandOverSignal } from '../../src/contract';
import { batchPartWorkflowId, batchWorkflowId } from '../../src/contract/ids';
import {
  batchOf,
  firstOf,
  oneByOne,
  silentBatch,
  startPartly,
  startSilentPartitions,
  untilStatus,
} from '../support/builders/batch';
import { OPERATOR } from '../support/builders/batchTrouble';
import { notificationsOf } from '../support/builders/campaign';
import { eventually } from '../support/eventually';
import { runWithFullPartition, startServerOfFewSignals } from '../support/builders/fullPartition';
import { addFault, answering, ask, startSandbox } from '../support/service/sandbox';
import { segueClient, testConfig, withWorker } from '../support/servers/temporal';
import {
  BY_SAM,
  CANCELLED,
  CONTINUED,
  continuing,
  DENIED,
  ITEMS,
  loseAnswer,
  NOTIFY,
  ORDERED,
  plain,
  type Recorded,
  recording,
  troubled,
} from './recordBatch';
import { handingOver, type Scenario } from './scenario';
import { startContinued } from '../support/servers/continueAsNew';

/** Items are unknown, and the operator cannot be told of them for longer than a run of the batch lasts. */
async function untellable(sandboxUrl: string, key: string): Promise<void> {
  await troubled(sandboxUrl, key);
  // Either partition may be the first to have a place.
  await loseAnswer(sandboxUrl, key, ITEMS - 1);
  await addFault(sandboxUrl, answering(403, 'notify'));
}

async function tellable(batch: Batch, sandboxUrl: string): Promise<void> {
  await untilStatus(batch, 'the end', ({ stage }) => stage === 'attention');
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}

const UNTOLD: Recorded = {
  ...{ spec: CONTINUED.spec, worker: { operator: OPERATOR } },
  ...{ before: untellable, meanwhile: tellable },
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

/** Checks partitions that say nothing; the last is not there. */
const silent: Scenario = async (temporal, keep) => {
  const sandbox = await startSandbox();
  const config = testConfig();
  const [key, count] = [`b-${randomUUID()}`, 20];
  await startSilentPartitions(temporal, key, count - 1);
  await withWorker(temporal, config, sandbox.url, async () => {
    const workflowId = batchWorkflowId(key);
    const { taskQueue } = config;
    const args = [silentBatch(key, count)];
    const run = await startContinued(temporal, BATCH_WORKFLOW, { workflowId, taskQueue, args });
    await eventually(
      'the end of the check',
      async () => (await run.query(batchStatusQuery)).stopped !== null,
    );
    await keep(run);
    await run.terminate();
  });
  await sandbox.stop();
};

/** One whose partition is full of signals, and takes its slots when they are told again. */
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
  const counts = { waiting: 1, running: 0, succeeded: 0, unsaved: 0, failed: 0, held: 0, cancelled: 0 };
  const input = silentBatch(key, 1, { counts, slots: 0, isThere: false });
  const begun = { startedAt: new Date(Date.now() - 3_600_000).toISOString() };
  const work = async (): Promise<void> => {
    const run = await startContinued(temporal, BATCH_WORKFLOW, {
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

export const batchScenarios: Record<string, Scenario> = {
  'batch-completed': recording({ spec: { concurrency: 3, notify: NOTIFY } }),
  'batch-attention': recording({ before: troubled, spec: { notify: NOTIFY } }),
  'batch-denied': recording(DENIED),
  'batch-ordered': recording(ORDERED),
  'batch-cancelled': recording(CANCELLED),
  'batch-continued': continuing(CONTINUED),
  'batch-handing-over': handingOver(continuing(CONTINUED)),
  'batch-handing-over-untold': handingOver(continuing(UNTOLD)),
  'batch-incomplete': incomplete,
  'batch-stopped': stopped,
  'batch-absent': absent,
  'batch-told-again': toldAgain,
  'batch-partitions-checked': silent,
};
