/** How the one writer of a project is started, by workers and clients alike. */
import { isId } from './api/ids';
import { type ProjectRef, type ProjectWriterInput } from './contract';
import { type Duration } from './durations';
import { projectWriterId } from './ids';

const LONGEST_WORKFLOW_ID = 1_000;

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

export function problemsOfProject(project: ProjectRef): string[] {
  const problems = Object.entries({ resourcetype: project.resourcetype, id: project.id }).flatMap(
    ([name, value]: [string, unknown]) =>
      typeof value === 'string' && isId(value)
        ? []
        : [`${name}: must be an id: not empty, no blanks around it`],
  );
  const isTooLong = problems.length === 0 && projectWriterId('', project).length > LONGEST_WORKFLOW_ID - 200;
  return isTooLong ? ['project: its type and id are too long for a workflow id'] : problems;
}
