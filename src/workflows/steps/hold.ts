/** A held job waits for a person; the update `resolve` brings the decision. */
import {
  ActivityFailure,
  type ApplicationFailure,
  CancellationScope,
  condition,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import { isIdText, isWellFormed } from '../../api/scope';
import {
  acceptedSignal,
  type Decision,
  type DecisionAction,
  type DecisionReceipt,
  FAILURE,
  type Hold,
  type HoldState,
  type JobStage,
  resolveUpdate,
  type SegueActivities,
} from '../../contract';
import { holdNumber } from '../../contract/ids';
import { isText, validateTaskId } from '../../validation/inputs';
import { onSignal } from '../lib/listeners';
import { alarm } from './alarm';
import { badDecision, refuseUpdate } from '../lib/refuse';
import { type Job } from './job';
import { type MediaJob } from './mediaJob';
import { setStage, showTasks } from './visibility';

/**
 * Waits until a person, or a late answer of the service, decides to adopt or to resubmit; throws when the job is
 * abandoned. A cancellation ends the wait, unless it was requested before the hold: that person did not know of the hold.
 */
export async function hold(job: MediaJob, cause: Omit<Hold, 'since'>): Promise<Decision> {
  openHold(job, cause);
  const lateTask = job.progress.attempts.find(({ n }) => n === cause.n)?.taskId;
  if (cause.why === 'unknown' && lateTask !== undefined) {
    job.decision = lateAdoption(job, lateTask);
    // The batch notified the operator of this hold, not of the next one.
    job.isOperatorNotified = false;
  }
  const alarming = job.decision ? undefined : alarm(job, cause);
  try {
    return await takeDecision(job);
  } finally {
    alarming?.cancel();
  }
}

/** Does not wait for the decision. */
export function openHold(job: Job, cause: Omit<Hold, 'since'>): void {
  job.decision = null;
  job.progress.hold = { ...cause, since: new Date().toISOString() };
  setStage(job, cause.why === 'overdue' ? 'overdue' : 'held');
}

export function closeHold(job: Job): void {
  job.progress.hold = null;
  job.decision = null;
}

async function takeDecision(job: MediaJob): Promise<Decision> {
  const isDecided = (): Promise<void> => condition(() => job.decision !== null);
  if (CancellationScope.current().consideredCancelled) await CancellationScope.nonCancellable(isDecided);
  else await isDecided();
  const decision = job.decision as unknown as Decision;
  if (decision.action === 'abandon') throw abandoned(job, decision);
  if (decision.action === 'resubmit') job.orderedBy = decision.hold.slice(0, decision.hold.lastIndexOf('/'));
  closeHold(job);
  return decision;
}

export function abandoned(job: Job, { by, reason }: Decision): ApplicationFailure {
  const name = job.name.replace(/^./, (first) => first.toUpperCase());
  return job.failure(FAILURE.abandoned, `${name} was abandoned by ${by}: ${reason}`, { by, reason });
}

function lateAdoption(job: MediaJob, taskId: string): Decision {
  const reason = 'the answer to the submission came late';
  return { hold: job.holdId(), action: 'adopt', taskId, by: 'segue', reason };
}

const MOST_DECISIONS_SHOWN = 20;

export function handleDecisions(job: Job): void {
  setHandler(resolveUpdate, (decision) => applyDecision(job, decision), {
    description:
      'Decides a held run: { hold, action: adopt | resubmit | abandon, taskId?, force?, by, reason }. The query `state` shows the hold and its actions.',
    // Not run on replay, so it may compare the run id and the time. It also checks decisions that a reset applies again.
    validator: (decision) => {
      refuseUpdate(validateHoldDecision(job, decision), 'The decision was not taken');
    },
  });
}

/** Compares only the number of the hold: a reset applies accepted decisions again, in a run with another id. */
async function applyDecision(job: Job, decision: Decision): Promise<DecisionReceipt> {
  const isOpen = (): boolean => job.progress.hold?.n === holdNumber(decision.hold) && job.decision === null;
  // Compared again after the wait: another decision or a late answer may have come first, and a resubmit would pay twice.
  if (isOpen() && decision.action === 'adopt') await requireTask(job, decision);
  const applied = isOpen();
  if (applied) {
    job.decision = decision;
    recordDecision(job, decision);
  }
  const taskId = decision.taskId ?? job.facts().taskId ?? null;
  // The run acts on the decision after this answer.
  return { applied, stage: applied ? STAGE_AFTER[decision.action] : job.stage, taskId };
}

const STAGE_AFTER = {
  adopt: 'polling',
  resubmit: 'submitting',
  abandon: 'abandoned',
} as const satisfies Record<DecisionAction, JobStage>;

function recordDecision({ progress }: Job, { force, ...decision }: Decision): void {
  progress.decisions.push({ ...decision, at: new Date().toISOString() });
  if (progress.decisions.length > MOST_DECISIONS_SHOWN) progress.decisions.shift();
}

function validateHoldDecision(job: Job, decision: unknown): string[] {
  const { hold, action, taskId, by, reason } = (decision ?? {}) as Partial<Decision>;
  const open = job.describeHold();
  if (!open) return [`the run is not held; it is ${job.stage}`];
  const problems = Object.entries({ by, reason }).flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' && isWellFormed(value)
      ? []
      : [`${name}: must be a text`],
  );
  if (hold !== open.id) problems.push(`hold: the open one is ${open.id}`);
  if (job.decision) problems.push('it is decided already');
  if (!action || !open.actions.includes(action))
    problems.push(`action: must be ${open.actions.join(' or ')} (the run is ${open.why})`);
  else if (action === 'resubmit') problems.push(...validateResubmit(open));
  else if (action === 'adopt')
    problems.push(...(isText(taskId) ? validateTaskId(taskId) : ['taskId: must name the task to adopt']));
  return problems;
}

const { getTask } = proxyActivities<SegueActivities>({
  // A person waits for the answer, and the client waits for at most a minute.
  startToCloseTimeout: '12s',
  scheduleToCloseTimeout: '45s',
  retry: { maximumAttempts: 3, initialInterval: '1s' },
});

/** Takes the task id of a submission that was given up; a hold for that submission is then decided. */
export function handleLateAnswers(job: MediaJob): void {
  const description = 'Reports a task id that came after its submission was given up: { hold, taskId }.';
  onSignal(acceptedSignal, description, ({ hold, taskId }) => {
    if (!isIdText(taskId)) return;
    const { attempts, hold: open, number } = job.progress;
    // A reset partition numbers its submissions from 1 again, so any late task is for the attempt of the batch.
    const isOfBatch = job.input.held?.attempts.at(-1)?.n === number;
    const attempt = attempts.find(({ n }) => n === (isOfBatch ? number : holdNumber(hold)));
    // The first task id of an attempt counts. Any other task is paid for, too, so it is kept beside.
    if (!attempt || attempt.taskId !== undefined) {
      if (job.addOtherTask(taskId)) showTasks(job);
      return;
    }
    // Also before the run knows that the submission gave no outcome.
    attempt.taskId = taskId;
    if (open?.why === 'unknown' && open.n === attempt.n) job.decision ??= lateAdoption(job, taskId);
    else if (attempt.outcome !== 'pending') showTasks(job);
  });
}

/** Throws, and the run stays held, when the service does not know the task, unless the decision has `force`. */
async function requireTask({ input }: Job, { taskId = '', force }: Decision): Promise<void> {
  if (force) return;
  try {
    await CancellationScope.nonCancellable(() => getTask({ request: { id: taskId }, scope: input.scope }));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const said = error.cause?.message ?? error.message;
    throw badDecision(
      `Task ${taskId} was not adopted, and the run is still held. The service says: ${said}. ` +
        'Check the id; --force adopts it without asking.',
    );
  }
}

function validateResubmit({ resubmitAfter }: HoldState): string[] {
  if (resubmitAfter === null || Date.now() >= Date.parse(resubmitAfter)) return [];
  return [`action: the last submission may still arrive; it can be submitted again from ${resubmitAfter} on`];
}
