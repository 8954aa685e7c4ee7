/** Holds, which only a person can decide, the decisions, and pauses. */
import { defineUpdate } from '@temporalio/workflow';
import { type JobStage } from './records';

/** `unknown`: a POST may have been accepted. `missing`: the service does not know the task. `overdue`: it does not end. */
export interface Hold {
  n: number;
  why: 'unknown' | 'missing' | 'overdue';
  since: string;
  reason: string;
}

export type DecisionAction = 'adopt' | 'resubmit' | 'abandon';

export interface Decision {
  /** As `state` shows it. */
  hold: string;
  action: DecisionAction;
  taskId?: string;
  /** Adopts the task even if the service cannot be asked about it. */
  force?: boolean;
  by: string;
  reason: string;
}

export interface DecisionTaken extends Omit<Decision, 'force'> {
  at: string;
}

/** A decision that comes late, or twice, is not applied. */
export interface DecisionReceipt {
  applied: boolean;
  /** Where the decision leads. An abandoned job first writes and notifies. */
  stage: JobStage;
  taskId: string | null;
}

export interface HoldState extends Omit<Hold, 'n'> {
  /** `<runId>/<n>` */
  id: string;
  actions: DecisionAction[];
  /** By then, a POST in flight has arrived. */
  resubmitAfter: string | null;
}

export const resolveUpdate = defineUpdate<DecisionReceipt, [Decision]>('resolve');
/** Every handler takes one object. */
export type PollNow = Record<string, never>;

export interface PauseOrder {
  by: string;
  reason?: string;
}

export interface Pause extends Required<PauseOrder> {
  since: string;
}
