import { proxyActivities } from '@temporalio/workflow';
import { type SegueActivities, type WorkspaceClock, type WorkspaceClockInput } from '../contract';

const { readWorkspaceClock } = proxyActivities<SegueActivities>({
  // Somebody waits for the answer, so a failure is given soon.
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', maximumAttempts: 2 },
});

/** Reads the clock of a workspace for starters, which have no credential of their own. */
export async function workspaceClock(input: WorkspaceClockInput): Promise<WorkspaceClock> {
  return readWorkspaceClock(input);
}
