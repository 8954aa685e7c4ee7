/** Questions that only a person can answer. */
import { ApplicationFailure, CancellationScope, condition } from '@temporalio/workflow';
import { type Decision, FAILURE, type Hold } from '../../contract';
import { alarm } from '../lib/alarm';
import { type Following } from './following';
import { type Run } from './progress';
import { holdId } from './question';
import { enterStage } from './visibility';

/**
 * Stands until a person decides to adopt or to submit again, or a late answer decides instead; abandoned, it throws. A
 * cancellation ends it too, but not one from before it was held: whoever asked for that did not know.
 */
export async function hold(run: Run, question: Omit<Hold, 'since'>): Promise<Decision> {
  openHold(run, question);
  const lateTask = run.progress.attempts.find(({ n }) => n === question.n)?.taskId;
  if (question.why === 'unknown' && lateTask !== undefined) {
    run.decision = lateAdoption(run, lateTask);
    // What the batch told of is settled; whatever comes next is told anew.
    run.toldByBatch = false;
  }
  const telling = run.decision ? undefined : alarm(run, question);
  try {
    return await takeDecision(run);
  } finally {
    telling?.cancel();
  }
}

/** Asks the question and goes on; a decision is looked for by who opened it. */
export function openHold(run: Following, question: Omit<Hold, 'since'>): void {
  run.decision = null;
  run.progress.hold = { ...question, since: new Date().toISOString() };
  enterStage(run, question.why === 'overdue' ? 'overdue' : 'held');
}

export function closeHold(run: Following): void {
  run.progress.hold = null;
  run.decision = null;
}

async function takeDecision(run: Run): Promise<Decision> {
  const isDecided = (): Promise<void> => condition(() => run.decision !== null);
  if (CancellationScope.current().consideredCancelled) await CancellationScope.nonCancellable(isDecided);
  else await isDecided();
  // Decided, or the condition would not have come true.
  const decision = run.decision as unknown as Decision;
  if (decision.action === 'abandon') throw abandoned(run, decision);
  if (decision.action === 'resubmit') run.orderedBy = decision.hold.slice(0, decision.hold.lastIndexOf('/'));
  closeHold(run);
  return decision;
}

export function abandoned({ input, subject }: Following, { by, reason }: Decision): ApplicationFailure {
  const name = subject.name.replace(/^./, (first) => first.toUpperCase());
  return ApplicationFailure.create({
    type: FAILURE.abandoned,
    nonRetryable: true,
    message: `${name} was abandoned by ${by}: ${reason}`,
    details: [{ key: input.key, ...subject.facts(), by, reason }],
  });
}

/** The service answered after all: as good as a decision, and nobody needs to make it. */
export function lateAdoption(run: Run, taskId: string): Decision {
  const reason = 'the answer to the submission came late';
  return { hold: holdId(run), action: 'adopt', taskId, by: 'segue', reason };
}
