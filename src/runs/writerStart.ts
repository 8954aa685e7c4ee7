/** How the one writer of a project is started, by workers and clients alike. */
import { type ProjectRef, type ProjectWriterInput } from '../contract';
import { type Duration } from '../contract/durations';
import { projectWriterId } from '../contract/ids';

export interface WriterStart {
  taskQueue: string;
  project: ProjectRef;
  /** Resolved: two ways to name one workspace would give a project two writers. */
  organization: string;
  authGrace: Duration;
}

export function writerStart({ taskQueue, ...input }: WriterStart) {
  const args: [ProjectWriterInput] = [input];
  return {
    workflowId: projectWriterId(input.organization, input.project),
    taskQueue,
    args,
    // It ends when it has nothing to do, and a later change starts it again.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  } as const;
}
