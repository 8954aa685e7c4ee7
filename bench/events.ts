import { type Client } from '@temporalio/client';

/** Of everything that ran on a task queue since then: partitions, what continues them, writers of projects. */
export async function countEvents(
  client: Client,
  { taskQueue, since }: { taskQueue: string; since: Date },
): Promise<number> {
  const query = `TaskQueue = '${taskQueue}' AND StartTime >= '${since.toISOString()}'`;
  let events = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query }))
    events += (await client.workflow.getHandle(workflowId, runId).describe()).historyLength;
  return events;
}
