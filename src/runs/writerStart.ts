/** How the writer of a shard is started, by workers and clients alike. */
import { type ProjectWriterInput } from '../contract';
import { type Duration } from '../contract/durations';
import { projectWriterId } from '../contract/ids';

export interface WriterStart {
  taskQueue: string;
  /** The workspace's id, as the service gives it. */
  organization: string;
  shard: number;
  authGrace: Duration;
}

export function writerStart({ taskQueue, ...input }: WriterStart) {
  const args: [ProjectWriterInput] = [input];
  return {
    workflowId: projectWriterId(input.organization, input.shard),
    taskQueue,
    args,
    // It ends when it has nothing to do, and a later change starts it again.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  } as const;
}
