import { getClient } from '@temporalio/activity';
import { type WorkflowExecutionDescription, WorkflowFailedError } from '@temporalio/client';
import { shorten, describeNearest } from '../api/errors';
import { isPointer, valueAt } from '../api/json';
import {
  type JobEnd,
  MEDIA_WORKFLOW,
  type MediaResult,
  type ReadEndOrder,
  RECORD_WORKFLOW,
  type RecordResult,
  TRANSCRIPT_WORKFLOW,
  type TranscriptResult,
} from '../contract';
import { failedRun } from '../runs/failedRun';
import { isLargeInfo } from '../api/condensed';
import { searchAttributes } from '../contract/searchAttributes';
import { linksIn } from './links';
import { findOwnRun, isOpen } from '../runs/ownRun';
import { untilEnded } from './runs';
import { LARGEST_RESULT_BYTES } from './size';

const LARGEST_VALUE_BYTES = 64 * 1024;
/** A campaign hands those of all its jobs over from run to run. */
const LONGEST_ERROR = 500;

/** How a run ended, and what others need of its result; not the result itself, which a history keeps already. */
export async function readEnd({
  workflowId,
  isEnding = false,
  pointers = [],
}: ReadEndOrder): Promise<JobEnd> {
  const client = getClient();
  if (isEnding) await untilEnded(client, workflowId);
  const run = await findOwnRun(client, workflowId);
  if (!run) return { is: 'gone' };
  if (isOpen(run)) return { is: 'open' };
  try {
    const result: unknown = await client.workflow.getHandle(workflowId, run.runId).result();
    const { taskId, document } = outcomeOf(run.type, result);
    return { is: 'succeeded', taskId, links: linksIn(document), values: valuesAt(document, pointers) };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { status, taskId, error: words } = failedRun(error);
    return { is: status, taskId: taskId ?? listedTask(run), error: shorten(words, LONGEST_ERROR) };
  }
}

/** A run that was stopped says nothing itself, but lists show the tasks it had, the followed one first. */
function listedTask({ typedSearchAttributes }: WorkflowExecutionDescription): string | null {
  return typedSearchAttributes.get(searchAttributes.taskIds)?.[0] ?? null;
}

/** What pointers go into. */
function outcomeOf(workflow: string, result: unknown): { taskId: string | null; document: unknown } {
  switch (workflow) {
    case MEDIA_WORKFLOW: {
      const { taskId, info } = result as MediaResult;
      return { taskId, document: info };
    }
    case TRANSCRIPT_WORKFLOW: {
      const { transcriptionId, format, text, empty = false } = result as TranscriptResult;
      // A text that is too long to keep is not there; what stands for it must not be taken for it.
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
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > LARGEST_VALUE_BYTES)
      return { problem: `${pointer}: has ${bytes} bytes, more than ${LARGEST_VALUE_BYTES}` };
    bytesLeft -= bytes;
    return bytesLeft >= 0 ? { value } : { problem: `${pointer}: too much is asked of one result` };
  };
  return Object.fromEntries([...new Set(pointers)].map((pointer) => [pointer, read(pointer)]));
}
