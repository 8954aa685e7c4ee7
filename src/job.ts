/** One job that was started, of whatever kind: look at it, wait for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import {
  type Decision,
  type DecisionReceipt,
  type HoldState,
  type MediaResult,
  type MediaState,
  type PollNow,
  pollNowUpdate,
  type RecordResult,
  type RecordState,
  resolveUpdate,
  stateQuery,
  type TranscriptResult,
  type TranscriptState,
} from './contract';
import { mediaWorkflowId, recordWorkflowId, transcriptWorkflowId } from './ids';
import {
  type ClosedOutcome,
  failedOutcome,
  type JobReport,
  recordOutcome,
  succeededOutcome,
  transcriptOutcome,
} from './report';

/** What every job tells of itself. */
export interface JobState {
  key: string;
  stage: string;
  hold: HoldState | null;
  polls: number;
  lastError: string | null;
  taskId?: string | null;
}

export interface WaitOptions<State = MediaState> {
  /** Stops waiting, never the job. */
  signal?: AbortSignal;
  /** Told of the state each time it has changed. */
  onChange?: (state: State) => void;
}

const LOOK_EVERY_MS = 1_000;
const QUERY_PATIENCE_MS = 5_000;

type Ended<Result> = { result: Result } | { failure: WorkflowFailedError };

export abstract class Job<State extends JobState, Result> {
  constructor(
    private readonly temporal: Client,
    readonly workflowId: string,
    readonly key: string,
    readonly runId: string,
    /** Whether the run was there before it was asked for. */
    readonly existing: boolean,
    readonly startedAt: Date,
  ) {}

  /** How a job that succeeded is reported. */
  protected abstract succeeded(result: Result): ClosedOutcome;

  /** What the run is doing, or was when it ended; undefined when no worker answers. */
  async state(): Promise<State | undefined> {
    try {
      const deadline = Date.now() + QUERY_PATIENCE_MS;
      return await this.temporal.withDeadline(deadline, () => this.#handle.query<State>(stateQuery.name));
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
  async wait({ signal, onChange }: WaitOptions<State> = {}): Promise<JobReport> {
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

  /** Decides a held run. The hold is the one that is open now, unless it is named. */
  async resolve(decision: Omit<Decision, 'hold'> & { hold?: string }): Promise<DecisionReceipt> {
    const hold = decision.hold ?? (await this.#handle.query<State>(stateQuery.name)).hold?.id ?? 'none';
    return this.#handle.executeUpdate(resolveUpdate, { args: [{ ...decision, hold }] });
  }

  /** Has the service asked at once, and gives the state after it. */
  pollNow(): Promise<State> {
    return this.#handle.executeUpdate<State, [PollNow]>(pollNowUpdate.name, { args: [{}] });
  }

  /** Stops following the job. The service goes on with a task that it accepted; its id is kept in the project. */
  async cancel(): Promise<void> {
    await this.#handle.cancel();
  }

  get #handle(): WorkflowHandle {
    return this.temporal.workflow.getHandle(this.workflowId);
  }

  /** The end of the run. Anything but an end, like a server that is away, is thrown. */
  async #end(): Promise<Ended<Result>> {
    try {
      return { result: (await this.#handle.result()) as Result };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { failure: error };
      throw error;
    }
  }

  get #identity(): Pick<JobReport, 'workflowId' | 'runId' | 'key' | 'existing'> {
    return { workflowId: this.workflowId, runId: this.runId, key: this.key, existing: this.existing };
  }

  #running(state: State | undefined): JobReport {
    return {
      ...this.#identity,
      status: state?.stage === 'held' ? 'held' : 'running',
      stage: state?.stage ?? null,
      taskId: state?.taskId ?? null,
      info: null,
      error: state?.lastError ?? null,
    };
  }

  async #closed(end: Ended<Result>): Promise<JobReport> {
    if ('result' in end) return { ...this.#identity, ...this.succeeded(end.result) };
    const outcome = failedOutcome(end.failure);
    // A run that was cancelled or terminated says nothing itself; its task goes on at the service all the same.
    const taskId = outcome.taskId ?? (await this.state())?.taskId ?? null;
    return { ...this.#identity, ...outcome, taskId };
  }
}

/** What every job is made with, after its client: key, run, whether it was there before, and since when. */
type Found = [key: string, runId: string, existing: boolean, startedAt: Date];

export class MediaJob extends Job<MediaState, MediaResult> {
  constructor(temporal: Client, ...found: Found) {
    super(temporal, mediaWorkflowId(found[0]), ...found);
  }

  protected succeeded(result: MediaResult): ClosedOutcome {
    return succeededOutcome(result);
  }
}

export class TranscriptJob extends Job<TranscriptState, TranscriptResult> {
  constructor(temporal: Client, ...found: Found) {
    super(temporal, transcriptWorkflowId(found[0]), ...found);
  }

  protected succeeded(result: TranscriptResult): ClosedOutcome {
    return transcriptOutcome(result);
  }
}

export class RecordJob extends Job<RecordState, RecordResult> {
  constructor(temporal: Client, ...found: Found) {
    super(temporal, recordWorkflowId(found[0]), ...found);
  }

  protected succeeded(result: RecordResult): ClosedOutcome {
    return recordOutcome(result);
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
