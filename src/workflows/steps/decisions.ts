/** How decisions of people reach a run that asks for one. */
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { type Decision, type DecisionReceipt, FAILURE, resolveUpdate } from '../../contract';
import { type Following } from './following';
import { describeHold } from './question';

const MOST_DECISIONS_SHOWN = 20;

/** What a run has to say to a decision that only its kind knows: abandoning needs none of it. */
export interface DecisionRules {
  problemsOf: (decision: Decision) => string[];
  /** Fails the decision where it cannot be taken. */
  confirm: (decision: Decision) => Promise<void>;
}

const NO_RULES: DecisionRules = { problemsOf: () => [], confirm: () => Promise.resolve() };

export function handleDecisions(run: Following, rules = NO_RULES): void {
  const actions = run.resubmitAfter ? 'adopt | resubmit | abandon, taskId?, force?' : 'abandon';
  setHandler(resolveUpdate, (decision) => apply(run, decision, rules), {
    description: `Decides a held run: { hold, action: ${actions}, by, reason }. \`hold\` is in the answer of \`state\`.`,
    // Not run on replay, so it may look at the run's id and the time. What a reset applies again is asked here anew.
    validator: (decision) => {
      const problems = problemsOf(run, decision, rules);
      if (problems.length > 0) throw badDecision(`The decision was not taken: ${problems.join('; ')}`);
    },
  });
}

/** Compares only the number of the hold: a reset applies accepted decisions again, in a run with another id. */
async function apply(run: Following, decision: Decision, rules: DecisionRules): Promise<DecisionReceipt> {
  const isOpen = (): boolean => run.progress.hold?.n === numberOf(decision.hold) && run.decision === null;
  // Asked again after the wait: where another decision or a late answer came first, a resubmit would pay a second time.
  if (isOpen()) await rules.confirm(decision);
  const applied = isOpen();
  if (applied) {
    run.decision = decision;
    record(run, decision);
  }
  const taskId = decision.taskId ?? run.subject.facts().taskId ?? null;
  return { applied, stage: run.stage, taskId };
}

function record({ progress }: Following, { force, ...decision }: Decision): void {
  progress.decisions.push({ ...decision, at: new Date().toISOString() });
  if (progress.decisions.length > MOST_DECISIONS_SHOWN) progress.decisions.shift();
}

function problemsOf(run: Following, decision: unknown, rules: DecisionRules): string[] {
  const { hold, action, by, reason } = (decision ?? {}) as Partial<Decision>;
  const open = describeHold(run);
  if (!open) return [`the run is not held; it is ${run.stage}`];
  const problems = Object.entries({ by, reason }).flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [] : [`${name}: must be a text`],
  );
  if (hold !== open.id) problems.push(`hold: the open one is ${open.id}`);
  if (run.decision) problems.push('it is decided already');
  if (action && open.actions.includes(action)) problems.push(...rules.problemsOf(decision as Decision));
  else problems.push(`action: must be ${open.actions.join(' or ')} (the run is ${open.why})`);
  return problems;
}

export function numberOf(hold: unknown): number {
  return Number(String(hold).split('/').at(-1));
}

export function badDecision(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURE.badDecision);
}
