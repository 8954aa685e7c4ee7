/** What a backend team imports: start a job, follow it, get its result. */
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { problemsOfScope } from './api/scope';
import { problemsOfRequest } from './api/tools';
import { type StarterConfig } from './config';
import {
  MEDIA_WORKFLOW,
  type MediaInput,
  type NotifyTarget,
  type PollSettings,
  type Scope,
  type WriteTarget,
} from './contract';
import { digest } from './digest';
import { InvalidInputError, KeyReusedError, NoSuchJobError } from './errors';
import { DURATION_FORM, parseDuration } from './durations';
import { isGivenKey, KEY_FORM, mediaWorkflowId } from './ids';
import { MediaJob, type WaitOptions } from './job';
import { ProjectsClient, type ProjectsOptions } from './projects';
import { type JobReport } from './report';
import { attributesOfJob } from './searchAttributes';

export interface MediaSpec {
  /** What makes it the same job. Without one: a digest of scope, tool and request. */
  key?: string;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  /** Where the result is set in a project's data. */
  write?: WriteTarget;
  /** Who is told of the end, and when a person is needed. */
  notify?: NotifyTarget;
  /** A task that already runs: it is followed, and nothing is submitted. */
  taskId?: string;
}

interface StartMemo extends Record<string, unknown> {
  /** Digest of what the caller asked for. */
  segueAsk: string;
  /** Tells the starter whether the run is the one it started. */
  segueStart: string;
}

export class SegueClient {
  readonly media: MediaClient;
  readonly projects: ProjectsClient;

  constructor(temporal: Client, config: StarterConfig, options: ProjectsOptions = {}) {
    this.media = new MediaClient(temporal, config);
    this.projects = new ProjectsClient(temporal, config, options);
  }
}

class MediaClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
  ) {}

  /** Starts the job, or gives back the run that its key already has, running or closed. It never submits twice. */
  async start(spec: MediaSpec): Promise<MediaJob> {
    requireValid(spec);
    const { tool, request, write, notify, taskId } = spec;
    const scope = withoutGaps(spec.scope);
    const ask = askOf({ tool, request, scope, write, notify, taskId });
    const key = spec.key ?? askOf({ tool, request, scope });
    const input: MediaInput = {
      ...{ key, tool, request, scope, write, notify, taskId },
      poll: { ...this.config.poll, ...spec.poll },
      submit: this.config.submit,
    };
    const memo: StartMemo = { segueAsk: ask, segueStart: randomUUID() };
    const workflowId = mediaWorkflowId(key);
    await this.temporal.workflow
      .start(MEDIA_WORKFLOW, {
        workflowId,
        taskQueue: this.config.taskQueue,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        memo,
        typedSearchAttributes: attributesOfJob(input, taskId === undefined ? 'submitting' : 'polling'),
        staticSummary: `${tool} for ${key}`,
      })
      .catch((error: unknown) => {
        // The key's run is closed; it is given back like one that still runs.
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      });
    // Starting does not tell whether this call did it, but only the run it made has this call's token.
    const run = await this.temporal.workflow.getHandle(workflowId).describe();
    const found = (run.memo ?? {}) as Partial<StartMemo>;
    // A run that another language started has no memo; what it was asked for stands in its input.
    const foundAsk = found.segueAsk ?? askOf(await this.#inputOf(workflowId, run.runId));
    if (foundAsk !== ask) throw new KeyReusedError(key, workflowId);
    return new MediaJob(this.temporal, key, run.runId, found.segueStart !== memo.segueStart, run.startTime);
  }

  async #inputOf(workflowId: string, runId: string): Promise<MediaInput> {
    const { history } = await this.temporal.workflowService.getWorkflowExecutionHistory({
      namespace: this.temporal.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
    const [input] = await decodeArrayFromPayloads(this.temporal.options.loadedDataConverter, payloads ?? []);
    return input as MediaInput;
  }

  /** Starts the job and waits for its end or its first hold. */
  async run(spec: MediaSpec, options: WaitOptions = {}): Promise<JobReport> {
    const job = await this.start(spec);
    return job.wait(options);
  }

  async get(key: string): Promise<MediaJob> {
    const workflowId = mediaWorkflowId(key);
    try {
      const run = await this.temporal.workflow.getHandle(workflowId).describe();
      return new MediaJob(this.temporal, key, run.runId, true, run.startTime);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw new NoSuchJobError(workflowId);
      throw error;
    }
  }
}

type Ask = Pick<MediaInput, 'tool' | 'request' | 'scope' | 'write' | 'notify' | 'taskId'>;

/** A digest of what makes two requests the same job; settings of polling do not. */
function askOf({ tool, request, scope, write, notify, taskId }: Ask): string {
  return digest({ tool, request, scope: withoutGaps(scope), write, notify, taskId });
}

/** No scope, an empty one and one with nothing in it are the same. */
function withoutGaps(scope: Scope | undefined): Scope | undefined {
  const given = Object.entries(scope ?? {}).filter(
    ([, value]) => (value as unknown) !== undefined && value !== null,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function requireValid(spec: MediaSpec): void {
  const problems = [...problemsOfRequest(spec.tool, spec.request), ...problemsOfScope(spec.scope)];
  if (spec.key !== undefined && !isGivenKey(spec.key))
    problems.unshift(`key: "${spec.key}" is not ${KEY_FORM}`);
  for (const [name, text] of Object.entries(spec.poll ?? {})) {
    if (parseDuration(text) === undefined) problems.push(`poll.${name}: "${text}" is not ${DURATION_FORM}`);
  }
  if (problems.length > 0) throw new InvalidInputError(problems);
}
