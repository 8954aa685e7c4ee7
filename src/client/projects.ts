/** Changes of projects, made by the writers of their shards. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type StarterConfig } from '../config';
import {
  type ChangeOutcome,
  type ChangeRequest,
  changeUpdate,
  FAILURE,
  PROJECT_WRITER_WORKFLOW,
  type ProjectChange,
  type ProjectRef,
  type ProjectTrouble,
  projectWriterStateQuery,
  type ProjectWriterState,
  type Scope,
  type UpdateOutcome,
} from '../contract';
import { validateChange, validateChangeId } from '../contract/changes';
import { projectName, shardOf, shortDigest } from '../contract/ids';
import { validateScope } from '../api/scope';
import { InvalidInput } from '../errors';
import { validateProject } from '../validation/inputs';
import { findRun, isOpen } from '../runs/find';
import { GRPC, grpcCode, retryUpdate } from '../runs/grpc';
import { noAnswer, queryRun } from '../runs/query';
import { writerStart } from '../runs/start';

export interface ProjectsOptions {
  /** Finds the id of the workspace if neither scope nor settings have it. */
  findOrganization?: () => Promise<string>;
}

const AGAIN_AFTER_MS = 500;
/** The server's name for an Update whose run was terminated or reset before it answered. */
const WRITER_STOPPED = 'AcceptedUpdateCompletedWorkflow';

export interface PatchOptions {
  /** The same id is applied once. Default: a new one. */
  changeId?: string;
  /** `organization` is the service's own id of the workspace: a writer under another spelling refuses the change. */
  scope?: Scope;
  /** Stops waiting. A change that was accepted is made anyway. */
  signal?: AbortSignal;
}

export type PatchReport = { workflowId: string; changeId: string } & ChangeOutcome;

export interface ProjectStatus {
  /** The writer of the project, and of others in its shard. */
  workflowId: string;
  /** A writer without work ends after an hour, and the next change starts it again. */
  isOpen: boolean;
  queued: string[];
  /** Why the last write failed, since when writes fail, and when the next one begins. */
  trouble: Pick<ProjectTrouble, 'since' | 'lastError' | 'notBefore'> | null;
}

export class ProjectsClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
    private readonly options: ProjectsOptions,
  ) {}

  /** Sends the change to the project's writer and waits until it is applied, or refused with the reason. */
  async patch(project: ProjectRef, change: ProjectChange, options: PatchOptions = {}): Promise<PatchReport> {
    const { changeId = randomUUID(), scope, signal } = options;
    const problems = validatePatch(project, change, { changeId, scope });
    const start = await this.#writerOf(project, scope, problems, 'The change was not sent');
    const { resourcetype, id } = project;
    const request: ChangeRequest = { project: { resourcetype, id }, changeId, change, space: scope?.space };
    const ask = (): Promise<ChangeOutcome> => this.#ask(start, request);
    const outcome = await (signal ? this.temporal.withAbortSignal(signal, ask) : ask());
    return { workflowId: start.workflowId, changeId, ...outcome };
  }

  /** Which run writes the project, what waits there, and what keeps it from being written. */
  async status(project: ProjectRef, { scope }: Pick<PatchOptions, 'scope'> = {}): Promise<ProjectStatus> {
    const problems = [...validateProject(project), ...validateScope(scope)];
    const { workflowId } = await this.#writerOf(project, scope, problems, 'Nothing was read');
    const run = this.temporal.workflow.getHandle(workflowId);
    const { resourcetype, id } = project;
    const writer = await findRun(this.temporal, workflowId);
    if (!writer || !isOpen(writer)) return { workflowId, isOpen: false, queued: [], trouble: null };
    const asked = { resourcetype, id };
    const state = await queryRun<ProjectWriterState>(this.temporal, run, projectWriterStateQuery, asked);
    if (!state) throw await noAnswer(this.temporal, workflowId);
    const { queued = [], trouble = null } = state.projects[0] ?? {};
    return { workflowId, isOpen: true, queued, trouble };
  }

  /** The writer of the project's shard; throws all problems at once. */
  async #writerOf(
    project: ProjectRef,
    scope: Scope | undefined,
    problems: string[],
    heading: string,
  ): Promise<ReturnType<typeof writerStart>> {
    const given = scope?.organization ?? this.config.organization;
    const findOrganization =
      given === undefined ? this.options.findOrganization : () => Promise.resolve(given);
    if (!findOrganization) problems.push('scope.organization: is required, or set SEGUE_ORGANIZATION');
    if (problems.length > 0 || !findOrganization) throw new InvalidInput(problems, heading);
    const { taskQueue, submit } = this.config;
    const organization = await findOrganization();
    return writerStart({ taskQueue, organization, shard: shardOf(project), authGrace: submit.authGrace });
  }

  /** An Update waits a short time for the outcome; then the next one asks, by the change id alone. */
  async #ask(start: ReturnType<typeof writerStart>, request: ChangeRequest): Promise<ChangeOutcome> {
    let isKnown = false;
    // The writer's other projects may have a change with the same id.
    const name = `${request.changeId}/${shortDigest(projectName(request.project))}`;
    for (let n = 1; ; n++) {
      const asked = isKnown ? { ...request, change: undefined } : request;
      const send = (): Promise<UpdateOutcome> =>
        this.temporal.workflow.executeUpdateWithStart(changeUpdate, {
          startWorkflowOperation: new WithStartWorkflowOperation(PROJECT_WRITER_WORKFLOW, start),
          updateId: `${name}/${n}`,
          args: [asked],
        });
      try {
        const outcome = await retryUpdate(send);
        if (typeof outcome === 'object') return outcome;
        isKnown = outcome === 'waiting';
        // A run that continues as new answers at once.
        await sleep(AGAIN_AFTER_MS);
      } catch (error) {
        // A run takes few updates at a time; the SDK has waited and tried several times when this is thrown.
        if (grpcCode(error) === GRPC.resourceExhausted) continue;
        const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (!(failure instanceof ApplicationFailure)) throw error;
        if (failure.type === FAILURE.badChange) return { ok: false, error: failure.message };
        if (failure.type !== WRITER_STOPPED) throw error;
        // The next run of a writer that was terminated or reset may not know the change.
        isKnown = false;
      }
    }
  }
}

/** All problems of a patch, except a missing workspace. */
export function validatePatch(
  project: ProjectRef,
  change: ProjectChange,
  { changeId, scope }: PatchOptions,
): string[] {
  return [
    ...validateProject(project),
    ...validateScope(scope),
    ...(changeId === undefined ? [] : validateChangeId(changeId)),
    ...validateChange(change),
  ];
}
