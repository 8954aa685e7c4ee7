import { loadProxySettings, type ProxySettings } from '../../config';
import {
  BATCH_WORKFLOW,
  batchCancelUpdate,
  batchConcurrencyUpdate,
  type BatchInput,
  type BatchItem,
  type BatchItemResult,
  type PauseOrder,
  batchPauseUpdate,
  type BatchResult,
  batchResumeUpdate,
  type BatchStage,
  type BatchStatus,
  batchStatusQuery,
  endStage,
  type ItemCounts,
} from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { assertValid } from '../../errors';
import { endOfBatch } from '../../runs/batch/end';
import { type BatchSpec, startBatch, startBatchInput } from '../../runs/batch/start';
import { type ManifestWarning } from '../../runs/manifest';
import { countRuns, find, findRuns } from '../../runs/find';
import { inputOf } from '../../runs/start';
import { validateOrder, validateConcurrencyOrder, validateGivenBatch } from '../../validation/inputs';
import { type DownloadTarget, type ResultWithFiles, savingFiles } from '../files';
import { entryOf, type JobEntry, queryOf, type Standing } from '../report';
import { Run, RunsClient, type WaitOptions } from '../run';
import { failedItemsOfBatch, followCounts, resultsOfBatch, type ResultsOptions } from './results';
import { type LeftItems, prepareRetry, resultOf } from './retry';

/** A batch whose manifest is a file or an https address. */
export interface ManifestBatchSpec extends Omit<BatchSpec, 'manifest' | 'partitions' | 'source'> {
  /** Whether bad lines are left out, and the others are run. */
  skipBad?: boolean;
  /** Default: from the environment. */
  proxy?: ProxySettings;
  /** Called for good lines that are probably a mistake. */
  onWarning?: (warning: ManifestWarning) => void;
}

export interface BatchRepeat {
  /** The batch of the repeated items; null if there is none. */
  batch: Batch | null;
  items: number;
  left: LeftItems;
}

export interface BatchFilter {
  stage?: BatchStage;
}

export interface BatchEntry extends JobEntry<BatchStage> {
  /** Of a batch that is over; only its worker knows the counts of an open one. */
  counts: ItemCounts | null;
}

/** Their partitions are runs of another kind. */
const ONLY_BATCHES = [BATCH_WORKFLOW];

export class BatchesClient extends RunsClient<BatchSpec, Batch> {
  /**
   * Starts the batch, or finds the one that its key has, and starts every partition that has no run yet; after a crash,
   * call it again. An `InvalidInput` names partitions that are still missing: the batch waits for them. A closed
   * batch is returned as it is. An open one that is older than the retention of the namespace is refused.
   */
  async start(spec: BatchSpec, { token }: { token?: string } = {}): Promise<Batch> {
    return new Batch(this.temporal, await startBatch(this.temporal, spec, { ...this.config, token }));
  }

  /**
   * The same of a manifest: the path of a file, or an https address. It is checked as a whole first; an
   * `InvalidInput` has the first problems, and nothing is started. A file that changes after the check is a
   * `ManifestChanged`: the batch runs what it has and waits for the rest. Start it again with the manifest as it
   * was, or cancel it and use another key.
   */
  async startFrom(
    source: string,
    { skipBad, proxy = loadProxySettings(), onWarning, ...spec }: ManifestBatchSpec,
  ): Promise<Batch> {
    // Checked first: reading the manifest may take long.
    const { poll, submit } = this.config;
    assertValid(validateGivenBatch({ ...spec, poll, submit }), 'The batch was not started');
    // Loaded only where a manifest is read.
    const { withCheckedManifest } = await import('../../runs/manifest/index.js');
    return withCheckedManifest(source, { skipBad, proxy }, ({ check, manifest, partitions }) => {
      for (const warning of check.warnings) onWarning?.(warning);
      return this.start({ ...spec, manifest, partitions });
    });
  }

  /**
   * Runs the failed, unsaved and cancelled items of a batch once more, as the batch `<key>+2`; two calls give one batch.
   * Nothing is submitted for an item that is unsaved, or cancelled with a task. Refused with a `NotRepeated` while the batch is open. Held items, and those that
   * the service may still work on, are left alone.
   */
  async retry(key: string): Promise<BatchRepeat> {
    const repeated = await this.get(key);
    const { input, left, partitions } = await prepareRetry(this.temporal, repeated);
    const { items } = input.manifest;
    if (items === 0) return { batch: null, items, left };
    const facts = await startBatchInput(this.temporal, input, repeated, partitions);
    return { batch: new Batch(this.temporal, facts), items, left };
  }

  async get(key: string): Promise<Batch> {
    return new Batch(this.temporal, await find(this.temporal, batchWorkflowId(key)));
  }

  /** Batches as Temporal lists them, newest first. A list lags behind by a moment. */
  async *list(filter: BatchFilter = {}): AsyncGenerator<BatchEntry> {
    for await (const run of findRuns(this.temporal, queryOf(filter), ONLY_BATCHES)) {
      const entry = entryOf<BatchStage>(run);
      // Whether items failed is not in the list, but in the result.
      const result = await resultOf(this.temporal, run);
      const counts = result && (await followCounts(this.temporal, entry.key, result));
      const status = result && counts ? endOfBatch({ ...result, counts }).status : entry.status;
      yield { ...entry, status, counts };
    }
  }

  count(filter: BatchFilter = {}): Promise<number> {
    return countRuns(this.temporal, queryOf(filter), ONLY_BATCHES);
  }
}

export class Batch extends Run<BatchStatus, BatchResult> {
  protected override readonly stateQuery = batchStatusQuery;

  /** Items that became separate jobs are counted by the status of those jobs, if that can be read. */
  override async state(): Promise<BatchStatus | undefined> {
    const status = await super.state();
    const counts = status && (await this.#follow(status).catch(() => undefined));
    return status && { ...status, counts: counts ?? status.counts };
  }

  /** Items that became separate jobs are counted by the status of those jobs. */
  override async result(options: WaitOptions = {}): Promise<BatchResult> {
    const result = await super.result(options);
    return asOf(result, await this.#follow(result));
  }

  /** Submits nothing more until it is resumed; accepted tasks continue. */
  pause(order: PauseOrder): Promise<BatchStatus> {
    assertValid(validateOrder(order), 'Nothing was paused');
    return this.update(batchPauseUpdate, order);
  }

  resume(order: PauseOrder): Promise<BatchStatus> {
    assertValid(validateOrder(order), 'Nothing was resumed');
    return this.update(batchResumeUpdate, order);
  }

  /** Submits nothing more, and ends. Accepted tasks continue at the service; the results have their ids. */
  override async cancel(order: PauseOrder = { by: 'a client' }): Promise<void> {
    assertValid(validateOrder(order), 'Nothing was cancelled');
    await this.update(batchCancelUpdate, order);
  }

  concurrency(order: PauseOrder & { concurrency: number }): Promise<BatchStatus> {
    assertValid(validateConcurrencyOrder(order), 'Nothing was changed');
    return this.update(batchConcurrencyUpdate, order);
  }

  /**
   * The results of the items so far, in the manifest's order. Partitions that are not handed over yet, or that Temporal
   * no longer keeps, are left out; `onMissing` is called for them. A `NoAnswer` if a partition is open and no worker
   * answers for it.
   */
  async *results(options: ResultsOptions = {}): AsyncGenerator<BatchItemResult> {
    const { manifest } = (await inputOf(this.temporal, this)) as BatchInput;
    yield* resultsOfBatch(this.temporal, this.key, manifest, options);
  }

  /** The failed items so far as lines of a manifest; corrected, they can be started as a batch with another key. */
  async *failedItems(): AsyncGenerator<BatchItem> {
    const { manifest } = (await inputOf(this.temporal, this)) as BatchInput;
    yield* failedItemsOfBatch(this.temporal, this.key, manifest);
  }

  /**
   * Saves the files that the results of succeeded items point to, and returns each result with its files, in the
   * manifest's order. A second call skips files that exist. No credential is sent.
   */
  download(target: DownloadTarget, options: ResultsOptions = {}): AsyncGenerator<ResultWithFiles> {
    return savingFiles(this.results(options), target);
  }

  protected async succeeded(result: BatchResult): Promise<Standing> {
    const now = asOf(result, await this.#follow(result));
    return { ...endOfBatch(now), stage: now.status, taskId: null, info: now };
  }

  #follow(counted: BatchStatus | BatchResult): Promise<ItemCounts> {
    return followCounts(this.temporal, this.key, counted);
  }
}

/** Its held items may be over now. */
function asOf(result: BatchResult, counts: ItemCounts): BatchResult {
  const status = result.status === 'cancelled' ? result.status : endStage({ ...result, counts });
  return { ...result, status, counts };
}
