/** Runs a job once more, if the service cannot still work on it. */
import { type Client } from '@temporalio/client';
import { type MediaInput } from '../../contract';
import { KeyReusedError, NotRepeatedError } from '../../errors';
import { againKey, campaignWorkflowId } from '../../contract/ids';
import { MediaJob } from './job';
import { askOf, type MediaSpec, startMediaInput } from '../../runs/media';
import { startOf } from '../../runs/start';
import { withoutNulls } from '../../validation/inputs';
import { describeOwnRun, findOwnRun, isOpen, isRefusedStart } from '../../runs/ownRun';

export interface RetryOptions {
  /** Also repeat a job that succeeded, and pay for its result again. Default: false. */
  again?: boolean;
}

/** The new key comes from the repeated run, so two retries give one run. With a spec, the run must have asked for the same. */
export async function retryJob(
  temporal: Client,
  repeated: MediaJob,
  { again = false }: RetryOptions,
  spec?: MediaSpec,
): Promise<MediaJob> {
  // State, task and hold belong to the old run; the retry submits anew.
  const start = await startOf(temporal, repeated);
  const { carried, taskId, held, ...input } = withoutNulls(start.input as MediaInput);
  if (spec && askOf(withoutNulls(spec)) !== askOf(input))
    throw new KeyReusedError(repeated.key, repeated.workflowId);
  await requireRun(temporal, repeated);
  await requireOwnKey(temporal, repeated, input);
  const wasReset = start.wasReset || (carried?.reset ?? false);
  await requireOver(repeated, input, { again, wasReset });
  const next = { ...input, key: againKey(repeated.key) };
  return new MediaJob(temporal, await startMediaInput(temporal, repeated.taskQueue, next));
}

/** A start that was refused tells nothing of the runs before it, which the list may not have any more. */
async function requireRun(temporal: Client, repeated: MediaJob): Promise<void> {
  if (!isRefusedStart(await describeOwnRun(temporal, repeated.workflowId))) return;
  throw notRepeated(
    repeated,
    'Temporal has only a refused start of it, and the job may have been paid for before that. ' +
      'If it never ran, start it with another key.',
  );
}

/** `segue campaign change` uses the same key; the campaign would take this run for its own repeat. */
async function requireOwnKey(temporal: Client, repeated: MediaJob, { reportTo }: MediaInput): Promise<void> {
  if (!reportTo?.startsWith(campaignWorkflowId(''))) return;
  const campaign = await findOwnRun(temporal, reportTo);
  if (!campaign || !isOpen(campaign)) return;
  throw notRepeated(
    repeated,
    `it belongs to ${reportTo}, which still runs. ` +
      'When that waits for approval, `segue campaign change` has jobs made again.',
  );
}

async function requireOver(
  repeated: MediaJob,
  input: MediaInput,
  { again, wasReset }: { again: boolean; wasReset: boolean },
): Promise<void> {
  const { workflowId, key } = repeated;
  const { status, stage } = await repeated.report();
  if (status === 'held')
    throw notRepeated(repeated, 'it is held; decide that first (`segue held` tells how)');
  if (status === 'succeeded' && !again)
    throw notRepeated(
      repeated,
      `it succeeded, and would be paid for again. To do that: segue retry ${workflowId} --again`,
    );
  if (status === 'running') throw notRepeated(repeated, `it is still running${stage ? ` (${stage})` : ''}`);

  let remains = await repeated.remains();
  // What was sent before a reset is not known to the run that goes on.
  if (remains.is === 'nothing' && wasReset) remains = { is: 'unknown', requestId: null };
  switch (remains.is) {
    case 'nothing':
      return;
    case 'task':
      throw notRepeated(
        repeated,
        `it ${status === 'failed' ? 'failed' : `was ${status}`}, but the service may still work on its task ${remains.taskId}. ` +
          'Follow that task instead of paying for another; if it is surely dead, another key is another job.',
        { input, taskId: remains.taskId },
      );
    case 'unknown':
      throw notRepeated(
        repeated,
        `it was ${status}, and the service may have accepted it. Look there for ` +
          `${remains.requestId ? `the X-Request-Id ${remains.requestId}` : `X-Request-Ids that begin with ${key}.submit.`}. ` +
          'If it is there, follow its task; if it is not, another key is another job.',
        { input, taskId: null },
      );
  }
}

export function notRepeated(
  { workflowId, runId, key }: Pick<MediaJob, 'workflowId' | 'runId' | 'key'>,
  why: string,
  left?: NotRepeatedError['left'],
): NotRepeatedError {
  return new NotRepeatedError({ workflowId, runId, key }, `${workflowId} was not run again: ${why}`, left);
}
