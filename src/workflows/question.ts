/** The open question of a run, as it is named and shown. */
import { workflowInfo } from '@temporalio/workflow';
import { type DecisionAction, type Hold, type HoldState } from '../contract';
import { holdName } from '../ids';
import { type Run } from './progress';

const ACTIONS: Record<Hold['why'], DecisionAction[]> = {
  unknown: ['adopt', 'resubmit', 'abandon'],
  missing: ['adopt', 'resubmit', 'abandon'],
  // The task is known and may end well any minute: whatever else one wants, this run has to be given up first.
  overdue: ['abandon'],
};

export function nextNumber({ progress }: Run): number {
  progress.number += 1;
  return progress.number;
}

/** Named by the run that shows it: after a reset or a continue-as-new, by the new one. */
export function holdId({ progress }: Run): string {
  return holdName(workflowInfo().runId, progress.hold?.n ?? 0);
}

export function describeHold(run: Run): HoldState | null {
  const { hold } = run.progress;
  if (!hold) return null;
  const { why, since, reason } = hold;
  return { id: holdId(run), why, since, reason, actions: ACTIONS[why], resubmitAfter: resubmitAfter(run) };
}

/** What is on its way may still arrive for as long as a submission may take; twice that is long enough. */
function resubmitAfter({ progress, settings }: Run): string | null {
  const last = progress.attempts.at(-1);
  if (!progress.hold || !ACTIONS[progress.hold.why].includes('resubmit')) return null;
  const from = Date.parse(last?.at ?? progress.hold.since);
  return new Date(from + 2 * settings.submitTimeout).toISOString();
}
