/** Starting a run so that a key that exists gives its run back, running or closed. */
import { randomUUID } from 'node:crypto';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { type PollSettings, type Scope } from './contract';
import { DURATION_FORM, parseDuration } from './durations';
import { KeyReusedError, NoSuchJobError } from './errors';
import { isGivenKey, KEY_FORM } from './ids';
import { type attributesOfJob } from './searchAttributes';

export interface Start<Input> {
  workflow: string;
  workflowId: string;
  taskQueue: string;
  key: string;
  input: Input;
  /** A digest of what makes two inputs the same job; settings of polling do not. */
  askOf: (input: Input) => string;
  attributes: ReturnType<typeof attributesOfJob>;
  summary: string;
  /** What to do about a key whose run asks for something else; choose another, unless told. */
  adviceOnReuse?: string;
  /** Whether a closed run is forgotten and the job begins anew; never, unless told. */
  isForgotten?: (closed: WorkflowExecutionDescription, sameAsk: boolean) => Promise<boolean> | boolean;
}

export interface Found {
  runId: string;
  /** Whether the run was there before it was asked for. */
  existing: boolean;
  startedAt: Date;
}

interface StartMemo extends Record<string, unknown> {
  /** Digest of what the caller asked for. */
  segueAsk: string;
  /** Tells the starter whether the run is the one it started. */
  segueStart: string;
}

/** Starts the run, or finds the one that its key has. Another ask under the same key is an error. */
export async function startOrFind<Input>(temporal: Client, start: Start<Input>): Promise<Found> {
  const { workflowId, key, askOf } = start;
  const memo: StartMemo = { segueAsk: askOf(start.input), segueStart: randomUUID() };
  const look = async (): Promise<Look> => {
    const run = await temporal.workflow.getHandle(workflowId).describe();
    const found = (run.memo ?? {}) as Partial<StartMemo>;
    // Starting does not tell whether this call did it, but only the run it made has this call's token.
    const existing = found.segueStart !== memo.segueStart;
    // A run that another language started has no memo; what it was asked for stands in its input.
    const ask = found.segueAsk ?? askOf(await inputOf<Input>(temporal, workflowId, run.runId));
    return { run, existing, sameAsk: ask === memo.segueAsk };
  };

  await begin(temporal, start, memo, 'REJECT_DUPLICATE');
  let found = await look();
  const isClosed = found.existing && found.run.status.name !== 'RUNNING';
  if (isClosed && (await start.isForgotten?.(found.run, found.sameAsk))) {
    await begin(temporal, start, memo, 'ALLOW_DUPLICATE');
    found = await look();
  }
  if (!found.sameAsk) throw new KeyReusedError(key, workflowId, start.adviceOnReuse);
  return { runId: found.run.runId, existing: found.existing, startedAt: found.run.startTime };
}

interface Look {
  run: WorkflowExecutionDescription;
  existing: boolean;
  sameAsk: boolean;
}

async function begin<Input>(
  temporal: Client,
  { workflow, workflowId, taskQueue, input, attributes, summary }: Start<Input>,
  memo: StartMemo,
  workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE',
): Promise<void> {
  const options = {
    ...{ workflowId, taskQueue, memo, workflowIdReusePolicy },
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    typedSearchAttributes: attributes,
    staticSummary: summary,
  };
  await temporal.workflow.start(workflow, options).catch((error: unknown) => {
    // The key's run is closed; it is given back like one that still runs.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  });
}

async function inputOf<Input>(temporal: Client, workflowId: string, runId: string): Promise<Input> {
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory({
    namespace: temporal.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const [input] = await decodeArrayFromPayloads(temporal.options.loadedDataConverter, payloads ?? []);
  return input as Input;
}

/** The run that an id has. */
export async function find(temporal: Client, workflowId: string): Promise<Found> {
  try {
    const { runId, startTime } = await temporal.workflow.getHandle(workflowId).describe();
    return { runId, existing: true, startedAt: startTime };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw new NoSuchJobError(workflowId);
    throw error;
  }
}

/** No scope, an empty one and one with nothing in it are the same. */
export function withoutGaps(scope: Scope | undefined): Scope | undefined {
  const given = Object.entries(scope ?? {}).filter(
    ([, value]) => (value as unknown) !== undefined && value !== null,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

export function problemsOfKey(key: string | undefined): string[] {
  return key === undefined || isGivenKey(key) ? [] : [`key: "${key}" is not ${KEY_FORM}`];
}

export function problemsOfPoll(poll: Partial<PollSettings> | undefined): string[] {
  return Object.entries(poll ?? {}).flatMap(([name, text]) =>
    parseDuration(text) === undefined ? [`poll.${name}: "${text}" is not ${DURATION_FORM}`] : [],
  );
}
