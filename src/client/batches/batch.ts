/** The handle of a batch. */
import { validateBatchOrder, validateConcurrencyOrder } from '../../validation/batch';
import {
  batchCancelUpdate,
  batchConcurrencyUpdate,
  type BatchInput,
  type BatchItemResult,
  type BatchOrder,
  batchPauseUpdate,
  type BatchResult,
  batchResumeUpdate,
  type BatchStatus,
  batchStatusQuery,
} from '../../contract';
import { assertValid } from '../../errors';
import { endOfBatch } from '../../runs/batch/end';
import { followCounts, type FollowedCounts } from './left';
import { keptResults, type KeptResults, resultsOfBatch, type ResultsOptions } from './results';
import { type FilePlace, type ResultWithFiles, savingFiles } from '../files';
import { inputOf } from '../../runs/start';
import { type Standing } from '../report';
import { Run } from '../run';

export class Batch extends Run<BatchStatus, BatchResult> {
  protected readonly stateQuery = batchStatusQuery;

  /** Items that became separate jobs are counted by the status of those jobs, if that can be read. */
  override async state(): Promise<BatchStatus | undefined> {
    const status = await super.state();
    const followed = status && (await this.#follow(status).catch(() => undefined));
    return status && { ...status, counts: followed?.counts ?? status.counts };
  }

  /** Counts and stage. A `NoAnswerError` if no worker answers. */
  status(): Promise<BatchStatus> {
    return this.requireState();
  }

  /** Items that became separate jobs are counted by the status of those jobs. */
  override async result(): Promise<BatchResult> {
    const result = await super.result();
    return asOf(result, await this.#follow(result));
  }

  /** Submits nothing more until it is resumed; accepted tasks continue. */
  pause(order: BatchOrder): Promise<BatchStatus> {
    assertValid(validateBatchOrder(order), 'Nothing was paused');
    return this.order(batchPauseUpdate, order);
  }

  resume(order: BatchOrder): Promise<BatchStatus> {
    assertValid(validateBatchOrder(order), 'Nothing was resumed');
    return this.order(batchResumeUpdate, order);
  }

  /** Submits nothing more, and ends. Accepted tasks continue at the service; the results have their ids. */
  override async cancel(order: BatchOrder = { by: 'a client' }): Promise<void> {
    assertValid(validateBatchOrder(order), 'Nothing was cancelled');
    await this.order(batchCancelUpdate, order);
  }

  /** Changes how many items are at the service at once. */
  concurrency(order: BatchOrder & { concurrency: number }): Promise<BatchStatus> {
    assertValid(validateConcurrencyOrder(order), 'Nothing was changed');
    return this.order(batchConcurrencyUpdate, order);
  }

  /**
   * The results of the items so far, in the manifest's order. Partitions that are not handed over yet, or that Temporal
   * no longer keeps, are left out; `onMissing` is called for them. A `NoAnswerError` if a partition is open and no worker
   * answers for it.
   */
  async *results(options: ResultsOptions = {}): AsyncGenerator<BatchItemResult> {
    const { manifest } = (await inputOf(this.temporal, this)) as BatchInput;
    yield* resultsOfBatch(this.temporal, this.key, manifest, options);
  }

  /**
   * Saves the files that the results of succeeded items point to, and returns each result with its files, in the
   * manifest's order. A second call skips files that exist. No credential is sent.
   */
  download(place: FilePlace, options: ResultsOptions = {}): AsyncGenerator<ResultWithFiles> {
    return savingFiles(this.results(options), place);
  }

  /** Until when the namespace keeps the results. */
  async kept(): Promise<KeptResults> {
    const { closeTime: closedAt } = await this.handle.describe();
    return keptResults(this.temporal, { key: this.key, closedAt });
  }

  protected running(status: BatchStatus | undefined): Standing {
    const [stage, info] = [status?.stage ?? null, status ?? null];
    return { status: 'running', stage, taskId: null, info, error: null };
  }

  protected async succeeded(result: BatchResult): Promise<Standing> {
    const followed = await this.#follow(result);
    const now = asOf(result, followed);
    return { ...endOfBatch(now, followed.continuing), stage: now.status, taskId: null, info: now };
  }

  #follow(counted: BatchStatus | BatchResult): Promise<FollowedCounts> {
    return followCounts(this.temporal, this.key, counted);
  }
}

/** A batch without held items needs no attention. */
function asOf(result: BatchResult, { counts }: FollowedCounts): BatchResult {
  const status = result.status === 'attention' && counts.held === 0 ? 'completed' : result.status;
  return { ...result, status, counts };
}
