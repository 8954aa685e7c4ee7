/** Keeps what activities return within what a history can hold: a payload over 2 MB would fail the run's task for ever. */
import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { shorten } from '../api/errors';

const LARGEST_RESULT_BYTES = 1024 * 1024;
const LARGEST_INFO_BYTES = 256 * 1024;

export interface TaskNews {
  status: string;
  info?: unknown;
}

/** Stands for an `info` that is too large to keep: what it was, and how to get it. */
export interface LargeInfo {
  segue: 'too large to keep';
  bytes: number;
  sha256: string;
  fetch: string;
}

/** What a poll is asked for, and nothing else that the service may send along. */
export function boundedNews({ status, info = null }: TaskNews, { id }: { id: string }): TaskNews {
  const text = JSON.stringify(info);
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST_INFO_BYTES) return { status: shorten(status), info };
  const sha256 = createHash('sha256').update(text).digest('hex');
  const large: LargeInfo = {
    segue: 'too large to keep',
    bytes,
    sha256,
    fetch: `segue get task ${id} --json`,
  };
  return { status: shorten(status), info: large };
}

export function bounded<Result>(operation: string, result: Result): Result {
  const bytes = Buffer.byteLength(JSON.stringify(result ?? null));
  if (bytes <= LARGEST_RESULT_BYTES) return result;
  throw ApplicationFailure.nonRetryable(
    `${operation}: the answer has ${bytes} bytes, too many to keep`,
    'AnswerTooLarge',
  );
}
