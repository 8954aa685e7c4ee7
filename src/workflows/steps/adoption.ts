/** What only a media job can be told: which task is its own, or that it is to be submitted again. */
import { ActivityFailure, CancellationScope, proxyActivities, setHandler } from '@temporalio/workflow';
import { acceptedSignal, type Decision, type SegueActivities } from '../../contract';
import { isRecord, isText, problemsOfTaskId } from '../../validation/inputs';
import { badDecision, type DecisionRules, numberOf } from './decisions';
import { lateAdoption } from './hold';
import { keepTask, type Run } from './progress';
import { describeHold } from './question';
import { showTasks } from './visibility';

const { getTask } = proxyActivities<SegueActivities>({
  // A person waits for the answer; what does not work now is said now, within the minute that a client waits.
  startToCloseTimeout: '12s',
  scheduleToCloseTimeout: '45s',
  retry: { maximumAttempts: 3, initialInterval: '1s' },
});

export function taskRules(run: Run): DecisionRules {
  return {
    problemsOf: ({ action, taskId }) => {
      if (action === 'resubmit') return problemsOfResubmit(run);
      if (action !== 'adopt') return [];
      return isText(taskId) ? problemsOfTaskId(taskId) : ['taskId: must name the task to adopt'];
    },
    confirm: async (decision) => {
      if (decision.action === 'adopt') await requireTask(run, decision);
    },
  };
}

/** Late answers of the service decide like a person. */
export function handleLateAnswers(run: Run): void {
  setHandler(
    acceptedSignal,
    (answer: unknown) => {
      const { hold, taskId } = isRecord(answer) ? answer : {};
      // Anybody can send a signal, and one that made this throw would stop the run for good.
      if (!isText(taskId)) return;
      const attempt = run.progress.attempts.find(({ n }) => n === numberOf(hold));
      // The first one counts: any other is not this submission's, but it is paid for all the same.
      if (!attempt || attempt.taskId !== undefined) {
        if (problemsOfTaskId(taskId).length === 0 && keepTask(run, taskId)) showTasks(run);
        return;
      }
      // Kept also where the run has not noticed yet that the submission gave no outcome, or does without it.
      attempt.taskId = taskId;
      const open = run.progress.hold;
      if (open?.why === 'unknown' && open.n === attempt.n) run.decision ??= lateAdoption(run, taskId);
      else if (attempt.outcome !== 'pending') showTasks(run);
    },
    { description: 'Tells a task id that came after its submission was given up: { hold, taskId }.' },
  );
}

/** Fails the decision, and leaves the run held, unless the service knows the task or the person insists. */
async function requireTask({ input }: Run, { taskId = '', force }: Decision): Promise<void> {
  if (force) return;
  try {
    await CancellationScope.nonCancellable(() => getTask({ request: { id: taskId }, scope: input.scope }));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const words = error.cause?.message ?? error.message;
    throw badDecision(
      `Task ${taskId} was not adopted, and the run is still held. The service says: ${words}. ` +
        'Check the id; --force adopts it without asking.',
    );
  }
}

function problemsOfResubmit(run: Run): string[] {
  const after = describeHold(run)?.resubmitAfter ?? null;
  if (after === null || Date.now() >= Date.parse(after)) return [];
  return [`action: the last submission may still arrive; it can be submitted again from ${after} on`];
}
