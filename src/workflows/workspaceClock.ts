import { proxyActivities } from '@temporalio/workflow';
import { type SegueActivities, type WorkspaceClock, type WorkspaceClockInput } from '../contract';

const { readWorkspaceClock } = proxyActivities<SegueActivities>({
  // Somebody waits for the answer, and is told the reason rather than made to wait.
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', maximumAttempts: 2 },
});

/** By which clock a workspace works: starters have no credential to ask for themselves. */
export async function workspaceClock(input: WorkspaceClockInput): Promise<WorkspaceClock> {
  return readWorkspaceClock(input);
}
