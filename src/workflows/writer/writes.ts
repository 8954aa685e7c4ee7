import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import { HEARTBEAT_TIMEOUT_MS, type SegueActivities, type WriteNote, type WriteReport } from '../../contract';
import { nextBatch, noteTrouble, settle, type Writer } from './writerProgress';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 60_000];

const { writeProject } = proxyActivities<SegueActivities>({
  summary: 'reads the project, applies what is queued, and writes it with one PATCH',
  startToCloseTimeout: '10m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // Each attempt reads anew, so repeating it is harmless. Only trouble that passes quickly is sat out here: what lasts
  // is shown by the run, and waited out where later changes can join.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Writes what waits. A service in trouble is waited out, with everything left in the queue. */
export async function writeQueued(writer: Writer): Promise<void> {
  const batch = nextBatch(writer);
  if (batch.length === 0) return;
  const { project, organization } = writer.input;
  const scope = { organization, space: batch[0]?.space };
  const changes = batch.map(({ changeId, change }) => ({ changeId, change }));
  try {
    const report = await writeProject({ project, scope, changes });
    settle(writer, report);
    writer.progress.failures = 0;
    if (report.applied.length + report.refused.length === batch.length) writer.progress.deniedSince = null;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    await waitOut(writer, error, changes);
  }
}

/** Trouble passes and is waited out for ever; denied access, for as long as it takes to rotate a key. */
async function waitOut(
  writer: Writer,
  failure: ActivityFailure,
  changes: { changeId: string }[],
): Promise<void> {
  const { progress, authGraceMs } = writer;
  const error = failure.cause?.message ?? failure.message;
  progress.failures += 1;
  progress.deniedSince = isDenied(failure) ? (progress.deniedSince ?? new Date().toISOString()) : null;
  if (progress.deniedSince !== null && Date.now() - Date.parse(progress.deniedSince) >= authGraceMs) {
    const refused: WriteReport['refused'] = changes.map(({ changeId }) => ({ changeId, error }));
    settle(writer, { applied: [], refused });
    return;
  }
  noteTrouble(writer, error);
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (progress.failures - 1), LONGEST_PAUSE_MS);
  await sleep(Math.max(pause, unsettledMs(failure)));
}

/** The last attempt has no successor that reads its heartbeat, so the workflow waits until its PATCH can no longer arrive. */
function unsettledMs({ cause }: ActivityFailure): number {
  const note = cause instanceof TimeoutFailure ? (cause.lastHeartbeatDetails as WriteNote | undefined) : null;
  return note ? note.unsettledUntil - Date.now() : 0;
}

function isDenied({ cause }: ActivityFailure): boolean {
  const details = cause instanceof ApplicationFailure ? cause.details : undefined;
  const [facts] = (details ?? []) as [{ status?: number | null }?];
  return facts?.status === 401 || facts?.status === 403;
}
