/** How a decision reaches a held run, once, however often it is sent. */
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type Decision,
  type DecisionReceipt,
  type DecisionTaken,
  FAILURE,
  resolveUpdate,
} from '../../contract';
import { DecisionRefusedError } from '../../errors';
import { noAnswer } from '../../runs/pollers';
import { type JobState } from './job';
import { sendOrder } from '../run';

export interface DecisionMade extends Omit<Decision, 'hold'> {
  /** The hold it answers, so that a later one is not decided by mistake. Default: the open one. */
  hold?: string;
}

export interface DecisionAnswer extends DecisionReceipt {
  /** The same decision, taken before; then nothing was applied. */
  earlier: DecisionTaken | null;
}

/** What a decision needs of a run. */
export interface Decided {
  temporal: Client;
  workflowId: string;
  readState: () => Promise<JobState | undefined>;
}

/**
 * Decides a held run. A decision that was taken before is not taken again: the receipt then says `applied: false`.
 * What cannot be decided is a {@link DecisionRefusedError}, and the run stays as it is.
 */
export async function decide(
  { temporal, workflowId, readState }: Decided,
  made: DecisionMade,
): Promise<DecisionAnswer> {
  const { status } = await temporal.workflow.getHandle(workflowId).describe();
  if (status.name === 'PAUSED')
    throw new DecisionRefusedError(
      `${workflowId} is paused on the Temporal server, and takes no decision: unpause it first. Nothing was decided.`,
    );
  const isOpen = status.name === 'RUNNING';
  const state = await readState();
  if (!state && isOpen) throw await noAnswer(temporal, workflowId);

  const earlier = state && takenBefore(state, made, isOpen);
  if (earlier) return { applied: false, stage: state.stage, taskId: state.taskId ?? null, earlier };
  if (!isOpen || !state?.hold) {
    const how = isOpen
      ? `it is ${state?.stage ?? ''}`
      : `it is over (${status.name.toLowerCase().replace('_', ' ')})`;
    throw new DecisionRefusedError(`${workflowId} is not held: ${how}. Nothing was decided.`);
  }

  try {
    const decision: Decision = { ...made, hold: made.hold ?? state.hold.id };
    const receipt = await sendOrder(temporal, workflowId, resolveUpdate, decision);
    return { ...receipt, earlier: null };
  } catch (error) {
    const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    const isRefused = failure instanceof ApplicationFailure && failure.type === FAILURE.badDecision;
    if (!isRefused && !(error instanceof WorkflowNotFoundError)) throw error;
    // Somebody else may have decided the same a moment ago.
    const now = await readState();
    const same = now && takenBefore(now, made, now.hold !== null);
    if (same) return { applied: false, stage: now.stage, taskId: now.taskId ?? null, earlier: same };
    throw new DecisionRefusedError(
      isRefused ? failure.message : `${workflowId} has just ended; nothing was decided.`,
    );
  }
}

/** The same decision of the same hold. Without a hold, the last one counts, unless another question is open. */
function takenBefore(
  { decisions, hold }: JobState,
  made: DecisionMade,
  isOpen: boolean,
): DecisionTaken | undefined {
  const last = decisions.at(-1);
  const asked = made.hold ?? (isOpen ? hold?.id : undefined) ?? last?.hold;
  return decisions.find(
    (taken) =>
      numberOf(taken.hold) === numberOf(asked ?? '') &&
      taken.action === made.action &&
      (taken.action !== 'adopt' || taken.taskId === made.taskId),
  );
}

/** A reset or continued run names its holds anew; their numbers stay. */
function numberOf(hold: string): string {
  return hold.slice(hold.lastIndexOf('/') + 1);
}
