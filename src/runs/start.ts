/** Starts a run once by its key: a key that exists gives its run, open or closed. */
import { randomUUID } from 'node:crypto';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { type Priority } from '@temporalio/common';
import { decodeArrayFromPayloads } from './sdkInternals';
import { type CampaignInput, type ProjectWriterInput, START_MEMO } from '../contract';
import { projectWriterId } from '../contract/ids';
import { type attributesOfJob } from '../contract/searchAttributes';
import { KeyReused } from '../errors';
import { withoutNulls } from '../validation/inputs';
import { describeOwnRun, isOpen, type RunFacts } from './find';
import { retryUnavailable } from './grpc';
import { explainUnregistered } from './registration';

interface PlainStart<Input> {
  workflow: string;
  workflowId: string;
  taskQueue: string;
  input: Input;
  attributes?: ReturnType<typeof attributesOfJob>;
  summary: string;
  /** Default: the server's. */
  priority?: Priority;
}

export interface Start<Input> extends PlainStart<Input> {
  key: string;
  /** A digest of what makes two inputs the same job; settings of polling do not. */
  identityOf: (input: Input) => string;
  /** Identifies the starter: a run with this token is not `existing`. Default: a random one. */
  token?: string;
  /** What to do about a key whose run asks for something else. Default: choose another. */
  adviceOnReuse?: string;
  /** Whether a closed run is replaced by a new one. Default: never. */
  mayReplace?: (closed: WorkflowExecutionDescription, isSameJob: boolean) => Promise<boolean> | boolean;
}

/** Settings that a starter adds to a spec. */
export type StartSettings = Pick<CampaignInput, 'poll' | 'submit'> & { taskQueue: string };

interface StartMemo extends Record<string, unknown> {
  segueAsk: string;
  [START_MEMO]: string;
}

/** Starts the run, or finds the one that its key has. Another job under the same key is an error. */
export async function startOrFind<Input extends object>(
  temporal: Client,
  start: Start<Input>,
): Promise<RunFacts> {
  const { workflowId, key } = start;
  // Other languages write null for what they leave out.
  const identityOf = (input: Input): string => start.identityOf(withoutNulls(input));
  const memo: StartMemo = { segueAsk: identityOf(start.input), [START_MEMO]: start.token ?? randomUUID() };
  const findStarted = async () => {
    const run = await describeOwnRun(temporal, workflowId);
    const found = (run.memo ?? {}) as Partial<StartMemo>;
    // The server does not say whether this call started the run; its token does.
    const existing = found[START_MEMO] !== memo[START_MEMO];
    // A run that another language started has no digest in its memo, so it is computed from its input.
    const identity = found.segueAsk ?? identityOf((await inputOf(temporal, run)) as Input);
    return { run, existing, isSameJob: identity === memo.segueAsk };
  };

  await startOnce(temporal, start, memo);
  let found = await findStarted();
  const isClosed = found.existing && !isOpen(found.run);
  if (isClosed && (await start.mayReplace?.(found.run, found.isSameJob))) {
    await startOnce(temporal, start, memo, 'ALLOW_DUPLICATE');
    found = await findStarted();
  }
  if (!found.isSameJob) throw new KeyReused(key, workflowId, start.adviceOnReuse);
  return { ...found.run, key, existing: found.existing };
}

/** Starts a run, unless its id has one, open or closed. */
export async function startOnce<Input>(
  temporal: Client,
  { workflow, workflowId, taskQueue, input, attributes, summary, priority }: PlainStart<Input>,
  memo: Record<string, unknown>,
  workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' = 'REJECT_DUPLICATE',
): Promise<void> {
  const options = {
    ...{ workflowId, taskQueue, memo, workflowIdReusePolicy, priority },
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    typedSearchAttributes: attributes,
    staticSummary: summary,
  };
  try {
    await retryUnavailable(() => temporal.workflow.start(workflow, options));
  } catch (error) {
    // The run of this id is closed.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return;
    throw explainUnregistered(error, temporal.options.namespace);
  }
}

/** What a run was started with, as its history keeps it. */
export async function inputOf(
  temporal: Client,
  run: { workflowId: string; runId: string },
): Promise<unknown> {
  return (await startOf(temporal, run)).input;
}

/** The same, and whether the run is the result of a reset. */
export async function startOf(
  temporal: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<{ input: unknown; wasReset: boolean }> {
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory({
    namespace: temporal.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payloads = started?.input?.payloads ?? [];
  const [input] = await decodeArrayFromPayloads(temporal.options.loadedDataConverter, payloads);
  return { input, wasReset: (started?.originalExecutionRunId ?? runId) !== runId };
}

export type WriterStart = Omit<ProjectWriterInput, 'carried'> & { taskQueue: string };

/** The start of the one writer of a shard, for workers and clients. */
export function writerStart({ taskQueue, ...input }: WriterStart) {
  const args: [ProjectWriterInput] = [input];
  return {
    workflowId: projectWriterId(input.organization, input.shard),
    taskQueue,
    args,
    // It ends when it has nothing to do, and a later change starts it again.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  } as const;
}
