/** A held job waits for a person, and how that person's decision reaches it. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import { isIdText, isWellFormed } from '../../api/scope';
import {
  acceptedSignal,
  type Decision,
  type DecisionReceipt,
  FAILURE,
  type Hold,
  resolveUpdate,
  type SegueActivities,
} from '../../contract';
import { isRecord, isText, validateTaskId } from '../../validation/inputs';
import { alarm } from '../lib/notify';
import { type Job } from './job';
import { type MediaJob } from './mediaJob';
import { setStage, showTasks } from './visibility';

/**
 * Waits until a person, or a late answer of the service, decides to adopt or to resubmit; throws when the job is
 * abandoned. A cancellation ends the wait, unless it came before the hold: whoever cancelled did not know of the hold.
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
  return ApplicationFailure.create({
    type: FAILURE.abandoned,
    nonRetryable: true,
    message: `${name} was abandoned by ${by}: ${reason}`,
    details: [{ key: job.input.key, ...job.facts(), by, reason }],
  });
}

/** A late answer of the service decides like a person. */
function lateAdoption(job: MediaJob, taskId: string): Decision {
  const reason = 'the answer to the submission came late';
  return { hold: job.holdId(), action: 'adopt', taskId, by: 'segue', reason };
}

const MOST_DECISIONS_SHOWN = 20;

/** Checks for adopt and resubmit, which only media jobs know. */
interface DecisionRules {
  problemsOf: (decision: Decision) => string[];
  /** Throws when the decision cannot be taken. */
  confirm: (decision: Decision) => Promise<void>;
}

const NO_RULES: DecisionRules = { problemsOf: () => [], confirm: () => Promise.resolve() };

export function handleDecisions(job: Job, rules = NO_RULES): void {
  const actions = rules === NO_RULES ? 'abandon' : 'adopt | resubmit | abandon, taskId?, force?';
  setHandler(resolveUpdate, (decision) => applyDecision(job, decision, rules), {
    description: `Decides a held run: { hold, action: ${actions}, by, reason }. \`hold\` is in the answer of \`state\`.`,
    // Not run on replay, so it may compare the run id and the time. It also checks decisions that a reset applies again.
    validator: (decision) => {
      const problems = problemsOf(job, decision, rules);
      if (problems.length > 0) throw badDecision(`The decision was not taken: ${problems.join('; ')}`);
    },
  });
}

/** Compares only the number of the hold: a reset applies accepted decisions again, in a run with another id. */
async function applyDecision(job: Job, decision: Decision, rules: DecisionRules): Promise<DecisionReceipt> {
  const isOpen = (): boolean => job.progress.hold?.n === numberOf(decision.hold) && job.decision === null;
  // Compared again after the wait: another decision or a late answer may have come first, and a resubmit would pay twice.
  if (isOpen()) await rules.confirm(decision);
  const applied = isOpen();
  if (applied) {
    job.decision = decision;
    recordDecision(job, decision);
  }
  const taskId = decision.taskId ?? job.facts().taskId ?? null;
  return { applied, stage: job.stage, taskId };
}

function recordDecision({ progress }: Job, { force, ...decision }: Decision): void {
  progress.decisions.push({ ...decision, at: new Date().toISOString() });
  if (progress.decisions.length > MOST_DECISIONS_SHOWN) progress.decisions.shift();
}

function problemsOf(job: Job, decision: unknown, rules: DecisionRules): string[] {
  const { hold, action, by, reason } = (decision ?? {}) as Partial<Decision>;
  const open = job.describeHold();
  if (!open) return [`the run is not held; it is ${job.stage}`];
  const problems = Object.entries({ by, reason }).flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' && isWellFormed(value)
      ? []
      : [`${name}: must be a text`],
  );
  if (hold !== open.id) problems.push(`hold: the open one is ${open.id}`);
  if (job.decision) problems.push('it is decided already');
  if (action && open.actions.includes(action)) problems.push(...rules.problemsOf(decision as Decision));
  else problems.push(`action: must be ${open.actions.join(' or ')} (the run is ${open.why})`);
  return problems;
}

function numberOf(hold: unknown): number {
  return isText(hold) ? Number(hold.split('/').at(-1)) : NaN;
}

function badDecision(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURE.badDecision);
}

const { getTask } = proxyActivities<SegueActivities>({
  // A person waits for the answer, and the client waits for at most a minute.
  startToCloseTimeout: '12s',
  scheduleToCloseTimeout: '45s',
  retry: { maximumAttempts: 3, initialInterval: '1s' },
});

export function taskRules(job: MediaJob): DecisionRules {
  return {
    problemsOf: ({ action, taskId }) => {
      if (action === 'resubmit') return validateResubmit(job);
      if (action !== 'adopt') return [];
      return isText(taskId) ? validateTaskId(taskId) : ['taskId: must name the task to adopt'];
    },
    confirm: async (decision) => {
      if (decision.action === 'adopt') await requireTask(job, decision);
    },
  };
}

/** Takes the task id of a submission that was given up; a hold for that submission is then decided. */
export function handleLateAnswers(job: MediaJob): void {
  setHandler(
    acceptedSignal,
    (answer: unknown) => {
      const { hold, taskId } = isRecord(answer) ? answer : {};
      // Anybody can send a signal; a throw here would block the run.
      if (!isIdText(taskId)) return;
      const { attempts, hold: open, number } = job.progress;
      // A reset partition numbers its submissions from 1 again, so any late task is for the attempt of the batch.
      const isOfBatch = job.input.held?.attempts.at(-1)?.n === number;
      const attempt = attempts.find(({ n }) => n === (isOfBatch ? number : numberOf(hold)));
      // The first task id of an attempt counts. Any other task is paid for, too, so it is kept beside.
      if (!attempt || attempt.taskId !== undefined) {
        if (job.addOtherTask(taskId)) showTasks(job);
        return;
      }
      // Also before the run knows that the submission gave no outcome.
      attempt.taskId = taskId;
      if (open?.why === 'unknown' && open.n === attempt.n) job.decision ??= lateAdoption(job, taskId);
      else if (attempt.outcome !== 'pending') showTasks(job);
    },
    { description: 'Tells a task id that came after its submission was given up: { hold, taskId }.' },
  );
}

/** Throws, and the run stays held, when the service does not know the task, unless the decision has `force`. */
async function requireTask({ input }: MediaJob, { taskId = '', force }: Decision): Promise<void> {
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

function validateResubmit(job: MediaJob): string[] {
  const after = job.describeHold()?.resubmitAfter ?? null;
  if (after === null || Date.now() >= Date.parse(after)) return [];
  return [`action: the last submission may still arrive; it can be submitted again from ${after} on`];
}
