/** A project for each test, and its writer. */
import { type WorkflowHandle } from '@temporalio/client';
import { type StarterConfig } from '../../../src/config';
import {
  type ChangeRequest,
  changeSignal,
  PROJECT_WRITER_WORKFLOW,
  type ProjectRef,
  type ProjectWriterState,
  projectWriterStateQuery,
} from '../../../src/contract';
import { projectWriterId } from '../../../src/contract/ids';
import { type Sandbox, type SandboxOptions } from '../../../sandbox/src/server';
import { writerStart } from '../../../src/runs/start';
import { useSandboxEach } from '../service/sandbox';
import { type TestTemporal, testConfig, useTemporal } from '../servers/temporal';
import { removeFaults, seedProject, WORKSPACE } from './writing';

export interface WrittenProject {
  temporal: TestTemporal;
  sandbox: Sandbox;
  project: ProjectRef;
  writer: () => WorkflowHandle;
  state: () => Promise<ProjectWriterState>;
  /** Asks by signal, as another language would. */
  signal: (taskQueue: string, request: ChangeRequest, authGrace?: string) => Promise<void>;
}

export const writerConfig = (): StarterConfig => testConfig({ organization: WORKSPACE });

/** Called at the top of a test file or a `describe`. */
export function useProjectWriter(options: SandboxOptions = {}): WrittenProject {
  const temporal = useTemporal();
  const project = {} as ProjectRef;
  // Hooks run in their order: nothing is held back any more when the sandbox stops.
  afterEach(() => removeFaults(sandbox.url));
  const sandbox = useSandboxEach(options);
  beforeEach(async () => {
    Object.assign(project, await seedProject(sandbox.url));
  });
  const writer = () => temporal.client.workflow.getHandle(projectWriterId(WORKSPACE, project));
  const signal: WrittenProject['signal'] = async (taskQueue, request, authGrace = '1h') => {
    await temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
      ...writerStart({ taskQueue, project, organization: WORKSPACE, authGrace }),
      signal: changeSignal,
      signalArgs: [request],
    });
  };
  return { temporal, sandbox, project, writer, state: () => writer().query(projectWriterStateQuery), signal };
}
