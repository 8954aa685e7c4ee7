/** What an operator does in the Temporal UI: resets a run, and a new run continues from that point. */
import { randomUUID } from 'node:crypto';
import { type temporal as proto } from '@temporalio/proto';
import { type TestTemporal } from './temporal';

/** The end of a run's first workflow task. */
const FIRST_TASK = 4;

type ResetRequest = proto.api.workflowservice.v1.IResetWorkflowExecutionRequest;

/** Resets a run, by default to the end of its first workflow task, and gives the id of the new run. */
export async function resetRun(
  { client }: Pick<TestTemporal, 'client'>,
  workflowExecution: { workflowId: string; runId?: string },
  more: Pick<ResetRequest, 'workflowTaskFinishEventId' | 'resetReapplyType'> = {},
): Promise<string> {
  const { runId } = await client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution,
    reason: 'a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: FIRST_TASK as never,
    ...more,
  });
  return runId;
}
