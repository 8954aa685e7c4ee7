/** The handle of a batch. */
import { type WorkflowFailedError } from '@temporalio/client';
import { validateBatchOrder, validateConcurrencyOrder } from '../../validation/batch';
import {
  batchCancelUpdate,
  batchConcurrencyUpdate,
  type BatchInput,
  type BatchItemResult,
  type PauseOrder,
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
import { failedOutcome, type Standing } from '../report';
import { Run } from '../run';

export class Batch extends Run<BatchStatus, BatchResult> {
  protected readonly stateQueryName = batchStatusQuery.name;

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

  /**
   * Waits for the end: every item is over or became a separate job, and is counted by the status of that job.
   * Any other end is thrown.
   */
  async result(): Promise<BatchResult> {
    const end = await this.end();
    if ('failure' in end) throw end.failure;
    return asOf(end.result, await this.#follow(end.result));
  }

  /** Submits nothing more until it is resumed; accepted tasks continue. */
  pause(order: PauseOrder): Promise<BatchStatus> {
    assertValid(validateBatchOrder(order), 'Nothing was paused');
    return this.order(batchPauseUpdate, order);
  }

  resume(order: PauseOrder): Promise<BatchStatus> {
    assertValid(validateBatchOrder(order), 'Nothing was resumed');
    return this.order(batchResumeUpdate, order);
  }

  /** Submits nothing more, and ends. Accepted tasks continue at the service; the results have their ids. */
  override async cancel(order: PauseOrder = { by: 'a client' }): Promise<void> {
    assertValid(validateBatchOrder(order), 'Nothing was cancelled');
    await this.order(batchCancelUpdate, order);
  }

  /** Changes how many items are at the service at once. */
  concurrency(order: PauseOrder & { concurrency: number }): Promise<BatchStatus> {
    assertValid(validateConcurrencyOrder(order), 'Nothing was changed');
    return this.order(batchConcurrencyUpdate, order);
  }

  /**
   * What became of the items, in the manifest's order, at any time. Partitions that are not handed over yet, or that
   * Temporal does not keep any more, are left out; `onMissing` is told of them. A `NoAnswerError` where a partition is
   * open and no worker answers for it.
   */
  async *results(options: ResultsOptions = {}): AsyncGenerator<BatchItemResult> {
    const { manifest } = (await inputOf(this.temporal, this)) as BatchInput;
    yield* resultsOfBatch(this.temporal, this.key, manifest, options);
  }

  /**
   * Saves the files that the results of succeeded items point to, and returns each result with its files, in the
   * manifest's order. A second call skips files that are there. No credential is sent.
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
    return { ...endOfBatch(now, followed.goingOn), stage: now.status, taskId: null, info: now };
  }

  protected failed(failure: WorkflowFailedError): Standing {
    return { ...failedOutcome(failure), taskId: null };
  }

  #follow(counted: BatchStatus | BatchResult): Promise<FollowedCounts> {
    return followCounts(this.temporal, this.key, counted);
  }
}

/** A batch without held items needs no attention any more. */
function asOf(result: BatchResult, { counts }: FollowedCounts): BatchResult {
  const status = result.status === 'attention' && counts.held === 0 ? 'completed' : result.status;
  return { ...result, status, counts };
}
