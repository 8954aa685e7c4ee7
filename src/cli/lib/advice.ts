import { type JobReport } from '../../client/report';
import { type LeftItems } from '../../client/batches/retry';
import { type HeldJob } from '../../client/jobs/held';
import { successorKey } from '../../client/jobs/leftovers';
import {
  type BatchResult,
  type CampaignStatus,
  type DecisionAction,
  type StoppedItems,
} from '../../contract';
import {
  type Advice,
  adviceOnStopped,
  approvalAdvice,
  decisionAdvice,
  shellArgument,
} from '../../contract/advice';
import { batchWorkflowId } from '../../contract/ids';
import { type LeftJob, NotRepeatedError } from '../../errors';
import { lines, table } from './format';

export { decisionAdvice, shellArgument };

/** The command that writes an unsaved result again. */
export function retryCommand({ workflowId, key }: Pick<JobReport, 'workflowId' | 'key'>): string {
  const isBatch = workflowId === batchWorkflowId(key);
  return isBatch ? `segue batch retry ${shellArgument(key)}` : `segue retry ${shellArgument(workflowId)}`;
}

export function adviceFor(job: HeldJob): Advice[] {
  const { workflowId, hold, left, stage, why } = job;
  if (why === 'unsaved')
    return [
      { when: 'the project takes it now, to write it again without paying', command: retryCommand(job) },
    ];
  if (left?.remains.is === 'nothing')
    return [{ when: 'nothing was accepted', command: `segue retry ${shellArgument(workflowId)}` }];
  if (left) return adviceForLeft(left.input, left.remains.is === 'task' ? left.remains.taskId : null);
  // Without a worker the hold is not known, but an overdue job can only be abandoned.
  const actions: DecisionAction[] = stage === 'overdue' ? ['abandon'] : ['adopt', 'resubmit', 'abandon'];
  return decisionAdvice(workflowId, hold ?? { actions, resubmitAfter: null });
}

/** A stopped job is continued under another key. */
function adviceForLeft(input: LeftJob, taskId: string | null): Advice[] {
  const key = successorKey(input.key);
  if (taskId !== null) return [{ when: 'its task is wanted', command: startCommand(input, key, taskId) }];
  return [
    { when: 'the service has it', command: startCommand(input, key, 'TASK_ID') },
    { when: 'the service does not have it', command: startCommand(input, key) },
  ];
}

export function adviceLines(advice: Advice[]): string[] {
  return table(advice.map(({ when, command }) => [`  ${when}:`, command]));
}

/** The same refusal, with the commands that can be used instead. */
export function withAdvice(error: unknown): unknown {
  if (!(error instanceof NotRepeatedError) || !error.left) return error;
  const advice = adviceLines(adviceForLeft(error.left.input, error.left.taskId));
  return new NotRepeatedError(error.job, [error.message, ...advice].join('\n'));
}

export function adviceOnBatch({
  key,
  counts,
  stopped,
}: Pick<BatchResult, 'key' | 'counts' | 'stopped'>): string[] {
  return lines(
    counts.failed > 0 && `What failed, and why: segue batch results ${shellArgument(key)} --status failed`,
    counts.unsaved > 0 &&
      `What is unsaved, and why: segue batch results ${shellArgument(key)} --status unsaved`,
    (counts.failed > 0 || counts.unsaved > 0) && `To run that again: segue batch retry ${shellArgument(key)}`,
    counts.held > (stopped?.unfollowed ?? 0) && `${HELD}. What to do: segue held`,
    stopped && stoppedAdvice(key, stopped),
  );
}

const HELD = 'Held until a person decides';

/** The screen shows no Markdown. */
export function stoppedAdvice(key: string, stopped: StoppedItems): string[] {
  return adviceOnStopped(key, stopped).map((text) => text.replaceAll('`', ''));
}

export function leftLines(key: string, { held, lost, cancelled }: LeftItems): string[] {
  const results = `segue batch results ${shellArgument(key)}`;
  return lines(
    held > 0 &&
      `Not run again: ${held} held. The service may have them; what to do: segue held. One that has failed since: segue retry ID (its workflowId in ${results} --status failed)`,
    lost > 0 &&
      `Not run again: ${lost} whose partition was stopped. The service may still work on their tasks: ${results} --status running`,
    cancelled > 0 && `Not run again: ${cancelled} cancelled. They did not fail`,
  );
}

export function adviceOnCampaign({ key, approval, paused, jobs }: CampaignStatus): string[] {
  const held = jobs.filter(({ status }) => status === 'held').map(({ name }) => name);
  return lines(
    approval && [
      'It waits for a decision:',
      ...approvalAdvice(key, approval.round, approval.from).map(({ command }) => `  ${command}`),
    ],
    held.length > 0 && `${HELD}: ${held.join(', ')}. What to do: segue held`,
    paused && `It is paused. To resume: segue campaign resume ${shellArgument(key)}`,
  );
}

/** The command that starts this job under another key, or follows a task of it. */
function startCommand(
  { tool, request, scope, write, notify }: LeftJob,
  key: string,
  taskId?: string,
): string {
  return [
    `segue media start ${shellArgument(tool)}`,
    ...requestFlags(request),
    ...flag('organization', scope?.organization),
    ...flag('space', scope?.space),
    ...flag('write', write && `${write.project.resourcetype}/${write.project.id}:${write.at}`),
    ...flag('notify', notify && `${notify.userId}@${notify.workspaceId}`),
    ...flag('task-id', taskId),
    ...flag('key', key),
  ].join(' ');
}

/** What a person types to wait for a job that runs. */
export function followCommand({ workflowId, key }: { workflowId: string; key: string }): string {
  const [noun = ''] = workflowId.split('/', 1);
  return noun === 'record' ? 'the same command again' : `segue ${noun} follow ${shellArgument(key)}`;
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
  return [`--${name} ${shellArgument(typeof value === 'string' ? value : JSON.stringify(value))}`];
}
