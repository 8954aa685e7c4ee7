/** Changes of projects, made by the writer of the project. */
import { randomUUID } from 'node:crypto';
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
  type Scope,
} from '../contract';
import { validateAddress, validateChange } from '../contract/changes';
import { validateScope } from '../api/scope';
import { InvalidInputError } from '../errors';
import { validateProject } from '../validation/inputs';
import { GRPC, grpcCode, retryUnavailable } from '../runs/grpc';
import { writerStart } from '../runs/start';

export interface ProjectsOptions {
  /** Finds the id of the workspace if neither scope nor settings have it. */
  findOrganization?: () => Promise<string>;
}

export interface PatchOptions {
  /** The same id is applied once. Default: a new one. */
  changeId?: string;
  scope?: Scope;
  /** Stops waiting. A change that was accepted is made anyway. */
  signal?: AbortSignal;
}

export type PatchReport = { workflowId: string; changeId: string } & ChangeOutcome;

export class ProjectsClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
    private readonly options: ProjectsOptions,
  ) {}

  /** Sends the change to the project's writer and waits until it is applied, or refused with the reason. */
  async patch(project: ProjectRef, change: ProjectChange, options: PatchOptions = {}): Promise<PatchReport> {
    const { changeId = randomUUID(), scope, signal } = options;
    const given = scope?.organization ?? this.config.organization;
    const findOrganization =
      given === undefined ? this.options.findOrganization : () => Promise.resolve(given);
    const problems = validatePatch(project, change, { changeId, scope });
    if (!findOrganization)
      problems.push('scope.organization: is not given; name the workspace there or in SEGUE_ORGANIZATION');
    if (problems.length > 0 || !findOrganization)
      throw new InvalidInputError(problems, 'The change was not sent');

    const { taskQueue, submit } = this.config;
    const { resourcetype, id } = project;
    const start = writerStart({
      taskQueue,
      project: { resourcetype, id },
      organization: await findOrganization(),
      authGrace: submit.authGrace,
    });
    const request: ChangeRequest = { changeId, change, space: scope?.space };
    const ask = (): Promise<ChangeOutcome> => this.#ask(start, request);
    const outcome = await (signal ? this.temporal.withAbortSignal(signal, ask) : ask());
    return { workflowId: start.workflowId, changeId, ...outcome };
  }

  async #ask(start: ReturnType<typeof writerStart>, request: ChangeRequest): Promise<ChangeOutcome> {
    const send = (): Promise<ChangeOutcome> =>
      this.temporal.workflow.executeUpdateWithStart(changeUpdate, {
        startWorkflowOperation: new WithStartWorkflowOperation(PROJECT_WRITER_WORKFLOW, start),
        updateId: request.changeId,
        args: [request],
      });
    for (;;) {
      try {
        return await retryUnavailable(send, NOT_TAKEN);
      } catch (error) {
        // A run takes few updates at a time; the SDK has waited and tried several times when this is thrown.
        if (grpcCode(error) === GRPC.resourceExhausted) continue;
        const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (!(failure instanceof ApplicationFailure)) throw error;
        if (failure.type === FAILURE.badChange) return { ok: false, error: failure.message };
        // The run that accepted the change continues as new; the next run has the change.
        if (failure.type !== FAILURE.askAgain) throw error;
      }
    }
  }
}

/** A run takes no update while its workflow task fails, as it does when signals arrive while it continues as new. */
const NOT_TAKEN = [GRPC.unavailable, GRPC.failedPrecondition];

/** All problems of a patch, except a missing workspace. */
export function validatePatch(
  project: ProjectRef,
  change: ProjectChange,
  { changeId, scope }: PatchOptions,
): string[] {
  return [
    ...validateProject(project),
    ...validateScope(scope),
    ...(changeId === undefined ? [] : validateAddress({ changeId })),
    ...validateChange(change),
  ];
}
