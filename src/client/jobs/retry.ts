/** Runs a job once more, if the service cannot still work on it. Of an unsaved job only the write is made again. */
import { type Client } from '@temporalio/client';
import { type MediaInput } from '../../contract';
import { KeyReused, NotRepeated } from '../../errors';
import { againKey, campaignWorkflowId } from '../../contract/ids';
import { type JobReport } from '../report';
import { type Run } from '../run';
import { MediaJob } from './job';
import { identityOf, type MediaSpec, startMediaInput } from '../../runs/media';
import { startOf } from '../../runs/start';
import { withoutNulls } from '../../validation/inputs';
import { describeOwnRun, findOwnRun, isOpen, isRefusedStart } from '../../runs/find';

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
  // State, task and hold belong to the old run; the retry submits again, unless only the write is missing.
  const start = await startOf(temporal, repeated);
  const { carried, taskId, held, ...input } = withoutNulls(start.input as MediaInput);
  if (spec && identityOf(withoutNulls(spec)) !== identityOf(input))
    throw new KeyReused(repeated.key, repeated.workflowId);
  // What was sent before a reset, or before a start that was refused, is not known to this run.
  const isRefused = isRefusedStart(await describeOwnRun(temporal, repeated.workflowId));
  const mayHaveSent = start.wasReset || (carried?.reset ?? false) || isRefused;
  const report = await repeated.report();
  const isUnsaved = report.status === 'unsaved' && report.taskId !== null;
  await requireOwnKey(temporal, repeated, input, isUnsaved);
  if (!isUnsaved) await requireOver(repeated, report, { again, mayHaveSent });
  const known = isUnsaved ? { taskId: report.taskId ?? undefined } : {};
  const next = { ...input, ...known, key: againKey(repeated.key) };
  return new MediaJob(temporal, await startMediaInput(temporal, repeated.taskQueue, next));
}

/** `segue campaign change` uses the same key; the campaign would take this run for its own repeat. */
async function requireOwnKey(
  temporal: Client,
  repeated: MediaJob,
  { reportTo }: MediaInput,
  isUnsaved: boolean,
): Promise<void> {
  if (!reportTo?.startsWith(campaignWorkflowId(''))) return;
  const campaign = await findOwnRun(temporal, reportTo);
  if (!campaign || !isOpen(campaign)) return;
  const advice = isUnsaved
    ? 'Its result is kept: once the campaign is over, the same command writes it without paying again.'
    : 'When that waits for approval, `segue campaign change` has jobs made again.';
  throw notRepeated(repeated, `it belongs to ${reportTo}, which still runs. ${advice}`);
}

async function requireOver(
  repeated: MediaJob,
  { status, stage }: JobReport,
  { again, mayHaveSent }: { again: boolean; mayHaveSent: boolean },
): Promise<void> {
  const { workflowId, key } = repeated;
  if (status === 'held') throw notRepeated(repeated, 'it is held; decide that first (see `segue held`)');
  if (status === 'succeeded' && !again)
    throw notRepeated(
      repeated,
      `it succeeded, and would be paid for again. To do that: segue retry ${workflowId} --again`,
    );
  if (status === 'running') throw notRepeated(repeated, `it is still running${stage ? ` (${stage})` : ''}`);

  let leftovers = await repeated.leftovers();
  if (leftovers.is === 'nothing' && mayHaveSent) leftovers = { is: 'unknown', requestId: null };
  switch (leftovers.is) {
    case 'nothing':
      return;
    case 'task':
      throw notRepeated(
        repeated,
        `it ${status === 'failed' ? 'failed' : `was ${status}`}, but the service may still work on its task ${leftovers.taskId}. ` +
          'Follow it with --task-id and another key instead of paying for another; if it is certainly not running, use another key.',
      );
    case 'unknown':
      throw notRepeated(
        repeated,
        `it was ${status}, and the service may have accepted it. Look there for ` +
          `${leftovers.requestId ? `the X-Request-Id ${leftovers.requestId}` : `X-Request-Ids that begin with ${key}.submit.`}. ` +
          'If the service has it, follow its task with --task-id; either way, use another key.',
      );
  }
}

export function notRepeated(
  { workflowId, runId, key }: Pick<Run, 'workflowId' | 'runId' | 'key'>,
  why: string,
): NotRepeated {
  return new NotRepeated({ workflowId, runId, key }, `${workflowId} was not run again: ${why}`);
}
