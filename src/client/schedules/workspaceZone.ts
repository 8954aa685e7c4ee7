/** The time zone of a workspace, for those who have no credential: a worker is asked for it. */
import { randomUUID } from 'node:crypto';
import { ActivityFailure, type Client, WorkflowFailedError } from '@temporalio/client';
import {
  type Scope,
  type WorkspaceClock,
  WORKSPACE_CLOCK_WORKFLOW,
  type WorkspaceClockInput,
} from '../../contract';
import { NoTimezoneError } from '../../errors';
import { workspaceClockWorkflowId } from '../../contract/ids';
import { pollersOf } from '../../runs/pollers';

/** How long an answer may take. */
const PATIENCE = '30s';

export async function readWorkspaceZone(
  temporal: Client,
  taskQueue: string,
  scope: Scope | undefined,
): Promise<Pick<WorkspaceClock, 'timezone' | 'remarks'>> {
  const workers = await pollersOf(temporal, taskQueue, 'workflow');
  if (workers.length === 0)
    throw new NoTimezoneError(
      `no worker polls the task queue "${taskQueue}"; start one with \`segue worker\``,
    );
  const ask = temporal.workflow.execute<(input: WorkspaceClockInput) => Promise<WorkspaceClock>>(
    WORKSPACE_CLOCK_WORKFLOW,
    {
      workflowId: workspaceClockWorkflowId(randomUUID()),
      taskQueue,
      args: [{ scope }],
      workflowExecutionTimeout: PATIENCE,
      staticSummary: 'the time zone of the workspace, for a schedule',
    },
  );
  const { timezone, remarks } = await ask.catch((error: unknown) => {
    throw error instanceof WorkflowFailedError
      ? new NoTimezoneError(reasonOf(error), { cause: error })
      : error;
  });
  // What a week begins with is of no use here.
  return { timezone, remarks: remarks.filter((remark) => remark.includes('timezone')) };
}

/** The service's own words where it answered. */
function reasonOf({ cause }: WorkflowFailedError): string {
  const reason = cause instanceof ActivityFailure ? cause.cause : cause;
  return reason?.message ?? 'no worker answered';
}
