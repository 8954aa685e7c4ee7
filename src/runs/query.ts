import { type Client, type WorkflowHandle } from '@temporalio/client';
import { optionalTsToMs } from './sdkInternals';
import { temporal as proto } from '@temporalio/proto';
import { formatDuration } from '../contract/durations';
import { NoAnswer, type UnansweredOrder } from '../errors';
import { GRPC, grpcCode } from './grpc';

const QUEUE_TYPE = {
  workflow: proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  activity: proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
};

const QUERY_TIMEOUT_MS = 5_000;

/** The answer of a run to a query; undefined if no worker gives one in time. */
export async function queryRun<Answer>(
  temporal: Client,
  run: WorkflowHandle,
  query: { name: string },
  ...args: unknown[]
): Promise<Answer | undefined> {
  try {
    const deadline = Date.now() + QUERY_TIMEOUT_MS;
    return await temporal.withDeadline(deadline, () => run.query<Answer, unknown[]>(query.name, ...args));
  } catch (error) {
    const code = grpcCode(error);
    if (code === GRPC.permissionDenied || code === GRPC.unauthenticated) throw error;
    return undefined;
  }
}

/** A poll lasts at most a minute, and the server remembers pollers for five. */
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

/** The error of a run that did not answer. It distinguishes a busy worker from none. */
export async function noAnswer(
  temporal: Client,
  workflowId: string,
  order?: UnansweredOrder,
  waitedMs = QUERY_TIMEOUT_MS,
): Promise<NoAnswer> {
  // The caller may not be allowed to describe task queues.
  let why = 'No worker answered';
  try {
    const { taskQueue, status } = await temporal.workflow.getHandle(workflowId).describe();
    if (status.name === 'PAUSED') why = 'The run is paused on the Temporal server: unpause it first';
    else if ((await pollersOf(temporal, taskQueue, 'workflow')).length === 0)
      why = `No worker polls the task queue "${taskQueue}": start one with \`segue worker\``;
    else
      why = `A worker polls the task queue "${taskQueue}" but did not answer in ${formatDuration(waitedMs)}: it is busy, or has just ended; \`segue worker\` starts another`;
  } catch {}
  return new NoAnswer(workflowId, why, order);
}
