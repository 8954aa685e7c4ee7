/** One job that was started: look at it, wait for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type WorkflowHandle } from '@temporalio/client';
import { type MediaResult, type MediaState, stateQuery } from './contract';
import { mediaWorkflowId } from './ids';
import { closedOutcome, type JobReport } from './report';

export interface WaitOptions {
  /** Stops waiting, never the job. */
  signal?: AbortSignal;
  /** Told of the state each time it has changed. */
  onChange?: (state: MediaState) => void;
}

const LOOK_EVERY_MS = 1_000;
const QUERY_PATIENCE_MS = 5_000;

export class MediaJob {
  readonly workflowId: string;

  constructor(
    private readonly temporal: Client,
    readonly key: string,
    readonly runId: string,
    /** Whether the run was there before it was asked for. */
    readonly existing: boolean,
    readonly startedAt: Date,
  ) {
    this.workflowId = mediaWorkflowId(key);
  }

  /** What the run is doing, or undefined when no worker answers. */
  async state(): Promise<MediaState | undefined> {
    try {
      return await this.temporal.withDeadline(Date.now() + QUERY_PATIENCE_MS, () =>
        this.#handle.query(stateQuery),
      );
    } catch {
      return undefined;
    }
  }

  /** How the job stands now. */
  async report(): Promise<JobReport> {
    const { status } = await this.#handle.describe();
    return status.name === 'RUNNING' ? this.#running(await this.state()) : this.#closed();
  }

  /** Waits for the end or the first hold; with an aborted signal, gives the state at that moment. */
  async wait(options: WaitOptions = {}): Promise<JobReport> {
    let seen = '';
    const closed = this.#handle.result().then(
      () => true,
      () => true,
    );
    for (;;) {
      const isClosed = await Promise.race([
        closed,
        sleep(LOOK_EVERY_MS, false, { signal: options.signal }).catch(() => false),
      ]);
      if (isClosed) return this.#closed();
      const state = await this.state();
      if (state && JSON.stringify(state) !== seen) {
        seen = JSON.stringify(state);
        options.onChange?.(state);
      }
      if (state?.stage === 'held' || options.signal?.aborted) return this.#running(state);
    }
  }

  get #handle(): WorkflowHandle {
    return this.temporal.workflow.getHandle(this.workflowId, this.runId);
  }

  get #identity(): Pick<JobReport, 'workflowId' | 'runId' | 'key' | 'existing'> {
    return { workflowId: this.workflowId, runId: this.runId, key: this.key, existing: this.existing };
  }

  #running(state: MediaState | undefined): JobReport {
    return {
      ...this.#identity,
      status: state?.stage === 'held' ? 'held' : 'running',
      stage: state?.stage ?? null,
      taskId: state?.taskId ?? null,
      info: null,
      error: state?.lastError ?? null,
    };
  }

  async #closed(): Promise<JobReport> {
    const outcome = await closedOutcome(this.#handle.result() as Promise<MediaResult>);
    return { ...this.#identity, ...outcome };
  }
}
