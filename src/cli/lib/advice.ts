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
import { lines, table } from './format';

export { decisionAdvice, shellArgument };

export function retryCommand({ workflowId, key }: Pick<JobReport, 'workflowId' | 'key'>): string {
  const isBatch = workflowId === batchWorkflowId(key);
  return isBatch ? `segue batch retry ${shellArgument(key)}` : `segue retry ${shellArgument(workflowId)}`;
}

export function adviceFor(job: HeldJob): Advice[] {
  const { workflowId, hold, leftovers, stage, why } = job;
  if (why === 'unsaved')
    return [
      {
        when: 'the project takes it now (media of a campaign: once that is over), to write it again without paying',
        command: retryCommand(job),
      },
    ];
  if (leftovers?.is === 'nothing')
    return [{ when: 'nothing was accepted', command: `segue retry ${shellArgument(workflowId)}` }];
  if (leftovers) return adviceForStopped(job, leftovers.is === 'task' ? leftovers.taskId : null);
  // Without a worker the hold is not known, but an overdue job can only be abandoned.
  const actions: DecisionAction[] = stage === 'overdue' ? ['abandon'] : ['adopt', 'resubmit', 'abandon'];
  return decisionAdvice(workflowId, hold ?? { actions, resubmitAfter: null });
}

/** A stopped job is continued under another key, with its own request. */
function adviceForStopped({ key, tool }: HeldJob, taskId: string | null): Advice[] {
  const start = `segue media start ${tool ?? 'TOOL'} --input REQUEST.json --key ${shellArgument(successorKey(key))}`;
  if (taskId !== null) return [{ when: 'its task is wanted', command: `${start} --task-id ${taskId}` }];
  return [
    { when: 'the service has it', command: `${start} --task-id TASK_ID` },
    { when: 'the service does not have it', command: start },
  ];
}

export function adviceLines(advice: Advice[]): string[] {
  return table(advice.map(({ when, command }) => [`  ${when}:`, command]));
}

export function adviceOnBatch({
  key,
  counts,
  stopped,
  incomplete,
}: Pick<BatchResult, 'key' | 'counts' | 'stopped' | 'incomplete'>): string[] {
  // Those that were not handed over are cancelled, too, and have nothing to run again.
  const hasCancelled = incomplete === null && counts.cancelled > (stopped?.undone ?? 0);
  return lines(
    counts.failed > 0 && `What failed, and why: segue batch results ${shellArgument(key)} --status failed`,
    counts.unsaved > 0 &&
      `What is unsaved, and why: segue batch results ${shellArgument(key)} --status unsaved`,
    (counts.failed > 0 || counts.unsaved > 0 || hasCancelled) &&
      `To run what failed, is unsaved or was cancelled again: segue batch retry ${shellArgument(key)}`,
    counts.held > (stopped?.unfollowed ?? 0) && `${HELD}. What to do: segue held`,
    stopped && stoppedAdvice(key, stopped),
    incomplete !== null && 'To run the lines that were not handed over: start them under another key',
  );
}

const HELD = 'Held until a person decides';

/** The screen shows no Markdown. */
export function stoppedAdvice(key: string, stopped: StoppedItems): string[] {
  return adviceOnStopped(key, stopped).map((text) => text.replaceAll('`', ''));
}

export function leftLines(key: string, { held, unsaved, lost, cancelled }: LeftItems): string[] {
  const results = `segue batch results ${shellArgument(key)}`;
  return lines(
    held > 0 &&
      `Not run again: ${held} held. The service may have them; what to do: segue held. One that has failed since: segue retry ID (its workflowId in ${results} --status failed)`,
    unsaved > 0 &&
      `Not run again: ${unsaved} unsaved that became separate jobs. Write each again: segue retry ID (its workflowId in ${results} --status unsaved)`,
    lost > 0 &&
      `Not run again: ${lost} whose partition was stopped. The service may still work on their tasks: ${results} --status running`,
    cancelled > 0 &&
      `Not run again: ${cancelled} whose partition was stopped, reset or not handed over. Look for them at the service, then start a batch of their lines with another key`,
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

/** What a person types to wait for a job that runs. */
export function followCommand({ workflowId, key }: { workflowId: string; key: string }): string {
  const [noun = ''] = workflowId.split('/', 1);
  return noun === 'record' ? 'the same command again' : `segue ${noun} follow ${shellArgument(key)}`;
}
