/** How a job is started so that its key has one run, whoever asks and however often. */
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { MEDIA_WORKFLOW, type MediaInput } from './contract';
import { KeyReusedError } from './errors';
import { mediaWorkflowId } from './ids';
import { MediaJob } from './job';
import { explainUnregistered } from './registration';
import { attributesOfJob } from './searchAttributes';
import { askOf } from './spec';

interface StartMemo extends Record<string, unknown> {
  /** Digest of what the caller asked for. */
  segueAsk: string;
  /** Tells the starter whether the run is the one it started. */
  segueStart: string;
}

/** Starts the job, or gives back the run that its key already has, running or closed. It never submits twice. */
export async function startJob(temporal: Client, taskQueue: string, input: MediaInput): Promise<MediaJob> {
  const { key, tool, taskId } = input;
  const ask = askOf(input);
  const memo: StartMemo = { segueAsk: ask, segueStart: randomUUID() };
  const workflowId = mediaWorkflowId(key);
  await temporal.workflow
    .start(MEDIA_WORKFLOW, {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      memo,
      typedSearchAttributes: attributesOfJob(input, taskId === undefined ? 'submitting' : 'polling'),
      staticSummary: `${tool} for ${key}`,
    })
    .catch((error: unknown) => {
      // The key's run is closed; it is given back like one that still runs.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      throw explainUnregistered(error, temporal.options.namespace);
    });
  // Starting does not tell whether this call did it, but only the run it made has this call's token.
  const run = await temporal.workflow.getHandle(workflowId).describe();
  const found = (run.memo ?? {}) as Partial<StartMemo>;
  // A run that another language started has no memo; what it was asked for stands in its input.
  const foundAsk = found.segueAsk ?? askOf(await inputOf(temporal, run));
  if (foundAsk !== ask) throw new KeyReusedError(key, workflowId);
  return new MediaJob(temporal, { key, existing: found.segueStart !== memo.segueStart, ...run });
}

/** What a run was started with, as its history keeps it. */
export async function inputOf(
  temporal: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<MediaInput> {
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory({
    namespace: temporal.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const [input] = await decodeArrayFromPayloads(temporal.options.loadedDataConverter, payloads ?? []);
  return input as MediaInput;
}
