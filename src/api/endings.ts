/**
 * Which statuses are the end, as the document tells. Every other status, known or not, means "still running".
 * Nothing is imported here: workflows decide by these too.
 */

export function isTaskOver(status: string): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

/** Of a transcription or a video: the record's own `job_status`, never the task that submitted it. */
export function isJobOver(jobStatus: string): boolean {
  return jobStatus === 'DONE' || jobStatus === 'FAILED';
}

/** Of a workflow run of the service. `PAUSED` is not over. */
export function isRunOver(status: string): boolean {
  return ['COMPLETED', 'FAILED', 'TERMINATED', 'TIMED_OUT'].includes(status);
}

/** Of an asset: its files may be relied on. */
export function isAssetDone(status: number): boolean {
  return status === 4;
}

/** Records that are asked after; a transcription and a video have a `job_status`, the others a `status`. */
export type PolledKind = 'transcription' | 'video' | 'asset' | 'run';
export type RecordStatus = string | number;

/**
 * How a record ended, or undefined as long as it has not. `failOn` names further statuses that somebody takes for a
 * failure; a record that is done is done all the same.
 */
export function endOf(
  kind: PolledKind,
  status: RecordStatus,
  failOn?: readonly RecordStatus[] | null,
): 'done' | 'failed' | undefined {
  if (isDone(kind, status)) return 'done';
  const isNamed = failOn?.some((failing) => String(failing) === String(status));
  return isNamed || isFailure(kind, String(status)) ? 'failed' : undefined;
}

function isDone(kind: PolledKind, status: RecordStatus): boolean {
  if (kind === 'asset') return isAssetDone(Number(status));
  return status === (kind === 'run' ? 'COMPLETED' : 'DONE');
}

/** Of an asset no status is known to be a failure for good. */
function isFailure(kind: PolledKind, status: string): boolean {
  if (kind === 'asset') return false;
  return kind === 'run' ? isRunOver(status) : isJobOver(status);
}
