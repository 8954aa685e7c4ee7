/** Bounds the results of activities: a payload over 2 MB would fail the workflow task for ever. */
import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { isTaskOver } from '../../api/endings';
import { type CondensedText } from '../../contract';
import { isLargeInfo, type LargeInfo } from '../../api/condensed';
import { bytesOf, truncate } from '../../api/json';

export const LARGEST_RESULT_BYTES = 1024 * 1024;
const LARGEST_INFO_BYTES = 256 * 1024;

export interface TaskNews {
  status: string;
  info?: unknown;
}

/** The answer to a poll: the status alone until the task is over, since a history keeps every answer. */
export function boundedNews({ status, info = null }: TaskNews, { id }: { id: string }): TaskNews {
  if (!isTaskOver(status)) return { status: truncate(status) };
  return { status, info: boundedInfo(info, `segue get task ${id} --json`) };
}

/** The value; or, where it is too large to keep, its size, digest and how to fetch it. */
export function boundedInfo(info: unknown, fetch: string, most = LARGEST_INFO_BYTES): unknown {
  const text = JSON.stringify(info);
  const bytes = Buffer.byteLength(text);
  // The HTTP client replaces an `info` over 256 KiB of a large answer by a LargeInfo, and does not know the command.
  if (bytes <= most) return isLargeInfo(info) ? { ...info, fetch } : info;
  return { segue: 'too large to keep', bytes, sha256: sha256(text), fetch } satisfies LargeInfo;
}

/** A file's text, null where a history cannot hold it, with its size, digest and how to fetch it. */
export function boundedText(
  text: string,
  fetch: string,
  { keepLong }: { keepLong: boolean },
): { text: string | null } & CondensedText {
  // Measured as JSON: every line break takes two characters there.
  const fits = keepLong || bytesOf(text) <= LARGEST_RESULT_BYTES;
  const condensed = { size: Buffer.byteLength(text), digest: `sha256:${sha256(text)}`, fetch };
  return { text: fits ? text : null, ...condensed };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function bounded<Result>(operation: string, result: Result): Result {
  const bytes = bytesOf(result);
  if (bytes <= LARGEST_RESULT_BYTES) return result;
  throw ApplicationFailure.nonRetryable(
    `${operation}: the answer has ${bytes} bytes, too many to keep`,
    'AnswerTooLarge',
  );
}
