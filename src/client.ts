/** What a backend team imports: start a job, follow it, get its result. */
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { problemsOfRequest } from './api/tools';
import { type StarterConfig } from './config';
import { MEDIA_WORKFLOW, type MediaInput, type PollSettings, type Scope } from './contract';
import { digest } from './digest';
import { InvalidInputError, KeyReusedError, NoSuchJobError } from './errors';
import { DURATION_FORM, parseDuration } from './durations';
import { isGivenKey, KEY_FORM, mediaWorkflowId } from './ids';
import { MediaJob, type WaitOptions } from './job';
import { type JobReport } from './report';

export interface MediaSpec {
  /** What makes it the same job. Without one: a digest of scope, tool and request. */
  key?: string;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  poll?: Partial<PollSettings>;
}

interface StartMemo extends Record<string, unknown> {
  /** Digest of what the caller asked for. */
  segueAsk: string;
  /** Tells the starter whether the run is the one it started. */
  segueStart: string;
}

export class SegueClient {
  readonly media: MediaClient;

  constructor(temporal: Client, config: StarterConfig) {
    this.media = new MediaClient(temporal, config);
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
    const { tool, request, scope } = spec;
    const ask = digest({ tool, request, scope });
    const key = spec.key ?? ask;
    const input: MediaInput = {
      ...{ key, tool, request, scope },
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
      })
      .catch((error: unknown) => {
        // The key's run is closed; it is given back like one that still runs.
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      });
    // Starting does not tell whether this call did it, but only the run it made has this call's token.
    const run = await this.temporal.workflow.getHandle(workflowId).describe();
    const found = (run.memo ?? {}) as Partial<StartMemo>;
    if (found.segueAsk !== undefined && found.segueAsk !== ask) throw new KeyReusedError(key, workflowId);
    return new MediaJob(this.temporal, key, run.runId, found.segueStart !== memo.segueStart, run.startTime);
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

function requireValid(spec: MediaSpec): void {
  const problems = problemsOfRequest(spec.tool, spec.request);
  if (spec.key !== undefined && !isGivenKey(spec.key))
    problems.unshift(`key: "${spec.key}" is not ${KEY_FORM}`);
  for (const [name, text] of Object.entries(spec.poll ?? {})) {
    if (parseDuration(text) === undefined) problems.push(`poll.${name}: "${text}" is not ${DURATION_FORM}`);
  }
  if (problems.length > 0) throw new InvalidInputError(problems);
}
