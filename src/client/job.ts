/** One job that was started, of whatever kind: look at it, wait for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApplicationFailure,
  type Client,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import {
  type DecisionTaken,
  type HoldState,
  type MediaResult,
  type MediaStage,
  type MediaState,
  type PollNow,
  pollNowUpdate,
  type RecordResult,
  type RecordState,
  stateQuery,
  type SubmitAttempt,
  type TranscriptResult,
  type TranscriptStage,
  type TranscriptState,
} from '../contract';
import { decide, type DecisionAnswer, type DecisionMade } from './deciding';
import { mediaWorkflowId, recordWorkflowId, transcriptWorkflowId } from '../ids';
import { entryOf } from './listing';
import { type Remains, remainsOfFailed, remainsOfStopped } from './remains';
import {
  type ClosedOutcome,
  failedOutcome,
  recordOutcome,
  succeededOutcome,
  transcriptOutcome,
} from './outcome';
import { type JobReport } from './report';

/** What every job tells of itself; what is optional only some have. */
export interface JobState {
  key: string;
  stage: MediaStage | TranscriptStage;
  hold: HoldState | null;
  decisions: DecisionTaken[];
  polls: number;
  lastError: string | null;
  taskId?: string | null;
  attempts?: SubmitAttempt[];
}

export interface WaitOptions<State = MediaState> {
  /** Stops waiting, never the job. */
  signal?: AbortSignal;
  /** Told of the state each time it has changed. */
  onChange?: (state: State) => void;
}

const LOOK_EVERY_MS = 1_000;
const QUERY_PATIENCE_MS = 5_000;

/** What is known of a run from the moment it was found. */
export type JobFacts = Pick<WorkflowExecutionInfo, 'runId' | 'startTime' | 'taskQueue'> & {
  key: string;
  existing: boolean;
};

type Ended<Result> = { result: Result } | { failure: WorkflowFailedError };

export abstract class Job<State extends JobState = JobState, Result = unknown> {
  readonly key: string;
  readonly runId: string;
  /** Whether the run was there before it was asked for. */
  readonly existing: boolean;
  readonly startedAt: Date;
  readonly taskQueue: string;

  constructor(
    private readonly temporal: Client,
    readonly workflowId: string,
    { key, runId, existing, startTime, taskQueue }: JobFacts,
  ) {
    this.key = key;
    this.runId = runId;
    this.existing = existing;
    this.startedAt = startTime;
    this.taskQueue = taskQueue;
  }

  /** How a job that succeeded is reported. */
  protected abstract succeeded(result: Result): ClosedOutcome;

  /** What the run is doing, or was when it ended; undefined when no worker answers. */
  async state(): Promise<State | undefined> {
    try {
      const deadline = Date.now() + QUERY_PATIENCE_MS;
      return await this.temporal.withDeadline(deadline, () => this.handle.query<State>(stateQuery.name));
    } catch {
      return undefined;
    }
  }

  /** How the job stands now. */
  async report(): Promise<JobReport> {
    const { status } = await this.handle.describe();
    return status.name === 'RUNNING' ? this.#running(await this.state()) : this.#closed(await this.end());
  }

  /** How a job stands that was just started: nothing is asked of its worker, which may not be there yet. */
  started(): JobReport {
    return this.#running(undefined);
  }

  /** Waits for the end or the first hold; with an aborted signal, gives the state at that moment. */
  async wait({ signal, onChange }: WaitOptions<State> = {}): Promise<JobReport> {
    const stopped = untilAborted(signal);
    const ended = this.end();
    // Told to whoever awaits it below; until then it must not end the process.
    ended.catch(() => undefined);
    let seen = '';
    // What is held already is told at once. A run that is over is not asked: its worker may be gone.
    const { status } = await this.handle.describe();
    for (let pause = status.name === 'RUNNING' ? 0 : LOOK_EVERY_MS; ; pause = LOOK_EVERY_MS) {
      const end = await Promise.race([ended, sleep(pause, undefined), stopped]);
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
    return decide({ handle: this.handle, readState: () => this.state() }, decision);
  }

  /** Has the service asked at once, and gives the state after it. */
  pollNow(): Promise<State> {
    return this.handle.executeUpdate<State, [PollNow]>(pollNowUpdate.name, { args: [{}] });
  }

  /** Stops following the job. The service goes on with a task that it accepted; its id is kept in the project. */
  async cancel(): Promise<void> {
    await this.handle.cancel();
  }

  protected get handle(): WorkflowHandle {
    return this.temporal.workflow.getHandle(this.workflowId);
  }

  /** The end of the run. Anything but an end, like a server that is away, is thrown. */
  protected async end(): Promise<Ended<Result>> {
    try {
      return { result: (await this.handle.result()) as Result };
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

export class MediaJob extends Job<MediaState, MediaResult> {
  constructor(temporal: Client, facts: JobFacts) {
    super(temporal, mediaWorkflowId(facts.key), facts);
  }

  /** What a closed run may have left at the service. */
  async remains(): Promise<Remains> {
    const run = await this.handle.describe();
    if (run.status.name === 'COMPLETED') return { is: 'nothing' };
    const last = { ...entryOf(run), state: await this.state() };
    if (run.status.name !== 'FAILED') return remainsOfStopped(last);
    const end = await this.end();
    const cause = 'failure' in end ? end.failure.cause : undefined;
    return remainsOfFailed(cause instanceof ApplicationFailure ? cause.type : null, last);
  }

  protected succeeded(result: MediaResult): ClosedOutcome {
    return succeededOutcome(result);
  }
}

export class TranscriptJob extends Job<TranscriptState, TranscriptResult> {
  constructor(temporal: Client, facts: JobFacts) {
    super(temporal, transcriptWorkflowId(facts.key), facts);
  }

  protected succeeded(result: TranscriptResult): ClosedOutcome {
    return transcriptOutcome(result);
  }
}

export class RecordJob extends Job<RecordState, RecordResult> {
  constructor(temporal: Client, facts: JobFacts) {
    super(temporal, recordWorkflowId(facts.key), facts);
  }

  protected succeeded(result: RecordResult): ClosedOutcome {
    return recordOutcome(result);
  }
}

/** The job that a workflow id names, of whichever kind it is. */
export function jobOf(temporal: Client, workflowId: string, facts: JobFacts): Job {
  if (workflowId === transcriptWorkflowId(facts.key)) return new TranscriptJob(temporal, facts);
  if (workflowId === recordWorkflowId(facts.key)) return new RecordJob(temporal, facts);
  return new MediaJob(temporal, facts);
}

function untilAborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener('abort', () => {
      resolve(undefined);
    });
  });
}
