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
