/** One partition that was handed over: what it was asked for, and what became of it. */
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import {
  type BatchItem,
  type BatchItemResult,
  type PartitionInput,
  type PartitionResult,
  partitionResultsQuery,
} from '../../contract';
import { batchPartWorkflowId } from '../../contract/ids';
import { describeOwnRun, isOpen, isRefusedStart } from '../../runs/ownRun';
import { inputOf } from '../../runs/start';
import { noAnswer, QUERY_PATIENCE_MS } from '../../runs/pollers';

/** At any time; undefined where it was not handed over. A `NoAnswerError` where it takes a worker, and none answers. */
export async function partitionResults(
  temporal: Client,
  batch: string,
  n: number,
): Promise<BatchItemResult[] | undefined> {
  let handle: WorkflowHandle;
  try {
    handle = await partitionHandle(temporal, batch, n);
    const { status } = await handle.describe();
    if (status.name === 'COMPLETED') return ((await handle.result()) as PartitionResult).items;
    if (!isOpen({ status }) && (await didNothing(handle)))
      return (await partitionItems(temporal, batch, n)).map(asHandedOver);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
  try {
    const deadline = Date.now() + QUERY_PATIENCE_MS;
    // One that was stopped is asked, too: a worker finds out from its history.
    return await temporal.withDeadline(deadline, () => handle.query(partitionResultsQuery));
  } catch {
    throw await noAnswer(temporal, handle.workflowId);
  }
}

/** The partition's own run, also where somebody started a later one, which was refused. */
async function partitionHandle(temporal: Client, batch: string, n: number): Promise<WorkflowHandle> {
  const workflowId = batchPartWorkflowId(batch, n);
  const run = await describeOwnRun(temporal, workflowId);
  if (isRefusedStart(run))
    throw new Error(
      `All that Temporal has of ${workflowId} is a start that was refused; what its items became is not kept any more.`,
    );
  return temporal.workflow.getHandle(workflowId, run.isHidden ? run.runId : undefined);
}

/** The events of a run that fails at its first look at its input, or is stopped before that. */
const FEWEST_EVENTS = 6;

/** Such a run has no answer to anything. */
async function didNothing(handle: WorkflowHandle): Promise<boolean> {
  const { historyLength, raw, runId } = await handle.describe();
  const isFirst = (raw.workflowExecutionInfo?.firstRunId ?? runId) === runId;
  if (!isFirst || historyLength > FEWEST_EVENTS) return false;
  const { events } = await handle.fetchHistory();
  return events?.every(({ activityTaskScheduledEventAttributes: sent }) => !sent) ?? false;
}

function asHandedOver({ key, taskId }: BatchItem): BatchItemResult {
  return { key, status: taskId ? 'running' : 'waiting', taskId: taskId ?? null };
}

export async function partitionItems(temporal: Client, batch: string, n: number): Promise<BatchItem[]> {
  const { workflowId, raw, runId } = await (await partitionHandle(temporal, batch, n)).describe();
  // The first of its runs was asked for all; those that continue it have less.
  const first = { workflowId, runId: raw.workflowExecutionInfo?.firstRunId ?? runId };
  return ((await inputOf(temporal, first)) as PartitionInput).items;
}

/** A batch is told of the end of a partition just before it; one that goes on for longer has work left. */
const CLOSING_PATIENCE_MS = 10_000;

export async function isPartitionOpen(temporal: Client, batch: string, n: number): Promise<boolean> {
  try {
    const handle = await partitionHandle(temporal, batch, n);
    if (!isOpen(await handle.describe())) return false;
    const deadline = Date.now() + CLOSING_PATIENCE_MS;
    // However that ends, what counts is how it stands then.
    await temporal.withDeadline(deadline, () => handle.result()).catch(() => undefined);
    return isOpen(await handle.describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
