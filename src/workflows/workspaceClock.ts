import { proxyActivities } from '@temporalio/workflow';
import { type SegueActivities, type WorkspaceClock, type WorkspaceClockInput } from '../contract';

const { readWorkspaceClock } = proxyActivities<SegueActivities>({
  // Somebody waits for the answer, so it fails soon.
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', maximumAttempts: 2 },
});

/** Reads the clock of a workspace for starters, which have no credential. */
export async function workspaceClock(input: WorkspaceClockInput): Promise<WorkspaceClock> {
  return readWorkspaceClock(input);
}
