/** A project that could not be written waits by its own backoff; the others of its shard do not. */
import { isAccessDenied, type QueuedProject, type WriteTrouble } from '../../contract';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, LONGEST_RETRY_AFTER_MS] = [1_000, 60_000, 3_600_000];
const LONGEST_ERROR = 400;

/** Errors are retried for ever, but 401 and 403 only for the grace time in which keys get rotated. */
export function isDeniedTooLong(project: QueuedProject, { status }: WriteTrouble, graceMs: number): boolean {
  if (!isAccessDenied(status)) project.deniedSince = undefined;
  else project.deniedSince ??= new Date().toISOString();
  return project.deniedSince !== undefined && Date.now() - Date.parse(project.deniedSince) >= graceMs;
}

export function keepTrouble(project: QueuedProject, trouble: WriteTrouble): void {
  const { error, retryAfterMs = 0, unsettledUntil = 0, isSlow = false } = trouble;
  project.lastError = shortened(error);
  // A project that was too slow beside others is written alone at once.
  const isNewlySlow = isSlow && !project.isSlow;
  project.isSlow = project.isSlow === true || isSlow;
  project.failures += isNewlySlow ? 0 : 1;
  const backoff = isNewlySlow ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (project.failures - 1), LONGEST_PAUSE_MS);
  const now = Date.now();
  const pause = Math.max(backoff, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS), unsettledUntil - now);
  project.notBefore = new Date(now + pause).toISOString();
}

export function forgetTrouble(project: QueuedProject): void {
  const none = { notBefore: undefined, deniedSince: undefined, lastError: undefined, isSlow: undefined };
  Object.assign(project, none, { failures: 0, since: new Date().toISOString(), isReported: undefined });
}

export function shortened(error: string): string {
  return error.length > LONGEST_ERROR ? `${error.slice(0, LONGEST_ERROR)}…` : error;
}
