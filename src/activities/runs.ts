/** Other runs, as the Temporal server knows them. */
import { getClient } from '@temporalio/activity';
import { type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { describeNearest } from '../api/errors';
import { isLargeInfo } from '../api/condensed';
import { bytesOf, isPointer, truncate, valueAt } from '../api/json';
import {
  type DeliveredResult,
  FAILURE,
  type JobEnd,
  MEDIA_WORKFLOW,
  type MediaResult,
  type ReadEndOrder,
  RECORD_WORKFLOW,
  type RecordResult,
  reportToSignal,
  TRANSCRIPT_WORKFLOW,
  type TranscriptResult,
} from '../contract';
import { searchAttributes } from '../contract/searchAttributes';
import { inParallel } from '../platform/parallel';
import { type Ended, endOfRun, failedRun, failureType, findOwnRun, ifFound, isOpen } from '../runs/find';
import { linksIn } from '../runs/links';
import { LARGEST_RESULT_BYTES } from './lib/resultSize';

const MOST_AT_ONCE = 10;
const MOST_LINKS = 5;
const ENDING_TIMEOUT_MS = 20_000;

/** Asks a run to signal its end to `listener`; false when that run is over. */
export async function subscribeToEnd(client: Client, workflowId: string, listener: string): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId);
  const signalled = handle.signal(reportToSignal, { workflowId: listener }).then(() => true);
  return (await ifFound(signalled)) ?? false;
}

/** A run signals its end just before it ends, so one with `isEnding` is waited for. */
export async function findEnd({
  workflowId,
  isEnding,
}: ReadEndOrder): Promise<'gone' | 'open' | (Ended & { run: WorkflowExecutionDescription })> {
  const client = getClient();
  const { workflow } = client;
  const deadline = Date.now() + ENDING_TIMEOUT_MS;
  // Errors do not matter: the run is read next.
  if (isEnding)
    await client.withDeadline(deadline, () => workflow.getHandle(workflowId).result()).catch(() => undefined);
  const run = await findOwnRun(client, workflowId);
  if (!run) return 'gone';
  return isOpen(run) ? 'open' : { run, ...(await endOfRun(workflow.getHandle(workflowId, run.runId))) };
}

const LARGEST_VALUE_BYTES = 64 * 1024;
/** Short, because a campaign carries the errors of all its jobs over continue-as-new. */
const LONGEST_ERROR = 500;

/** Reads how a run ended, and the requested values of its result; not the whole result, which a history keeps already. */
export async function readEnd(order: ReadEndOrder): Promise<JobEnd> {
  const end = await findEnd(order);
  if (typeof end === 'string') return { is: end };
  const { run } = end;
  if ('failure' in end) {
    const { status, taskId, errors, error: message } = failedRun(end.failure);
    // The service's words come first: a campaign keeps the beginning only.
    const isFailedTask = failureType(end.failure) === FAILURE.taskFailed && errors !== null;
    const reason = isFailedTask
      ? `the service ended its task as FAILURE: ${JSON.stringify(errors)}`
      : message;
    return { is: status, taskId: taskId ?? listedTask(run), error: truncate(reason, LONGEST_ERROR) };
  }
  const { taskId, document } = outcomeOf(run.type, end.result);
  const unsaved = unsavedBecause(run.type, end.result);
  if (unsaved !== null) return { is: 'failed', taskId, error: truncate(unsaved, LONGEST_ERROR) };
  const values = valuesAt(document, order.pointers ?? []);
  return { is: 'succeeded', taskId, links: linksIn(document, MOST_LINKS), values };
}

/** A run that was stopped has no result, but its search attributes list its tasks, the followed one first. */
function listedTask({ typedSearchAttributes }: WorkflowExecutionDescription): string | null {
  return typedSearchAttributes.get(searchAttributes.taskIds)?.[0] ?? null;
}

/** For those who wait for a job, a result that its project does not have is a failure. */
function unsavedBecause(workflow: string, result: unknown): string | null {
  if (workflow !== MEDIA_WORKFLOW && workflow !== TRANSCRIPT_WORKFLOW) return null;
  const { status, written } = result as DeliveredResult;
  if (status !== 'unsaved' || written?.ok !== false) return null;
  return `unsaved: the project did not take its result: ${written.error}`;
}

/** The document that pointers go into. */
function outcomeOf(workflow: string, result: unknown): { taskId: string | null; document: unknown } {
  switch (workflow) {
    case MEDIA_WORKFLOW: {
      const { taskId, info } = result as MediaResult;
      return { taskId, document: info };
    }
    case TRANSCRIPT_WORKFLOW: {
      const { transcriptionId, format, text, empty = false } = result as TranscriptResult;
      // A text that was too long to keep is an object with its size, which must not be taken for the text.
      const kept = typeof text === 'string' ? { text } : text;
      return { taskId: null, document: { transcriptionId, format, empty, ...kept } };
    }
    case RECORD_WORKFLOW:
      return { taskId: null, document: (result as RecordResult).record };
    default:
      return { taskId: null, document: result };
  }
}

type Values = Extract<JobEnd, { is: 'succeeded' }>['values'];

function valuesAt(document: unknown, pointers: string[]): Values {
  let bytesLeft = LARGEST_RESULT_BYTES;
  const read = (pointer: string): Values[string] => {
    if (!isPointer(pointer)) return { problem: `${pointer}: is not a JSON pointer, like /images/0/url` };
    if (isLargeInfo(document))
      return { problem: `${pointer}: the result has ${document.bytes} bytes, too many to keep` };
    const value = valueAt(document, pointer);
    if (value === undefined)
      return {
        problem: `${pointer}: there is nothing in the result. ${describeNearest(document, pointer, 'it')}`,
      };
    const bytes = bytesOf(value);
    if (bytes > LARGEST_VALUE_BYTES)
      return { problem: `${pointer}: has ${bytes} bytes, more than ${LARGEST_VALUE_BYTES}` };
    bytesLeft -= bytes;
    return bytesLeft >= 0 ? { value } : { problem: `${pointer}: too much is asked of one result` };
  };
  return Object.fromEntries([...new Set(pointers)].map((pointer) => [pointer, read(pointer)]));
}

/** Reads how each of many runs ended, in their order. Runs that are about to end are awaited all at the same time. */
export async function readEnds(orders: ReadEndOrder[]): Promise<JobEnd[]> {
  const hasEnding = orders.some(({ isEnding }) => isEnding);
  return inParallel(hasEnding ? orders.length : MOST_AT_ONCE, orders, readEnd);
}

/** Cancels many runs. Runs that are over or gone are left out; cancelling a run twice changes nothing. */
export async function cancelRuns(workflowIds: string[]): Promise<void> {
  const { workflow } = getClient();
  await inParallel(MOST_AT_ONCE, workflowIds, (workflowId) =>
    ifFound(workflow.getHandle(workflowId).cancel()),
  );
}
