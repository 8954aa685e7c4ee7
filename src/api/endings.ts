/**
 * Which statuses are final, by the API's document. Every other status, known or not, means "still running".
 * Nothing is imported here: workflows decide by these too.
 */

export function isTaskOver(status: string): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

/** Records that are polled; a transcription and a video have a `job_status`, the others a `status`. */
export type PolledKind = 'transcription' | 'video' | 'asset' | 'run';
export type RecordStatus = string | number;

/** `PAUSED` is not the end of a run. No status of an asset is known as a final failure. */
const ENDS: Record<PolledKind, { done: RecordStatus; failed?: RecordStatus[] }> = {
  transcription: { done: 'DONE', failed: ['FAILED'] },
  video: { done: 'DONE', failed: ['FAILED'] },
  asset: { done: 4 },
  run: { done: 'COMPLETED', failed: ['FAILED', 'TERMINATED', 'TIMED_OUT'] },
};

/** How a record ended, or undefined while it has not. `failOn` names further statuses that count as failures. */
export function endOf(
  kind: PolledKind,
  status: RecordStatus,
  failOn?: readonly RecordStatus[] | null,
): 'done' | 'failed' | undefined {
  const { done, failed = [] } = ENDS[kind];
  const isNow = (end: RecordStatus): boolean => String(end) === String(status);
  if (isNow(done)) return 'done';
  return [...failed, ...(failOn ?? [])].some(isNow) ? 'failed' : undefined;
}
