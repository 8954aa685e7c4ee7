/** A project that could not be written waits by its own backoff; the others of its shard do not. */
import { truncateBytes } from '../../api/json';
import { isAccessDenied, type ProjectTrouble, type QueuedProject, type WriteTrouble } from '../../contract';
import { raiseAlarm } from '../steps/alarm';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, LONGEST_RETRY_AFTER_MS] = [1_000, 60_000, 3_600_000];
/** After the alarm: each activity has all changes in its input, and an outage may take days. */
const LATE_PAUSE_MS = 10 * 60_000;
const ALARM_AFTER_MS = 15 * 60_000;
/** A project that is not found is refused at once, so this status is that of its workspace. */
const WORKSPACE_NOT_FOUND = 404;
/** In bytes: errors are carried when the run continues as new. */
const LONGEST_ERROR = 500;

/**
 * Errors are retried for ever, but 401, 403 and an unknown workspace only for the grace time: gives whether it is over.
 */
export function keepTrouble(queued: QueuedProject, failed: WriteTrouble, authGraceMs: number): boolean {
  const now = new Date().toISOString();
  const before: Partial<ProjectTrouble> = queued.trouble ?? {};
  const failures = (before.failures ?? 0) + 1;
  const pauseMs = Math.max(
    before.isReported ? LATE_PAUSE_MS : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS),
    Math.min(failed.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS),
    failed.unsettledMs ?? 0,
  );
  const isDenied = isAccessDenied(failed.status) || failed.status === WORKSPACE_NOT_FOUND;
  const deniedSince = isDenied ? (before.deniedSince ?? now) : undefined;
  const trouble: ProjectTrouble = {
    since: before.since ?? now,
    lastError: shortened(failed.error),
    failures,
    notBefore: new Date(Date.now() + pauseMs).toISOString(),
    deniedSince,
    isSlow: (before.isSlow ?? false) || failed.isSlow === true,
    isReported: before.isReported ?? false,
  };
  queued.trouble = trouble;
  alarmOnce(queued, trouble);
  return deniedSince !== undefined && Date.now() - Date.parse(deniedSince) >= authGraceMs;
}

/** Runs that wait for a change show their own delay. */
function alarmOnce({ project, changes }: QueuedProject, trouble: ProjectTrouble): void {
  const { since, lastError } = trouble;
  if (trouble.isReported || Date.now() - Date.parse(since) < ALARM_AFTER_MS) return;
  trouble.isReported = true;
  raiseAlarm('unwritten', { ...project, since, reason: lastError, changes: changes.length });
}

export function shortened(error: string): string {
  return truncateBytes(error, LONGEST_ERROR);
}
