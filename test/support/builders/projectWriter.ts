/** A project for each test, and its writer. */
import { type WorkflowHandle } from '@temporalio/client';
import { type StarterConfig } from '../../../src/config';
import {
  type ChangeRequest,
  type ChangeRequests,
  changesSignal,
  PROJECT_WRITER_WORKFLOW,
  type ProjectRef,
  type ProjectWriterState,
  projectWriterStateQuery,
} from '../../../src/contract';
import { projectWriterId, shardOf } from '../../../src/contract/ids';
import { type SandboxOptions } from '../../../sandbox/src/server';
import { writerStart } from '../../../src/runs/start';
import { type TestSandbox, useSandboxEach } from '../service/sandbox';
import { type TestTemporal, testConfig, useTemporal } from '../servers/temporal';
import { removeFaults, seedProject } from './writing';

export interface WrittenProject {
  temporal: TestTemporal;
  sandbox: TestSandbox;
  config: () => StarterConfig;
  project: ProjectRef;
  writer: () => WorkflowHandle;
  state: () => Promise<ProjectWriterState>;
  /** What waits for the project. */
  waiting: () => Promise<{ queued: string[]; lastError?: string }>;
  /** Asks by signal, as another language would. */
  signal: (taskQueue: string, request: Omit<ChangeRequest, 'project'>, authGrace?: string) => Promise<void>;
  /** The same with any input. */
  signalAny: (taskQueue: string, requests: unknown, authGrace?: string) => Promise<void>;
}

/** Called at the top of a test file or a `describe`. */
export function useProjectWriter(options: SandboxOptions = {}): WrittenProject {
  const temporal = useTemporal();
  const project = {} as ProjectRef;
  // Hooks run in order: the sandbox stops after all faults are removed.
  afterEach(() => removeFaults(sandbox.url));
  const sandbox = useSandboxEach(options);
  beforeEach(async () => {
    Object.assign(project, await seedProject(sandbox.url));
  });
  const writer = () =>
    temporal.client.workflow.getHandle(projectWriterId(sandbox.workspace, shardOf(project)));
  const signalAny: WrittenProject['signalAny'] = async (taskQueue, requests, authGrace = '1h') => {
    await temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
      ...writerStart({ taskQueue, organization: sandbox.workspace, shard: shardOf(project), authGrace }),
      signal: changesSignal,
      signalArgs: [requests as ChangeRequests],
    });
  };
  const signal: WrittenProject['signal'] = (taskQueue, request, authGrace) =>
    signalAny(taskQueue, { requests: [{ project, ...request }] }, authGrace);
  const state = (): Promise<ProjectWriterState> => writer().query(projectWriterStateQuery);
  const waiting: WrittenProject['waiting'] = async () => {
    const { queued = [], trouble } =
      (await writer().query(projectWriterStateQuery, project)).projects[0] ?? {};
    return { queued, lastError: trouble?.lastError };
  };
  const config = (): StarterConfig => testConfig({ organization: sandbox.workspace });
  return { temporal, sandbox, config, project, writer, state, waiting, signal, signalAny };
}
