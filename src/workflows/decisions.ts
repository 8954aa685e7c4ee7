/** How decisions of people, and late answers of the service, reach a held run. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import {
  acceptedSignal,
  type Decision,
  type DecisionReceipt,
  FAILURE,
  LONGEST_CALL_MS,
  resolveUpdate,
  type SegueActivities,
} from '../contract';
import { lateAdoption } from './hold';
import { type Run } from './progress';
import { describeHold } from './question';

const MOST_DECISIONS_SHOWN = 20;

const { getTask } = proxyActivities<SegueActivities>({
  startToCloseTimeout: LONGEST_CALL_MS,
  // A person waits for the answer; what does not work now is said now.
  retry: { maximumAttempts: 3, initialInterval: '1s' },
});

export function handleDecisions(run: Run): void {
  setHandler(resolveUpdate, (decision) => apply(run, decision), {
    description:
      'Decides a held run: { hold, action: adopt | resubmit | abandon, taskId?, force?, by, reason }. `hold` is in the answer of `state`.',
    // Not run again on replay or after a reset: it may look at the run's id and the time.
    validator: (decision) => {
      const problems = problemsOf(run, decision);
      if (problems.length > 0) throw refuse(`The decision was not taken: ${problems.join('; ')}`);
    },
  });
  setHandler(
    acceptedSignal,
    ({ hold, taskId }) => {
      // Kept where the run has not noticed yet that the submission gave no outcome.
      run.lateAnswers.set(numberOf(hold), taskId);
      const open = run.progress.hold;
      if (open?.why === 'unknown' && open.n === numberOf(hold)) run.decision ??= lateAdoption(run, taskId);
    },
    { description: 'Tells a task id that came after its submission was given up: { hold, taskId }.' },
  );
}

/** Compares only the number of the hold: a reset applies accepted decisions again, in a run with another id. */
async function apply(run: Run, decision: Decision): Promise<DecisionReceipt> {
  const isOpen = (): boolean => run.progress.hold?.n === numberOf(decision.hold) && run.decision === null;
  if (isOpen() && decision.action === 'adopt') await requireTask(run, decision);
  const applied = isOpen();
  if (applied) {
    run.decision = decision;
    record(run, decision);
  }
  return { applied, stage: run.stage, taskId: decision.taskId ?? run.progress.taskId };
}

/** Fails the decision, and leaves the run held, unless the service knows the task or the person insists. */
async function requireTask({ input }: Run, { taskId = '', force }: Decision): Promise<void> {
  if (force) return;
  try {
    await CancellationScope.nonCancellable(() => getTask({ request: { id: taskId }, scope: input.scope }));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const words = error.cause?.message ?? error.message;
    throw refuse(
      `Task ${taskId} was not adopted, and the run is still held. The service says: ${words}. ` +
        'Check the id; --force adopts it without asking.',
    );
  }
}

function record({ progress }: Run, { force, ...decision }: Decision): void {
  progress.decisions.push({ ...decision, at: new Date().toISOString() });
  if (progress.decisions.length > MOST_DECISIONS_SHOWN) progress.decisions.shift();
}

function problemsOf(run: Run, decision: unknown): string[] {
  const { hold, action, taskId, by, reason } = (decision ?? {}) as Partial<Decision>;
  const open = describeHold(run);
  if (!open) return [`the run is not held; it is ${run.stage}`];
  const problems = Object.entries({ by, reason }).flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [] : [`${name}: must be a text`],
  );
  if (hold !== open.id) problems.push(`hold: the open one is ${open.id}`);
  if (run.decision) problems.push('it is decided already');
  if (!action || !open.actions.includes(action)) {
    problems.push(`action: must be ${open.actions.join(' or ')} (the run is ${open.why})`);
  } else if (action === 'adopt' && !(typeof taskId === 'string' && taskId.trim() !== '')) {
    problems.push('taskId: must name the task to adopt');
  } else if (action === 'resubmit') {
    problems.push(...problemsOfResubmit(run, open.resubmitAfter));
  }
  return problems;
}

function problemsOfResubmit(run: Run, after: string | null): string[] {
  if (run.scope.consideredCancelled)
    return ['action: the run is being cancelled; adopt the task or abandon it'];
  if (after === null || Date.now() >= Date.parse(after)) return [];
  return [`action: the last submission may still arrive; it can be submitted again from ${after} on`];
}

function numberOf(hold: unknown): number {
  return Number(String(hold).split('/').at(-1));
}

function refuse(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURE.badDecision);
}
