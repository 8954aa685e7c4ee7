import { type Client } from '@temporalio/client';

/** Ends the writers of a row: they would stay for an hour, on the task queue of a worker that is gone. */
export async function endWriters({ workflow }: Client): Promise<void> {
  const query = "WorkflowType = 'projectWriter' AND ExecutionStatus = 'Running'";
  for await (const { workflowId } of workflow.list({ query }))
    await workflow
      .getHandle(workflowId)
      .terminate('its row is measured')
      .catch(() => undefined);
}
