import { CancellationScope } from '@temporalio/workflow';
import {
  type MediaInput,
  type MediaProgress,
  type MediaStage,
  type MediaState,
  type SubmitAttempt,
  type UnknownSubmit,
} from '../../contract';
import { mediaWorkflowId, submitRequestId } from '../../contract/ids';
import { validateMediaInput } from '../../validation/inputs';
import { withoutNulls } from '../../validation/rules';
import { jobTimes, type JobTimes } from '../../validation/times';
import { wasReset } from '../lib/atMostOnce';
import { listenersOf } from '../lib/listeners';
import { refuseUnsafeStart, requireInput } from '../lib/refuse';
import { Job } from './job';

/** Anybody can send a signal, so the list has a limit. */
const MOST_OTHER_TASKS = 20;

export class MediaJob extends Job {
  readonly noun = 'media job';
  readonly kind = 'task';
  readonly tool: string;
  readonly name: string;
  override readonly requestName: string;
  readonly settings: JobTimes;
  readonly progress: MediaProgress;
  stage: MediaStage;
  /** The root scope of the run, which shows whether somebody cancelled it. */
  readonly scope = CancellationScope.current();
  /** Numbers of the submits whose worker signalled that it was about to send. */
  readonly sending = new Set<unknown>();
  /** The run id in the hold when a person decided to resubmit; null for the first submission. */
  orderedBy: string | null = null;

  constructor(readonly input: MediaInput) {
    super();
    this.settings = readMediaSettings(input);
    const { key, tool, held, carried } = input;
    refuseUnsafeStart(key, mediaWorkflowId(key), input);
    this.tool = tool;
    this.name = `job ${key}`;
    this.requestName = key;
    this.progress = {
      taskId: input.taskId ?? null,
      submittedAt: null,
      number: held?.attempts.at(-1)?.n ?? 0,
      attempts: (held?.attempts ?? []).map(withoutNulls),
      ...{ hold: null, knownTasks: [], otherTasks: [], decisions: [], deniedSince: null },
      ...{ polls: 0, pollingSince: null, missingSince: null },
      listeners: listenersOf(input.reportTo),
      ...carried,
      reset: wasReset(carried),
    };
    this.isOperatorNotified = Boolean(held && !held.needsAlert) && carried === undefined;
    this.stage = this.firstStage();
  }

  private firstStage(): MediaStage {
    const { taskId, hold } = this.progress;
    if (taskId === null) return this.unresolvedAttempt() ? 'held' : 'submitting';
    return hold?.why === 'overdue' ? 'overdue' : 'polling';
  }

  get id(): string | null {
    return this.progress.taskId;
  }

  facts(): { taskId: string | null } {
    return { taskId: this.progress.taskId };
  }

  /** Other tasks of this job: they are paid for, too, and somebody may want them. */
  override notes(): string[] {
    return this.tasks()
      .filter((task) => task !== this.id)
      .map(
        (task) => `The service accepted another submission as task \`${task}\`: \`segue get task ${task}\``,
      );
  }

  lastStatusText(): string | null {
    return this.lastError && `the last poll failed: ${this.lastError}`;
  }

  override tasks(): string[] {
    const { taskId, attempts, otherTasks } = this.progress;
    const others = [...attempts.map((attempt) => attempt.taskId), ...otherTasks];
    return [...new Set([taskId ?? undefined, ...others])].filter((task) => task !== undefined);
  }

  override unknownSubmit(): UnknownSubmit | null {
    const last = this.progress.attempts.at(-1);
    if (last?.outcome !== 'unknown' || last.taskId !== undefined) return null;
    return { submission: submitRequestId(this.input.key, last.n), submittedAt: last.at };
  }

  /**
   * Twice the submit timeout after the order, a submission cannot arrive any more. When it waited for a worker that was
   * then stopped, it is sent at the latest one submit timeout after the server gave it up, which is when the hold began.
   */
  override resubmitAfter(): string | null {
    // A cancelled run submits nothing.
    if (this.scope.consideredCancelled) return null;
    const { attempts, hold } = this.progress;
    const { submitTimeout } = this.settings;
    const ordered = attempts.at(-1)?.at;
    const since = hold ? Date.parse(hold.since) : Date.now();
    const fromOrder = (ordered === undefined ? since : Date.parse(ordered)) + 2 * submitTimeout;
    return new Date(Math.max(fromOrder, since + submitTimeout)).toISOString();
  }

  /** The POST of a batch whose outcome is unknown, until a person has decided about it. */
  unresolvedAttempt(): SubmitAttempt | undefined {
    const { held, carried } = this.input;
    const last = this.progress.attempts[(held?.attempts.length ?? 0) - 1];
    const isOpen = !carried && this.progress.taskId === null && last?.n === this.progress.number;
    return isOpen ? last : undefined;
  }

  /** A person decided to resubmit, knowing the tasks known by now. The grace time for denied access starts again. */
  prepareResubmit(): void {
    this.progress.knownTasks = this.tasks();
    this.progress.deniedSince = null;
  }

  /** Keeps a task that is in no attempt. Gives whether it is new. */
  addOtherTask(taskId: string): boolean {
    const { otherTasks } = this.progress;
    if (this.tasks().includes(taskId) || otherTasks.length >= MOST_OTHER_TASKS) return false;
    otherTasks.push(taskId);
    return true;
  }

  override describe(): MediaState {
    const { taskId, submittedAt, attempts } = this.progress;
    const { tool, stage } = this;
    return { ...super.describe(), tool, stage, taskId, submittedAt, attempts };
  }
}

export function readMediaSettings(input: MediaInput): JobTimes {
  requireInput(validateMediaInput(input));
  return jobTimes(input);
}
