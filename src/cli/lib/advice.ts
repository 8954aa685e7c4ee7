/** What a person can do next, as commands to copy. */
import { type LeftItems } from '../../client/batches/retry';
import { type HeldJob } from '../../client/jobs/held';
import { type Remains, successorKey } from '../../client/jobs/leftovers';
import {
  type BatchResult,
  type CampaignStatus,
  type DecisionAction,
  type HoldState,
  type MediaInput,
  type StoppedItems,
} from '../../contract';
import { repeatedKey } from '../../contract/ids';
import { NotRepeatedError } from '../../errors';
import { table } from './format';

/** After a cancellation without a known task. */
export const POST_MAY_BE_IN_FLIGHT =
  'If a POST is in flight, Segue waits for its answer. A task that the service accepts goes on there.';

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

/** For a batch that is over. */
export function adviceOnBatch({
  key,
  counts,
  stopped,
}: Pick<BatchResult, 'key' | 'counts' | 'stopped'>): string[] {
  return [
    ...(counts.failed > 0
      ? [
          `What failed, and why: segue batch results ${word(key)} --status failed`,
          `To run that again: segue batch retry ${word(key)}`,
        ]
      : []),
    ...(counts.held > (stopped?.unfollowed ?? 0)
      ? ['Held until a person decides. What to do: segue held']
      : []),
    ...(stopped ? stoppedAdvice(key, stopped) : []),
  ];
}

export function stoppedAdvice(key: string, { unfollowed, undone }: StoppedItems): string[] {
  const results = `segue batch results ${word(key)}`;
  return [
    ...(unfollowed > 0
      ? [
          `At the service, and nobody asks after them: ${unfollowed}. Their tasks: ${results} --status running. A manifest of their lines, each with its taskId, started with another key follows them; one without a taskId may have been accepted: look for it at the service first`,
        ]
      : []),
    ...(undone > 0
      ? [
          `Not done: ${undone}, those that are waiting or cancelled in ${results}. A manifest of their lines, with the taskId where there is one, started with another key does them`,
        ]
      : []),
  ];
}

/** What is not run again with the failed items, and why. */
export function leftLines(key: string, { held, lost, cancelled }: LeftItems): string[] {
  const results = `segue batch results ${word(key)}`;
  return [
    ...(held > 0
      ? [
          `Not run again: ${held} held. They are runs of their own, and the service may have them or still work on them; ` +
            `what to do: segue held, and for one that has failed since: segue retry ID (its workflowId in ${results} --status failed)`,
        ]
      : []),
    ...(lost > 0
      ? [
          `Not run again: ${lost} whose partition was stopped. The service may still work on their tasks: ${results} --status running`,
        ]
      : []),
    ...(cancelled > 0 ? [`Not run again: ${cancelled} cancelled. They did not fail`] : []),
  ];
}

/** A key of a retry is none that `start` takes. */
export function restCommand(key: string): string {
  const repeated = repeatedKey(key);
  return repeated === undefined
    ? '`segue batch start` with the same manifest and key'
    : `\`segue batch retry ${word(repeated)}\``;
}

export function adviceOnCampaign({ key, approval, paused, jobs }: CampaignStatus): string[] {
  const campaign = (verb: string): string => `segue campaign ${verb} ${word(key)}`;
  const held = jobs.filter(({ status }) => status === 'held').map(({ name }) => name);
  return [
    ...(approval
      ? [
          'It waits for a decision:',
          `  ${campaign('approve')} --round ${approval.round} --by ${word(approval.from)}`,
          `  ${campaign('change')} --round ${approval.round} --by ${word(approval.from)} --jobs NAME,NAME --comment "what is to be different"`,
          `  ${campaign('reject')} --round ${approval.round} --by ${word(approval.from)} --comment "why"`,
        ]
      : []),
    ...(held.length > 0 ? [`Held until a person decides: ${held.join(', ')}. What to do: segue held`] : []),
    ...(paused ? [`It is paused. To go on: ${campaign('resume')}`] : []),
  ];
}

/** The command that starts this job, with other words for what is not to be the same. */
export function startCommand(
  { tool, request, scope, write, notify }: MediaInput,
  { key, taskId }: { key: string; taskId?: string },
): string {
  const { organization, space } = scope ?? {};
  return [
    `segue media start ${word(tool)}`,
    ...requestFlags(request),
    ...flag('organization', organization),
    ...flag('space', space),
    ...flag('write', write && `${write.project.resourcetype}/${write.project.id}:${write.at}`),
    ...flag('notify', notify && `${notify.userId}@${notify.workspaceId}`),
    ...flag('task-id', taskId),
    ...flag('key', key),
  ].join(' ');
}

/** The command that waits for a job that runs. */
export function followCommand({ workflowId, key }: { workflowId: string; key: string }): string {
  return `segue ${workflowId.split('/', 1).join()} follow ${word(key)}`;
}

/** A picture may be in the request itself; nobody copies that from a terminal. */
const LONGEST_REQUEST = 500;

function requestFlags(request: Record<string, unknown>): string[] {
  const flags = Object.entries(request).flatMap(([field, value]) => {
    const name = field.replaceAll('_', '-');
    return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => flag(name, item));
  });
  return flags.join(' ').length > LONGEST_REQUEST ? ['--input REQUEST.json'] : flags;
}

function flag(name: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
  return [`--${name} ${word(typeof value === 'string' ? value : JSON.stringify(value))}`];
}

/** One word of a command, as a shell takes it. */
export function word(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
