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
import { validateChange, validateChangeId } from '../contract/changes';
import { shardOf } from '../contract/ids';
import { validateScope } from '../api/scope';
import { InvalidInputError } from '../errors';
import { validateProject } from '../validation/inputs';
import { writerStart } from '../runs/writerStart';

export interface ProjectsOptions {
  /** Tells the workspace's id where neither scope nor settings do. */
  findOrganization?: () => Promise<string>;
}

export interface PatchOptions {
  /** What makes it the same change: asked for again, it is not applied again. A new one when left out. */
  changeId?: string;
  scope?: Scope;
  /** Stops waiting. A change that was taken is made all the same. */
  signal?: AbortSignal;
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
    const problems = validatePatch(project, change, { changeId, scope });
    const organizationOf = this.#organizationLookup(scope);
    if (!organizationOf)
      problems.push('scope.organization: is not given; which workspace? SEGUE_ORGANIZATION can tell, too');
    if (problems.length > 0 || !organizationOf)
      throw new InvalidInputError(problems, 'The change was not sent');

    const organization = await organizationOf();
    const { taskQueue, submit } = this.config;
    const { resourcetype, id } = project;
    const start = writerStart({
      ...{ taskQueue, organization, shard: shardOf(project) },
      authGrace: submit.authGrace,
    });
    const request: ChangeRequest = { project: { resourcetype, id }, changeId, change, space: scope?.space };
    const ask = (): Promise<ChangeOutcome> => this.#ask(start, request);
    const outcome = await (signal ? this.temporal.withAbortSignal(signal, ask) : ask());
    return { workflowId: start.workflowId, changeId, ...outcome };
  }

  #organizationLookup(scope: Scope | undefined): (() => Promise<string>) | undefined {
    const given = scope?.organization ?? this.config.organization;
    return given === undefined ? this.options.findOrganization : () => Promise.resolve(given);
  }

  async #ask(start: ReturnType<typeof writerStart>, request: ChangeRequest): Promise<ChangeOutcome> {
    let refusedSince: number | undefined;
    // An Update waits a short time for the outcome; then the next one asks.
    for (let n = 1; ; n++) {
      try {
        const outcome = await this.temporal.workflow.executeUpdateWithStart(changeUpdate, {
          startWorkflowOperation: new WithStartWorkflowOperation(PROJECT_WRITER_WORKFLOW, start),
          updateId: `${request.changeId}/${n}`,
          args: [request],
        });
        if (outcome) return outcome;
      } catch (error) {
        if (hasCode(error, GRPC_RESOURCE_EXHAUSTED)) continue;
        if (hasCode(error, GRPC_FAILED_PRECONDITION) || hasCode(error, GRPC_UNAVAILABLE)) {
          refusedSince ??= Date.now();
          if (Date.now() - refusedSince > LONGEST_REFUSAL_MS) throw error;
          await sleep(REFUSAL_PAUSE_MS);
          continue;
        }
        const failure = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (!(failure instanceof ApplicationFailure)) throw error;
        if (failure.type === FAILURE.badChange) return { ok: false, error: failure.message };
        throw error;
      }
    }
  }
}

/** A run takes few Updates at a time; the SDK has waited and tried several times when this is thrown. */
const GRPC_RESOURCE_EXHAUSTED = 8;

/** A run takes no Update while its workflow task fails, as it does when signals arrive while it continues as new. */
const GRPC_FAILED_PRECONDITION = 9;
/** A server that is too busy may say so even after the SDK's own retries. */
const GRPC_UNAVAILABLE = 14;
const REFUSAL_PAUSE_MS = 200;
/** A workflow task that fails for longer does not fail for that reason. */
const LONGEST_REFUSAL_MS = 60_000;

function hasCode(error: unknown, code: number): boolean {
  return isGrpcServiceError(error)
    ? (error.code as number) === code
    : error instanceof ServiceError && hasCode(error.cause, code);
}

/** Everything that is wrong with a patch, but for a workspace that nobody named. */
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
