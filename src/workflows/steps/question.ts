/** The open question of a run, as it is named and shown. */
import { workflowInfo } from '@temporalio/workflow';
import { type DecisionAction, type Hold, type HoldState } from '../../contract';
import { holdName } from '../../contract/ids';
import { type Following } from './following';

const ACTIONS: Record<Hold['why'], DecisionAction[]> = {
  unknown: ['adopt', 'resubmit', 'abandon'],
  missing: ['adopt', 'resubmit', 'abandon'],
  // The task is known and may end well any minute: whatever else one wants, this run has to be given up first.
  overdue: ['abandon'],
};

export function nextNumber({ progress }: Following): number {
  progress.number += 1;
  return progress.number;
}

/** Named by the run that shows it: after a reset or a continue-as-new, by the new one. */
export function holdId({ progress }: Following): string {
  return holdName(workflowInfo().runId, progress.hold?.n ?? 0);
}

export function describeHold(run: Following): HoldState | null {
  const { hold } = run.progress;
  if (!hold) return null;
  const { why, since, reason } = hold;
  const resubmitAfter = run.resubmitAfter?.() ?? null;
  const actions = ACTIONS[why].filter((action) => action !== 'resubmit' || resubmitAfter !== null);
  return {
    ...{ id: holdId(run), why, since, reason, actions },
    resubmitAfter: actions.includes('resubmit') ? resubmitAfter : null,
  };
}
