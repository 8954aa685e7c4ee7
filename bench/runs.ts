/** All runs on a task queue, including project writers and runs that continued others as new. */
import { type Client } from '@temporalio/client';
import { inParallelFrom } from '../src/platform/parallel';

const ASKED_AT_ONCE = 20;

export interface Run {
  type: string;
  startTime: Date;
  events: number;
}

export async function runsSince(
  { workflow }: Client,
  { taskQueue, since }: { taskQueue: string; since: Date },
): Promise<Run[]> {
  const query = `TaskQueue = '${taskQueue}' AND StartTime >= '${since.toISOString()}'`;
  const runs: Run[] = [];
  await inParallelFrom(ASKED_AT_ONCE, workflow.list({ query }), async ({ workflowId, runId }) => {
    const { type, startTime, historyLength } = await workflow.getHandle(workflowId, runId).describe();
    runs.push({ type, startTime, events: historyLength });
  });
  return runs;
}

/** Writers and locks of projects stay open for a while, and would have no worker after the row. */
export async function terminateOpenRuns({ workflow }: Client, taskQueue: string): Promise<void> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
  await inParallelFrom(ASKED_AT_ONCE, workflow.list({ query }), async ({ workflowId, runId }) => {
    await workflow
      .getHandle(workflowId, runId)
      .terminate('its row is measured')
      // It may have ended since it was listed.
      .catch(() => undefined);
  });
}
