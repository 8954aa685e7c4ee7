/** One job that was started: look at it, wait for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApplicationFailure,
  type Client,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { type MediaResult, type MediaState, pollNowUpdate, stateQuery } from './contract';
import { decide, type DecisionAnswer, type DecisionMade } from './deciding';
import { mediaWorkflowId } from './ids';
import { entryOf } from './listing';
import { type Remains, remainsOfFailed, remainsOfStopped } from './remains';
import { failedOutcome, type JobReport, succeededOutcome } from './report';

export interface WaitOptions {
  /** Stops waiting, never the job. */
  signal?: AbortSignal;
  /** Told of the state each time it has changed. */
  onChange?: (state: MediaState) => void;
}

const LOOK_EVERY_MS = 1_000;
const QUERY_PATIENCE_MS = 5_000;

/** What is known of a run from the moment it was found. */
export type JobFacts = Pick<WorkflowExecutionInfo, 'runId' | 'startTime' | 'taskQueue'> & {
  key: string;
  existing: boolean;
};

type Ended = { result: MediaResult } | { failure: WorkflowFailedError };

export class MediaJob {
  readonly workflowId: string;

  readonly key: string;
  readonly runId: string;
  /** Whether the run was there before it was asked for. */
  readonly existing: boolean;
  readonly startedAt: Date;
  readonly taskQueue: string;

  constructor(
    private readonly temporal: Client,
    { key, runId, existing, startTime, taskQueue }: JobFacts,
  ) {
    this.workflowId = mediaWorkflowId(key);
    this.key = key;
    this.runId = runId;
    this.existing = existing;
    this.startedAt = startTime;
    this.taskQueue = taskQueue;
  }

  /** What the run is doing, or was when it ended; undefined when no worker answers. */
  async state(): Promise<MediaState | undefined> {
    try {
      const deadline = Date.now() + QUERY_PATIENCE_MS;
      return await this.temporal.withDeadline(deadline, () => this.#handle.query(stateQuery));
    } catch {
      return undefined;
    }
  }

  /** How the job stands now. */
  async report(): Promise<JobReport> {
    const { status } = await this.#handle.describe();
    return status.name === 'RUNNING' ? this.#running(await this.state()) : this.#closed(await this.#end());
  }

  /** How a job stands that was just started: nothing is asked of its worker, which may not be there yet. */
  started(): JobReport {
    return this.#running(undefined);
  }

  /** Waits for the end or the first hold; with an aborted signal, gives the state at that moment. */
  async wait({ signal, onChange }: WaitOptions = {}): Promise<JobReport> {
    const stopped = untilAborted(signal);
    const ended = this.#end();
    // Told to whoever awaits it below; until then it must not end the process.
    ended.catch(() => undefined);
    let seen = '';
    for (;;) {
      const end = await Promise.race([ended, sleep(LOOK_EVERY_MS, undefined), stopped]);
      if (end) return this.#closed(end);
      const state = await Promise.race([this.state(), stopped]);
      if (state && JSON.stringify(state) !== seen) {
        seen = JSON.stringify(state);
        onChange?.(state);
      }
      if (state?.stage === 'held' || signal?.aborted) return this.#running(state);
    }
  }

  /**
   * Decides a held run. The hold is the one that is open now, unless it is named. A decision that was taken before
   * does nothing (`applied: false`); one that cannot be taken is a `DecisionRefusedError`.
   */
  resolve(decision: DecisionMade): Promise<DecisionAnswer> {
    return decide({ handle: this.#handle, readState: () => this.state() }, decision);
  }

  /** Has the service asked at once, and gives the state after it. */
  pollNow(): Promise<MediaState> {
    return this.#handle.executeUpdate(pollNowUpdate, { args: [{}] });
  }

  /** Stops following the job. The service goes on with a task that it accepted; its id is kept in the project. */
  async cancel(): Promise<void> {
    await this.#handle.cancel();
  }

  /** What a closed run may have left at the service. */
  async remains(): Promise<Remains> {
    const run = await this.#handle.describe();
    if (run.status.name === 'COMPLETED') return { is: 'nothing' };
    const last = { ...entryOf(run), state: await this.state() };
    if (run.status.name !== 'FAILED') return remainsOfStopped(last);
    const end = await this.#end();
    const cause = 'failure' in end ? end.failure.cause : undefined;
    return remainsOfFailed(cause instanceof ApplicationFailure ? cause.type : null, last);
  }

  get #handle(): WorkflowHandle {
    return this.temporal.workflow.getHandle(this.workflowId);
  }

  /** The end of the run. Anything but an end, like a server that is away, is thrown. */
  async #end(): Promise<Ended> {
    try {
      return { result: (await this.#handle.result()) as MediaResult };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { failure: error };
      throw error;
    }
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

  async #closed(end: Ended): Promise<JobReport> {
    if ('result' in end) return { ...this.#identity, ...succeededOutcome(end.result) };
    const outcome = failedOutcome(end.failure);
    // A run that was cancelled or terminated says nothing itself; its task goes on at the service all the same.
    const taskId = outcome.taskId ?? (await this.state())?.taskId ?? null;
    return { ...this.#identity, ...outcome, taskId };
  }
}

function untilAborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener('abort', () => {
      resolve(undefined);
    });
  });
}
