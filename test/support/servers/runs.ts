/** Reads histories of runs, including those that continued as new. */
import { type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { eventually } from '../eventually';
import { type TestTemporal } from './temporal';

/** Waits until there are more runs than `before`, and gives their number. */
export async function runsOf({ client }: TestTemporal, workflowId: string, before = 1): Promise<number> {
  return eventually('the runs in the list', async () => {
    const { count } = await client.workflow.count(`WorkflowId = "${workflowId}"`);
    return count > before && count;
  });
}

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

/** The histories of all runs in the chain, up to the last one. */
export async function historiesOf({ client }: TestTemporal, workflowId: string): Promise<Events[]> {
  const histories: Events[] = [];
  let runId: string | undefined;
  do {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.unshift(events ?? []);
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  } while (runId);
  return histories;
}

/** How often an activity was scheduled. */
export function timesOf(activity: string, histories: Events[]): number {
  const types = histories
    .flat()
    .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return types.filter((type) => type === activity).length;
}

/** The values that its search attribute for the stage had. */
export function stagesOf(events: Events): string[] {
  return events.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: listed }) => {
    const stage = listed?.searchAttributes?.indexedFields?.SegueStage;
    return stage ? [defaultPayloadConverter.fromPayload<string>(stage)] : [];
  });
}
