/** What a person can do about a job that needs one. */
import { type DecisionAction, type HoldState, type MediaInput } from '../contract';
import { NotRepeatedError } from '../errors';
import { type HeldJob } from '../client/jobs/held';
import { type Remains, successorKey } from '../client/jobs/leftovers';
import { startCommand, word } from './commandLine';
import { table } from './table';

export interface Advice {
  when: string;
  command: string;
}

export function adviceFor({ workflowId, hold, left, stage }: HeldJob): Advice[] {
  if (left) return adviceForStopped(workflowId, left);
  // Without a worker nobody knows the hold, but an overdue job can only be abandoned.
  const actions: DecisionAction[] = stage === 'overdue' ? ['abandon'] : ['adopt', 'resubmit', 'abandon'];
  return adviceForHold(workflowId, hold ?? { actions, resubmitAfter: null });
}

export function adviceForHold(
  workflowId: string,
  { actions, resubmitAfter }: Pick<HoldState, 'actions' | 'resubmitAfter'>,
): Advice[] {
  const decide = `segue resolve ${word(workflowId)}`;
  const isEarly = resubmitAfter !== null && Date.parse(resubmitAfter) > Date.now();
  const all: Record<DecisionAction, Advice> = {
    adopt: { when: 'the service has it', command: `${decide} --adopt TASK_ID --reason "found it"` },
    resubmit: {
      when: `the service does not have it${isEarly ? ` (from ${resubmitAfter} on)` : ''}`,
      command: `${decide} --resubmit --reason "not there"`,
    },
    abandon: { when: 'nobody needs it', command: `${decide} --abandon --reason "not needed"` },
  };
  return actions.map((action) => all[action]);
}

function adviceForStopped(
  workflowId: string,
  { remains, input }: { remains: Remains; input: MediaInput },
): Advice[] {
  if (remains.is === 'nothing')
    return [{ when: 'nothing was accepted', command: `segue retry ${word(workflowId)}` }];
  return adviceForLeft(input, remains.is === 'task' ? remains.taskId : null);
}

function adviceForLeft(input: MediaInput, taskId: string | null): Advice[] {
  const key = successorKey(input.key);
  if (taskId !== null) return [{ when: 'its task is wanted', command: startCommand(input, { key, taskId }) }];
  return [
    { when: 'the service has it', command: startCommand(input, { key, taskId: 'TASK_ID' }) },
    { when: 'the service does not have it', command: startCommand(input, { key }) },
  ];
}

export function adviceLines(advice: Advice[]): string[] {
  return table(advice.map(({ when, command }) => [`  ${when}:`, command]));
}

/** The same refusal, with the commands that go on instead. */
export function withAdvice(error: unknown): unknown {
  if (!(error instanceof NotRepeatedError) || !error.left) return error;
  const { input, taskId } = error.left;
  return new NotRepeatedError(
    error.job,
    [error.message, ...adviceLines(adviceForLeft(input, taskId))].join('\n'),
  );
}
