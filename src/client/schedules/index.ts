/** Schedules: they start a campaign, an outlook or a batch at the times of a calendar. */
import { randomUUID } from 'node:crypto';
import {
  ActivityFailure,
  type Client,
  type ScheduleHandle,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  WorkflowFailedError,
} from '@temporalio/client';
import { type StarterConfig } from '../../config';
import {
  DEFAULT_SCHEDULE,
  FIRING_WORKFLOW,
  type FiringInput,
  WORKSPACE_CLOCK_WORKFLOW,
  type WorkspaceClock,
  type WorkspaceClockInput,
} from '../../contract';
import { parseDuration } from '../../contract/durations';
import {
  assertValid,
  DecisionRefused,
  InvalidInput,
  NoSuchSchedule,
  NoTimezone,
  reasonOf,
  ScheduleExists,
} from '../../errors';
import { firingWorkflowId, scheduleId, scheduleNameIn, workspaceClockWorkflowId } from '../../contract/ids';
import { GRPC, grpcCode } from '../../runs/grpc';
import { pollersOf } from '../../runs/query';
import {
  entryOfSchedule,
  type KeptSchedule,
  policyOf,
  reportOfSchedule,
  type ScheduleEntry,
  type ScheduleMemo,
  type ScheduleReport,
} from './report';
import {
  identityOfSchedule,
  type FiringOptions,
  validateSchedule,
  validateScheduleOrder,
  type ScheduleOptions,
  timesForTemporal,
} from '../../runs/schedule/spec';
import { keyless } from '../../runs/schedule/targets';

export { type FiringOptions } from '../../runs/schedule/spec';

export interface CreatedSchedule {
  name: string;
  scheduleId: string;
  /** The same schedule existed before; nothing was changed. */
  existing: boolean;
  timezone: string;
  /** A warning of a workspace without a time zone. */
  remarks: string[];
}

type Zone = Pick<WorkspaceClock, 'timezone' | 'remarks'>;
type ReadWorkspaceClock = (input: WorkspaceClockInput) => Promise<WorkspaceClock>;

/** How long a worker may take to read the time zone. */
const CLOCK_TIMEOUT = '30s';

export class SchedulesClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
  ) {}

  /**
   * Creates a schedule. The same one a second time is left as it is; another under the same name is a
   * `ScheduleExists`. Problems are reported at once, before anything is sent; only the server
   * reads cron expressions.
   */
  async create(name: string, options: ScheduleOptions): Promise<CreatedSchedule> {
    assertValid(validateSchedule(name, options), 'Nothing was scheduled');
    const existing = await this.#existing(name, options);
    if (existing) return existing;
    const { timezone, remarks } = await this.#zoneOf(options);
    try {
      await this.#make(name, options, timezone);
    } catch (error) {
      // Somebody else created it at the same moment.
      const other = error instanceof ScheduleAlreadyRunning ? await this.#existing(name, options) : undefined;
      if (other) return other;
      // The SDK does not understand the times, or the server refuses them.
      if (!(error instanceof TypeError) && grpcCode(error) !== GRPC.invalidArgument) throw error;
      const problem = `${Object.keys(options.spec).join()}: ${reasonOf((error as Error).cause ?? error)}`;
      throw new InvalidInput([problem], 'Nothing was scheduled');
    }
    return { name, scheduleId: scheduleId(name), existing: false, timezone, remarks };
  }

  /** Schedules of Segue as Temporal lists them. A list lags behind by a moment. */
  async *list(): AsyncGenerator<ScheduleEntry> {
    for await (const listed of this.temporal.schedule.list())
      if (scheduleNameIn(listed.scheduleId) !== undefined) yield entryOfSchedule(listed);
  }

  /** How it stands: the next five times, the last firings with their outcome, how many were skipped. */
  async show(name: string): Promise<ScheduleReport> {
    assertValid(validateScheduleOrder('show', { name }), 'There is no such schedule');
    return this.#with(name, async (schedule) => reportOfSchedule(this.temporal, await schedule.describe()));
  }

  /** No more firings until it is resumed; open runs continue. The note says why. */
  async pause(name: string, note: string): Promise<void> {
    assertValid(validateScheduleOrder('pause', { name, note }), 'Nothing was paused');
    await this.#with(name, (schedule) => schedule.pause(note));
  }

  /**
   * Times that passed during the pause do not fire; `backfill` fires them. A `DecisionRefused` where it was not
   * paused.
   */
  async resume(name: string, note = 'resumed'): Promise<void> {
    assertValid(validateScheduleOrder('resume', { name, note }), 'Nothing was resumed');
    await this.#with(name, async (schedule) => {
      const { paused } = (await schedule.describe()).state;
      if (!paused) throw new DecisionRefused(`The schedule ${name} is not paused. Nothing was changed.`);
      await schedule.unpause(note);
    });
  }

  /** Fires now, under a key of this second. A `DecisionRefused` where that would be skipped. */
  async trigger(name: string, { overlap }: FiringOptions = {}): Promise<void> {
    assertValid(validateScheduleOrder('trigger', { name, overlap }), 'Nothing was triggered');
    await this.#with(name, async (schedule) => {
      const described = await schedule.describe();
      const policy = overlap ? policyOf(overlap) : described.policies.overlap;
      const [open] = described.info.runningActions;
      // The server would skip the firing without an error.
      if (policy === 'SKIP' && open)
        throw new DecisionRefused(
          `${open.workflow.workflowId} of the schedule ${name} is open, so another firing would be skipped. ` +
            'The overlap allow-all starts it anyway, buffer-one starts it when that one is closed.',
        );
      await schedule.trigger(policy);
    });
  }

  /**
   * Fires for every time of the schedule from one moment to another, both included. A time that fired before starts
   * nothing: its run is found.
   */
  async backfill(name: string, from: string, to: string, { overlap }: FiringOptions = {}): Promise<void> {
    assertValid(validateScheduleOrder('backfill', { name, from, to, overlap }), 'Nothing was backfilled');
    const policy = policyOf(overlap ?? DEFAULT_SCHEDULE.backfill);
    await this.#with(name, (schedule) =>
      schedule.backfill({ start: new Date(from), end: new Date(to), overlap: policy }),
    );
  }

  /** Runs that it started continue. */
  async delete(name: string): Promise<void> {
    assertValid(validateScheduleOrder('delete', { name }), 'Nothing was deleted');
    await this.#with(name, (schedule) => schedule.delete());
  }

  async #make(name: string, options: ScheduleOptions, timezone: string): Promise<void> {
    const { spec, note } = options;
    const { overlap = DEFAULT_SCHEDULE.overlap, catchup = DEFAULT_SCHEDULE.catchup } = options;
    const { taskQueue, poll, submit } = this.config;
    const target = keyless(options.target);
    const kept: KeptSchedule = { kind: target.kind, spec, timezone };
    const memo: ScheduleMemo = { segueAsk: identityOfSchedule(options), segueSchedule: kept };
    const input: FiringInput = { target, spec, timezone, poll, submit };
    await this.temporal.schedule.create({
      scheduleId: scheduleId(name),
      spec: { ...timesForTemporal(spec), timezone },
      action: {
        type: 'startWorkflow',
        workflowType: FIRING_WORKFLOW,
        workflowId: firingWorkflowId(name),
        taskQueue,
        args: [input],
        staticSummary: `${target.kind} of the schedule ${name}`,
      },
      policies: { overlap: policyOf(overlap), catchupWindow: parseDuration(catchup) },
      memo,
      state: { note },
    });
  }

  /** The schedule of this name, if it exists and asks for the same. */
  async #existing(name: string, options: ScheduleOptions): Promise<CreatedSchedule | undefined> {
    const found = await this.#with(name, (schedule) => schedule.describe()).catch((error: unknown) => {
      if (error instanceof NoSuchSchedule) return undefined;
      throw error;
    });
    if (!found) return undefined;
    const { segueAsk, segueSchedule } = (found.memo ?? {}) as Partial<ScheduleMemo>;
    if (segueAsk !== identityOfSchedule(options)) throw new ScheduleExists(name);
    const timezone = segueSchedule?.timezone ?? 'UTC';
    return { name, scheduleId: scheduleId(name), existing: true, timezone, remarks: [] };
  }

  /** Default: the zone of the workspace. A worker reads it, because this client has no credential of the service. */
  async #zoneOf({ spec, timezone, target }: ScheduleOptions): Promise<Zone> {
    if (timezone !== undefined) return { timezone, remarks: [] };
    // An interval needs no time zone.
    if ('every' in spec) return { timezone: 'UTC', remarks: [] };
    const { taskQueue } = this.config;
    const workers = await pollersOf(this.temporal, taskQueue, 'workflow');
    if (workers.length === 0)
      throw new NoTimezone(`no worker polls the task queue "${taskQueue}"; start one with \`segue worker\``);
    try {
      const clock = await this.temporal.workflow.execute<ReadWorkspaceClock>(WORKSPACE_CLOCK_WORKFLOW, {
        workflowId: workspaceClockWorkflowId(randomUUID()),
        taskQueue,
        args: [{ scope: target.spec.scope }],
        workflowExecutionTimeout: CLOCK_TIMEOUT,
        staticSummary: 'the time zone of the workspace, for a schedule',
      });
      // Remarks about the start of the week do not matter here.
      return { ...clock, remarks: clock.remarks.filter((remark) => remark.includes('timezone')) };
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      // The message of the service, if it answered.
      const reason = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
      throw new NoTimezone(reason?.message ?? 'no worker answered', { cause: error });
    }
  }

  async #with<T>(name: string, work: (schedule: ScheduleHandle) => Promise<T>): Promise<T> {
    try {
      return await work(this.temporal.schedule.getHandle(scheduleId(name)));
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) throw new NoSuchSchedule(name);
      throw error;
    }
  }
}
