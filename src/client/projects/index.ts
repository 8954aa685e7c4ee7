/** Changes of projects, for those who wait for the outcome. */
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type StarterConfig } from '../../config';
import {
  type ChangeOutcome,
  type ChangeRequest,
  changeUpdate,
  FAILURE,
  PROJECT_WRITER_WORKFLOW,
  type ProjectChange,
  type ProjectRef,
  type Scope,
} from '../../contract';
import { InvalidInputError } from '../../errors';
import { writerStart } from '../../writerStart';
import { type PatchOptions, problemsOfPatch } from './patchSpec';

export interface ProjectsOptions {
  /** Tells the workspace's id where neither scope nor settings do. */
  findOrganization?: () => Promise<string>;
}

export type PatchReport = { workflowId: string; changeId: string } & ChangeOutcome;

export class ProjectsClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
    private readonly options: ProjectsOptions,
  ) {}

  /** Has the change made by the project's writer and waits until it is applied, or refused with the reason. */
  async patch(project: ProjectRef, change: ProjectChange, options: PatchOptions = {}): Promise<PatchReport> {
    const { changeId = randomUUID(), scope, signal } = options;
    const problems = problemsOfPatch(project, change, { changeId, scope });
    const organizationOf = this.#organizationLookup(scope);
    if (!organizationOf)
      problems.push('scope.organization: is not given; which workspace? SEGUE_ORGANIZATION can tell, too');
    if (problems.length > 0 || !organizationOf)
      throw new InvalidInputError(problems, 'The change was not sent');

    const organization = await organizationOf();
    const { taskQueue, submit } = this.config;
    const { resourcetype, id } = project;
    const start = writerStart({
      taskQueue,
      project: { resourcetype, id },
      organization,
      authGrace: submit.authGrace,
    });
    const request: ChangeRequest = { changeId, change, space: scope?.space };
    const ask = (): Promise<ChangeOutcome> => this.#ask(start, request);
    const outcome = await (signal ? this.temporal.withAbortSignal(signal, ask) : ask());
    return { workflowId: start.workflowId, changeId, ...outcome };
  }

  #organizationLookup(scope: Scope | undefined): (() => Promise<string>) | undefined {
    const given = scope?.organization ?? this.config.organization;
    return given === undefined ? this.options.findOrganization : () => Promise.resolve(given);
  }

  async #ask(start: ReturnType<typeof writerStart>, request: ChangeRequest): Promise<ChangeOutcome> {
    for (;;) {
      try {
        return await this.temporal.workflow.executeUpdateWithStart(changeUpdate, {
          startWorkflowOperation: new WithStartWorkflowOperation(PROJECT_WRITER_WORKFLOW, start),
          updateId: request.changeId,
          args: [request],
        });
      } catch (error) {
        if (isBusy(error)) {
          await sleep(BUSY_PAUSE_MS);
          continue;
        }
        const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (!(failure instanceof ApplicationFailure)) throw error;
        if (failure.type === FAILURE.badChange) return { ok: false, error: failure.message };
        // The run that took the change hands over to the next one, which knows it.
        if (failure.type !== FAILURE.askAgain) throw error;
      }
    }
  }
}

const BUSY_PAUSE_MS = 200;

/** RESOURCE_EXHAUSTED: a run takes few Updates at a time. FAILED_PRECONDITION: its workflow task fails, or it is paused. */
const BUSY = [8, 9];

/** Whether the writer may take the change later: signals that come while it continues as new fail its workflow task. */
function isBusy(error: unknown): boolean {
  return isGrpcServiceError(error)
    ? BUSY.includes(error.code)
    : error instanceof ServiceError && isBusy(error.cause);
}
