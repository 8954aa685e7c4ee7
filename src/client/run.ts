/** What all kinds of runs share: start by key, report, wait, cancel. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApplicationFailure,
  type Client,
  TerminatedFailure,
  type WorkflowExecutionDescription,
  type WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { type UpdateDefinition } from '@temporalio/common';
import { DecisionRefused } from '../errors';
import { orUnreachable, retryUpdate } from '../runs/grpc';
import { type Ended, endOfRun, failedRun, isOpen, type Listed, type RunFacts } from '../runs/find';
import { noAnswer, queryRun } from '../runs/query';
import { type StartSettings } from '../runs/start';
import { type JobReport, type Standing, type SuccessReport } from './report';
import { JobFailed, requireSuccess } from './unsuccessful';

export interface WaitOptions {
  /** Stops waiting, not the run. */
  signal?: AbortSignal;
}

interface Watching extends WaitOptions {
  /** Whether each state is asked for. */
  wantsAll: boolean;
}

/** Milliseconds until the run is described again: backoff with jitter. */
export function waitInterval(tries: number, random = Math.random): number {
  return Math.min(1_000 * 1.3 ** tries, 10_000) * (0.5 + random());
}

export abstract class RunsClient<Spec, Handle extends Run, Success extends SuccessReport = SuccessReport> {
  constructor(
    protected readonly temporal: Client,
    protected readonly config: StartSettings,
  ) {}

  /** Starts it, or gives back the run that its key already has, running or closed. */
  abstract start(spec: Spec): Promise<Handle>;

  /**
   * Starts it and waits for success. Any other end is thrown: `JobFailed`, `JobUnsaved`, or at once `JobHeld`. After an
   * abort, the reason of the signal is thrown, and the run continues; after an abort before the start, there is none.
   */
  async run(spec: Spec, options: WaitOptions = {}): Promise<Success> {
    options.signal?.throwIfAborted();
    const run = await this.start(spec);
    const report = await run.wait(options);
    if (report.status === 'running') options.signal?.throwIfAborted();
    return requireSuccess(report, run) as Success;
  }
}

export abstract class Run<State = unknown, Result = unknown> {
  readonly workflowId: string;
  readonly key: string;
  readonly runId: string;
  readonly existing: boolean;
  readonly startedAt: Date;
  readonly taskQueue: string;
  readonly #isHidden: boolean;
  // Private: a logger prints errors with their `job`, and the client has the credentials of Temporal.
  readonly #temporal: Client;

  constructor(
    temporal: Client,
    { workflowId, key, runId, existing, startTime, taskQueue, isHidden = false }: RunFacts,
  ) {
    this.workflowId = workflowId;
    this.key = key;
    this.runId = runId;
    this.existing = existing;
    this.startedAt = startTime;
    this.taskQueue = taskQueue;
    this.#isHidden = isHidden;
    this.#temporal = temporal;
  }

  protected get temporal(): Client {
    return this.#temporal;
  }

  /** Left out where nothing can be asked. */
  protected readonly stateQuery?: { name: string };

  /** The report of an open run; the state is undefined if no worker answers. */
  protected running(state: State | undefined): Standing {
    const { stage = null, held } = (state ?? {}) as { stage?: string; held?: boolean };
    return { status: held ? 'held' : 'running', stage, taskId: null, info: state ?? null, error: null };
  }

  protected abstract succeeded(result: Result): Standing | Promise<Standing>;

  protected failed(failure: WorkflowFailedError): Standing | Promise<Standing> {
    const { status, taskId, errors, error } = failedRun(failure);
    return { status, stage: status, taskId, info: errors, error };
  }

  /** Set by jobs: `wait` queries the worker of a held job only. */
  protected readonly isListedAsHeld?: (listed: Listed) => boolean;

  /** What the run is doing, or was when it ended; undefined when no worker answers. */
  async state(): Promise<State | undefined> {
    return this.stateQuery && queryRun<State>(this.temporal, this.handle, this.stateQuery);
  }

  /** The same; a `NoAnswer` when no worker answers. */
  async status(): Promise<State> {
    const state = await this.state();
    if (state === undefined) throw await noAnswer(this.temporal, this.workflowId);
    return state;
  }

  async report(): Promise<JobReport> {
    return isOpen(await this.describe()) ? this.#open(await this.state()) : this.#closed(await this.end());
  }

  /** Waits for the end, also through a hold, and gives what the run returned. A run that failed is a `JobFailed`. */
  async result({ signal }: WaitOptions = {}): Promise<Result> {
    signal?.throwIfAborted();
    const ended = signal ? this.temporal.withAbortSignal(signal, () => this.end()) : this.end();
    const end = await ended.catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
    if ('failure' in end) throw new JobFailed(await this.#closed(end), this, { cause: end.failure.cause });
    return end.result;
  }

  /** The report of a run that was just started, without a query: there may be no worker yet. */
  started(): JobReport {
    return this.#open(undefined);
  }

  /** Waits for the end or a hold; after an abort, returns the last known state. */
  async wait({ signal }: WaitOptions = {}): Promise<JobReport> {
    const states = this.#watch({ signal, wantsAll: false });
    for (;;) {
      const { done, value } = await states.next();
      if (done) return value;
    }
  }

  /** Each state that differs from the one before, until `wait` would return; the generator returns that report. */
  progress({ signal }: WaitOptions = {}): AsyncGenerator<State, JobReport, undefined> {
    return this.#watch({ signal, wantsAll: true });
  }

  async *#watch(options: Watching): AsyncGenerator<State, JobReport, undefined> {
    const watching = new AbortController();
    const ended = this.temporal.withAbortSignal(watching.signal, () => this.end());
    // Avoids an unhandled rejection; the error is thrown where `ended` is awaited.
    ended.catch(() => undefined);
    try {
      return yield* this.#statesUntil(ended, options);
    } finally {
      // Ends the long poll.
      watching.abort();
    }
  }

  async *#statesUntil(
    ended: Promise<Ended<Result>>,
    { signal, wantsAll }: Watching,
  ): AsyncGenerator<State, JobReport, undefined> {
    const stopped = untilAborted(signal);
    let last: State | undefined;
    let listed = await this.describe();
    // A held run is reported at once. A closed run is not queried: its worker may be gone.
    for (let tries = 0; ; tries++) {
      const pause = tries === 0 && isOpen(listed) ? 0 : waitInterval(tries);
      // Without `ref` the timer does not keep a process alive that is done.
      const end = await Promise.race([ended, stopped, sleep(pause, undefined, { ref: false })]);
      if (end) return this.#closed(end);
      if (!wantsAll && !signal?.aborted) {
        if (pause > 0) listed = await this.describe();
        if (this.isListedAsHeld?.(listed) === false) continue;
      }
      const state = await (last === undefined && signal?.aborted
        ? this.state()
        : Promise.race([this.state(), stopped]));
      if (state && JSON.stringify(state) !== JSON.stringify(last)) yield state;
      // After an abort, return the last known state.
      last = state ?? last;
      const report = this.#open(signal?.aborted ? last : state);
      if (report.status === 'held' || signal?.aborted) return report;
    }
  }

  /** The service continues with what it accepted. */
  async cancel(): Promise<void> {
    await this.handle.cancel();
  }

  /** Sends an update when a worker answers: without one it would wait for ever. */
  protected async update<Answer, Argument>(
    definition: UpdateDefinition<Answer, [Argument]>,
    argument: Argument,
  ): Promise<Answer> {
    if (!isOpen(await this.describe())) throw this.#isOver();
    await this.status();
    try {
      return await sendUpdate(this.temporal, this.workflowId, definition, argument);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw this.#isOver();
      const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
      if (failure instanceof ApplicationFailure) throw new DecisionRefused(failure.message);
      throw error;
    }
  }

  /** Why there is no state: the run is over, or no worker answers. */
  protected async unanswered(): Promise<Error> {
    return isOpen(await this.describe()) ? noAnswer(this.temporal, this.workflowId) : this.#isOver();
  }

  #isOver(): DecisionRefused {
    return new DecisionRefused(`${this.workflowId} is over; nothing was changed.`);
  }

  /** What the server knows of it without its worker. */
  protected describe(): Promise<WorkflowExecutionDescription> {
    return orUnreachable(this.handle.describe());
  }

  protected get handle(): WorkflowHandle {
    // Without the run id, the handle follows a run that continues as new or is reset.
    return this.temporal.workflow.getHandle(this.workflowId, this.#isHidden ? this.runId : undefined);
  }

  protected async end(): Promise<Ended<Result>> {
    const end = await orUnreachable(endOfRun(this.handle));
    // A reset terminates a run and starts another with the same id.
    const isTerminated = 'failure' in end && end.failure.cause instanceof TerminatedFailure;
    if (isTerminated && (await this.describe()).status.name !== 'TERMINATED') return this.end();
    return end as Ended<Result>;
  }

  #open(state: State | undefined): JobReport {
    return this.#reportOf(this.running(state));
  }

  async #closed(end: Ended<Result>): Promise<JobReport> {
    return this.#reportOf(await ('result' in end ? this.succeeded(end.result) : this.failed(end.failure)));
  }

  #reportOf(standing: Standing): JobReport {
    const { workflowId, runId, key, existing } = this;
    return { workflowId, runId, key, existing, ...standing };
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

/** Most are answered at once; an adoption reads the service first. */
const UPDATE_TIMEOUT_MS = 60_000;

/** Gives the answer. When no worker gives one in time, the server keeps the update for the next worker. */
export async function sendUpdate<Answer, Argument>(
  temporal: Client,
  workflowId: string,
  definition: UpdateDefinition<Answer, [Argument]>,
  argument: Argument,
  timeoutMs = UPDATE_TIMEOUT_MS,
): Promise<Answer> {
  const handle = temporal.workflow.getHandle(workflowId);
  // The same id in every try, so that the run takes the update once.
  const options = { args: [argument] as [Argument], updateId: randomUUID() };
  try {
    return await temporal.withDeadline(Date.now() + timeoutMs, () =>
      retryUpdate(() => handle.executeUpdate<Answer, [Argument]>(definition.name, options)),
    );
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
      throw await noAnswer(temporal, workflowId, 'sent', timeoutMs);
    throw error;
  }
}
