import { type Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal as proto } from '@temporalio/proto';

const QUEUE_TYPE = {
  workflow: proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  activity: proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
};

/** A poll lasts a minute at most, and the server remembers pollers for five: who was silent longer is gone. */
const SILENT_AFTER_MS = 70_000;

/** The identities of the workers that poll a queue now. */
export async function pollersOf(
  temporal: Client,
  taskQueue: string,
  type: keyof typeof QUEUE_TYPE,
): Promise<string[]> {
  const { pollers } = await temporal.workflowService.describeTaskQueue({
    namespace: temporal.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: QUEUE_TYPE[type],
  });
  return pollers
    .filter(({ lastAccessTime }) => Date.now() - (optionalTsToMs(lastAccessTime) ?? 0) < SILENT_AFTER_MS)
    .map(({ identity }) => identity ?? '');
}
