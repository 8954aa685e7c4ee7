/** What media jobs, transcripts and waits for records have in common. */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Decision,
  type DecisionAction,
  type Hold,
  type HoldState,
  type JobProgress,
  type JobStage,
  type NotifyTarget,
  type Scope,
  type UnknownSubmit,
  type WriteTarget,
} from '../../contract';
import { holdName } from '../../contract/ids';
import { type PollTimes } from '../../validation/times';
import { type Reporter } from '../lib/listeners';
import { ProjectWrites } from './write';

/** A run that polls until the service ends something: a task, a transcription, an asset. */
export abstract class Job implements Reporter {
  abstract readonly input: { key: string; scope?: Scope; write?: WriteTarget; notify?: NotifyTarget };
  abstract readonly settings: PollTimes;
  /** Survives continue-as-new. */
  abstract readonly progress: JobProgress;
  abstract stage: JobStage;
  /** As lists show it: `remove-background`, `transcript`, `asset`. */
  abstract readonly tool: string;
  /** As its user calls it: `media job`, `transcript`. */
  abstract readonly noun: string;
  /** In a sentence: `job k`, `transcript k`. */
  abstract readonly name: string;
  /** As the service calls it: `task`, `transcription`. */
  abstract readonly kind: string;
  /** Prefix of this job's request ids; no other job has it. */
  readonly requestName: string = workflowInfo().workflowId;
  readonly writes = new ProjectWrites();
  /** A person's decision about the hold, until the job acts on it. */
  decision: Decision | null = null;
  pollRequested = false;
  reports = 0;
  /** Alarms that are not sent yet. The job does not continue as new before, because the next run would not send them. */
  alarms = 0;
  nextPollAt: string | null = null;
  lastError: string | null = null;
  /** The batch has notified the operator of the first hold already. */
  isOperatorNotified = false;

  /** The service's id of what is polled. */
  abstract get id(): string | null;
  /** For programs: in failures, logs, results and notifications. */
  abstract facts(): Record<string, string | null>;
  /** What the service said last; null when there is nothing to add. */
  abstract lastStatusText(): string | null;

  /** `task t-1` */
  get label(): string {
    return `${this.kind} ${this.id ?? ''}`;
  }

  /** `task t-1 of job k` */
  get longLabel(): string {
    return `${this.label} of ${this.name}`;
  }

  /** More for the details on the page of the run, in Markdown. */
  notes(): string[] {
    return [];
  }

  /** All known tasks, the polled one first. */
  tasks(): string[] {
    return [];
  }

  /** A submission that the service may have accepted without a known task id. */
  unknownSubmit(): UnknownSubmit | null {
    return null;
  }

  /** When the job may be submitted again; null when never. */
  resubmitAfter(): string | null {
    return null;
  }

  /** Attempts and holds of a job share one sequence of numbers. */
  nextNumber(): number {
    this.progress.number += 1;
    return this.progress.number;
  }

  /** Has the id of the current run: a reset or a continue-as-new changes it. */
  holdId(): string {
    return holdName(workflowInfo().runId, this.progress.hold?.n ?? 0);
  }

  describeHold(): HoldState | null {
    const { hold } = this.progress;
    if (!hold) return null;
    const { why, since, reason } = hold;
    const resubmitAfter = this.resubmitAfter();
    const actions = ACTIONS[why].filter((action) => action !== 'resubmit' || resubmitAfter !== null);
    return {
      ...{ id: this.holdId(), why, since, reason, actions },
      resubmitAfter: actions.includes('resubmit') ? resubmitAfter : null,
    };
  }

  /** The part of the `state` query that all jobs have. */
  describe() {
    const { decisions, polls } = this.progress;
    const { nextPollAt, lastError } = this;
    return { key: this.input.key, hold: this.describeHold(), decisions, polls, nextPollAt, lastError };
  }

  failure(type: string, message: string, more: object = {}): ApplicationFailure {
    return ApplicationFailure.nonRetryable(message, type, { key: this.input.key, ...this.facts(), ...more });
  }

  /** Returns where there is no need, or while alarms or reports are being sent: the history has room until the next call. */
  async continueWhenLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested || this.alarms > 0 || this.reports > 0) return;
    await condition(allHandlersFinished);
    // The next run would not know a decision or a report that came while this one waited.
    if (this.decision || this.reports > 0) return;
    await continueAsNew<(input: object) => Promise<unknown>>({ ...this.input, carried: this.progress });
  }
}

/** The `_extra` fields of a job's notifications. */
export function extraOf(job: Job): Record<string, string> {
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const facts = Object.entries(job.facts()).flatMap(([name, value]) =>
    value === null ? [] : [[snakeCase(name), value] as const],
  );
  return { job_key: job.input.key, ...Object.fromEntries<string>(facts) };
}

const ACTIONS: Record<Hold['why'], DecisionAction[]> = {
  unknown: ['adopt', 'resubmit', 'abandon'],
  missing: ['adopt', 'resubmit', 'abandon'],
  // The task is known and may still succeed, so it must be abandoned first.
  overdue: ['abandon'],
};
