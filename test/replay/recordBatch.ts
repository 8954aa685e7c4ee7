/** How a batch is recorded, and what the recorded ones have in common. */
import { type Batch } from '../../src/client/batches';
import { type StarterConfig } from '../../src/config';
import { type BatchItem } from '../../src/contract';
import { batchItemKey, batchPartWorkflowId, batchWorkflowId } from '../../src/contract/ids';
import { batchOf, cutouts, untilStatus } from '../support/builders/batch';
import { befall } from '../support/builders/batchTrouble';
import { addFault, answering, ask, startSandbox } from '../support/service/sandbox';
import { segueClient, testConfig, type TestWorkerOptions, withWorker } from '../support/servers/temporal';
import { seedProject } from '../support/builders/writing';
import { type Scenario, whereHistoriesAreShort } from './scenario';
import { type BatchSpec } from '../../src/runs/batch/start';

export const ITEMS = 6;
export const BY_SAM = { by: 'sam' };
export const NOTIFY = { userId: 'u-1', workspaceId: '1' };
/** So many events are a long history, where a scenario wants one soon. */
export const SHORT = 60;

export interface Recorded {
  items?: (sandboxUrl: string) => Promise<BatchItem[]> | BatchItem[];
  spec?: Partial<BatchSpec>;
  partitionSize?: number;
  config?: Partial<StarterConfig>;
  worker?: TestWorkerOptions;
  before?: (sandboxUrl: string, key: string) => Promise<void>;
  meanwhile?: (batch: Batch, sandboxUrl: string) => Promise<unknown>;
  /** The run whose history is kept; by default the batch itself. */
  kept?: (key: string) => string;
}

/** Runs a batch to its end, with what people do to it. It has two partitions by default. */
export function recording({
  items = plain,
  spec,
  partitionSize = ITEMS / 2,
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
      const asked = batchOf(await items(sandbox.url), partitionSize, spec);
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

export function plain(sandboxUrl: string): BatchItem[] {
  return cutouts(sandboxUrl, ITEMS);
}

export async function written(sandboxUrl: string): Promise<BatchItem[]> {
  const project = await seedProject(sandboxUrl);
  return plain(sandboxUrl).map((item) => ({
    ...item,
    notify: NOTIFY,
    write: { project, at: `/made/${item.key}` },
  }));
}

export function firstPart(key: string): string {
  return batchPartWorkflowId(key, 1);
}

/** One item is refused, one is unknown. */
export async function troubled(sandboxUrl: string, key: string): Promise<void> {
  await befall(sandboxUrl, firstSubmission(key, 1), { status: 422 });
  await loseAnswer(sandboxUrl, key, 2);
}

/** The service takes its first submission, and nobody knows. */
export function loseAnswer(sandboxUrl: string, key: string, item: number): Promise<void> {
  return befall(sandboxUrl, firstSubmission(key, item), { fault: 'reset', when: 'after' });
}

function firstSubmission(key: string, item: number): string {
  return `${batchItemKey(key, item)}.submit.1`;
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

const SLOW = { poll: { min: '1h', max: '1h', deadline: '2h', giveUp: '7d' } } as const;
export const ORDERED: Recorded = { spec: { concurrency: 1 }, meanwhile: ordered };
export const CANCELLED: Recorded = {
  items: written,
  spec: { concurrency: 2 },
  config: SLOW,
  meanwhile: cancelled,
};
export const DENIED: Recorded = { before: denied, meanwhile: mended };
export const CONTINUED: Recorded = { items: written, spec: { concurrency: 1 } };

export function continuing(recorded: Recorded): Scenario {
  return whereHistoriesAreShort(40, recording(recorded));
}
