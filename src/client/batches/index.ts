/** Batches, for those who import Segue. */
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { loadProxySettings, type ProxySettings } from '../../config';
import {
  problemsOfBatchInput,
  problemsOfGivenBatch,
  problemsOfManifest,
  problemsOfPartitionInput,
} from '../../validation/batch';
import {
  BATCH_PART_WORKFLOW,
  BATCH_WORKFLOW,
  type BatchInput,
  type BatchItem,
  type BatchManifest,
  type BatchStatus,
  type NotifyTarget,
  type PartitionInput,
  type Scope,
  START_MEMO,
} from '../../contract';
import { digest } from '../../platform/digest';
import { KeyReusedError, requireGood } from '../../errors';
import { batchPartWorkflowId, batchWorkflowId } from '../../contract/ids';
import { inParallelFrom } from '../../platform/parallel';
import { attributesOfJob } from '../../contract/searchAttributes';
import { type LeftItems, repeatOf } from './again';
import { Batch } from './batch';
import { partitionsOnceThere } from './forgotten';
import { missingPartitions, missingWords, problemsOfGiven } from './given';
import { requireUnusedKey } from './left';
import { type BatchEntry, type BatchFilter, countBatches, listBatches } from './listing';
import { type ManifestCheck, type ManifestWarning } from './manifest';
import { whereManifestsDiffer } from './reuse';
import { find, startOrFind, type StartSettings } from '../keyed';
import { type JobReport } from '../report';
import { type WaitOptions } from '../run';
import { withoutGaps } from '../jobs/mediaSpec';
import { isOpen } from '../../runs/ownRun';

/** Some of the items of a manifest, which one run does. */
export interface BatchPartition {
  /** Which one it is, from 1. */
  n: number;
  /** Its first item's place among all, from 0. */
  firstItem: number;
  items: BatchItem[];
  /** The line of each item in its manifest, for messages. */
  lines?: number[];
}

export interface BatchSpec {
  key: string;
  /** What the first reading of the manifest found. */
  manifest: BatchManifest;
  /**
   * The items, partition by partition, as the manifest's facts name them; in any order. Read once, a few at a time.
   * Whoever goes on may leave out those that are there.
   */
  partitions: AsyncIterable<BatchPartition>;
  /** Where the manifest was read, without what is signed or secret in that. */
  source?: string;
  /** How many items are at the service at once. */
  concurrency?: number;
  /** Of the batch itself; items have their own. */
  scope?: Scope;
  /** Who is told of the end, once. */
  notify?: NotifyTarget;
}

/** A batch of a manifest that is read here: a file, or an https address. */
export interface ManifestBatchSpec extends Omit<BatchSpec, 'manifest' | 'partitions' | 'source'> {
  /** Whether bad lines are left out, and the others are run. */
  skipBad?: boolean;
  /** How an address is reached; as the environment says, unless told. */
  proxy?: ProxySettings;
  /** Told of lines that are good, but may not be meant so. */
  onWarning?: (warning: ManifestWarning) => void;
}

/** What became of asking for a batch once more. */
export interface BatchRepeat {
  /** The one of the failed items; null where nothing failed, and nothing was started. */
  batch: Batch | null;
  /** How many items it has. */
  items: number;
  left: LeftItems;
}

/** Partitions that are handed over at a time: each is up to half a megabyte. */
const HANDED_OVER_AT_ONCE = 4;
/** Below single jobs and campaigns, for which people wait. */
const BATCH_PRIORITY = 4;
/** Batches that name none have one turn together: each with its own, many of them would outweigh a workspace. */
const NO_WORKSPACE = 'no-workspace';

export class BatchesClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StartSettings,
  ) {}

  /**
   * Starts it, or finds the batch that its key has, and hands over every partition that is not there yet: whoever was
   * killed in the middle of this does it again. Where some come neither now nor came before, it is an
   * `InvalidInputError` that names them: the batch is there, and waits for them. A batch that is over is given back as
   * it is. One that is open for longer than Temporal keeps runs has to be asked which of its partitions are done: a
   * `NoAnswerError` where no worker answers.
   */
  async start({ partitions, ...spec }: BatchSpec, { token }: { token?: string } = {}): Promise<Batch> {
    const { taskQueue, poll, submit } = this.config;
    const input = { ...spec, scope: withoutGaps(spec.scope), poll, submit };
    const problems = [...problemsOfGivenBatch(input), ...problemsOfManifest(input.manifest)];
    requireGood(problems, 'The batch was not started');
    return this.#start(input, { taskQueue, token }, partitions);
  }

  async #start(
    input: BatchInput,
    { taskQueue, token }: { taskQueue: string; token?: string },
    partitions: AsyncIterable<BatchPartition>,
  ): Promise<Batch> {
    const problems = problemsOfBatchInput(input);
    requireGood(problems, 'The batch was not started');
    const { key, scope } = input;
    const workflowId = batchWorkflowId(key);
    await requireUnusedKey(this.temporal, key);
    try {
      const facts = await startOrFind(this.temporal, {
        workflow: BATCH_WORKFLOW,
        ...{ workflowId, taskQueue, key, input, askOf, token },
        attributes: attributesOfJob({ tool: 'batch', scope }, 'running'),
        summary: `batch ${key}, ${input.manifest.items} items`,
        priority: priorityOf(input),
      });
      const { status } = await this.temporal.workflow.getHandle(workflowId).describe();
      if (isOpen({ status })) await this.#handOver(input, taskQueue, partitions);
      return new Batch(this.temporal, facts);
    } catch (error) {
      if (!(error instanceof KeyReusedError)) throw error;
      const where = await whereManifestsDiffer(this.temporal, input, partitions);
      throw new KeyReusedError(key, workflowId, `${where}; choose another key`);
    }
  }

  /**
   * The same of a manifest: the path of a file, or an https address. The whole of it is checked first; what is wrong is
   * an `InvalidInputError` with every line's problems, and nothing is started. A file that is changed after that is a
   * `ManifestChangedError`: the batch is there, what was handed over goes on, and it waits for the rest. Start it again
   * with the manifest as it was, or cancel it and take another key.
   */
  async startFrom(
    source: string,
    { skipBad, proxy = loadProxySettings(), onWarning, ...spec }: ManifestBatchSpec,
  ): Promise<Batch> {
    // Told before a manifest is read, which may be long.
    const { poll, submit } = this.config;
    requireGood(problemsOfGivenBatch({ ...spec, poll, submit }), 'The batch was not started');
    // Only whoever reads manifests needs it.
    const { withCheckedManifest } = await import('./manifest/index.js');
    const onCheck = (_name: string, { warnings }: ManifestCheck): void => {
      for (const warning of warnings) onWarning?.(warning);
    };
    return withCheckedManifest(source, { skipBad, proxy, onCheck }, ({ manifest, partitions }) =>
      this.start({ ...spec, manifest, partitions }),
    );
  }

  /** Starts it and waits until every item is over, or goes on as a run of its own. */
  async run(spec: BatchSpec, options: WaitOptions<BatchStatus> = {}): Promise<JobReport> {
    const batch = await this.start(spec);
    return batch.wait(options);
  }

  /**
   * Runs the failed items of a batch once more, as the batch `<key>+2` with what it was asked for then; asked for twice,
   * it gives the same batch. Refused with a `NotRepeatedError` while the batch is open. What is held, or may be alive at
   * the service, is left alone.
   */
  async again(key: string): Promise<BatchRepeat> {
    const repeated = await this.get(key);
    const { input, failed } = await repeatOf(this.temporal, repeated);
    const { manifest, left, partitions } = failed;
    if (manifest.items === 0) return { batch: null, items: 0, left };
    const batch = await this.#start({ ...input, manifest }, repeated, partitions);
    return { batch, items: manifest.items, left };
  }

  async get(key: string): Promise<Batch> {
    return new Batch(this.temporal, await find(this.temporal, batchWorkflowId(key)));
  }

  /** Batches as Temporal lists them, newest first. A list lags behind by a moment. */
  list(filter: BatchFilter = {}): AsyncIterable<BatchEntry> {
    return listBatches(this.temporal, filter);
  }

  count(filter: BatchFilter = {}): Promise<number> {
    return countBatches(this.temporal, filter);
  }

  async #handOver(
    input: BatchInput,
    taskQueue: string,
    partitions: AsyncIterable<BatchPartition>,
  ): Promise<void> {
    const { key, manifest, poll, submit } = input;
    const onceThere = await partitionsOnceThere(this.temporal, key);
    const given = new Set<number>();
    await inParallelFrom(HANDED_OVER_AT_ONCE, partitions, async (one) => {
      const { n, firstItem, items } = one;
      const partition = { batch: key, n, first: firstItem + 1, items, poll, submit };
      const problems = [...problemsOfGiven(manifest, one), ...problemsOfPartitionInput(partition)];
      requireGood(
        problems.map((problem) => `partition ${n}: ${problem}`),
        'The batch was not handed over, and waits for what is missing',
      );
      // Temporal may have forgotten one that was over long ago: started anew, it would say that nothing of it was done.
      if (!onceThere.has(n)) await this.#startPartition(partition, taskQueue, input);
      given.add(n);
    });
    const missing = await missingPartitions(this.temporal, input, given);
    requireGood(
      missingWords(missing, manifest),
      `The batch ${key} is there and waits for the rest: the same start again goes on`,
    );
  }

  /** One that is there, running or closed, is left alone. */
  async #startPartition(partition: PartitionInput, taskQueue: string, input: BatchInput): Promise<void> {
    const { batch, n } = partition;
    const options = {
      workflowId: batchPartWorkflowId(batch, n),
      taskQueue,
      args: [partition],
      memo: { [START_MEMO]: batch },
      workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
      workflowIdConflictPolicy: 'USE_EXISTING' as const,
      staticSummary: `partition ${n} of batch ${batch}`,
      priority: priorityOf(input),
    };
    await this.temporal.workflow.start(BATCH_PART_WORKFLOW, options).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }
}

/** What its runs do waits behind other work, and workspaces take turns. */
function priorityOf({ scope }: BatchInput): { priorityKey: number; fairnessKey: string } {
  // The server takes 64 bytes.
  return { priorityKey: BATCH_PRIORITY, fairnessKey: (scope?.organization ?? NO_WORKSPACE).slice(0, 64) };
}

/** How fast it is done does not make it another batch. */
function askOf({ key, manifest, scope, notify }: BatchInput): string {
  return digest({ key, manifest: manifest.digest, scope: withoutGaps(scope), notify: notify ?? undefined });
}
