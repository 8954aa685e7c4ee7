/** Questions that only a person can answer, and what was decided. */
import { defineUpdate } from '@temporalio/workflow';
import { type MediaStage } from './media';
import { type TranscriptStage } from './records';

/**
 * A question that only a person can answer. `unknown`: a POST may have been accepted; `missing`: the service does not
 * know the task; `overdue`: it never says that the task is over.
 */
export interface Hold {
  n: number;
  why: 'unknown' | 'missing' | 'overdue';
  since: string;
  reason: string;
}

export type DecisionAction = 'adopt' | 'resubmit' | 'abandon';

/** What a person decides of a held run. */
export interface Decision {
  /** The hold it answers, as `state` shows it. */
  hold: string;
  action: DecisionAction;
  /** The task to adopt. */
  taskId?: string;
  /** Adopts although the service cannot be asked about the task. */
  force?: boolean;
  by: string;
  reason: string;
}

export interface DecisionTaken extends Omit<Decision, 'force'> {
  at: string;
}

/** Answer to a decision. One that comes late, or twice, is not applied and does no harm. */
export interface DecisionReceipt {
  applied: boolean;
  stage: MediaStage | TranscriptStage;
  taskId: string | null;
}

/** An open question, as people and programs see it. */
export interface HoldState extends Omit<Hold, 'n'> {
  /** Names it: `<runId>/<n>`. */
  id: string;
  /** What can be decided. */
  actions: DecisionAction[];
  /** From when on it can be submitted again: what is still on its way has arrived by then. */
  resubmitAfter: string | null;
}

export const resolveUpdate = defineUpdate<DecisionReceipt, [Decision]>('resolve');
/** Nothing can be told yet, but every handler takes one object. */
export type PollNow = Record<string, never>;
