/** What a backend team imports: start a job, follow it, get its result. */
import { type Client } from '@temporalio/client';
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
import { InvalidInputError } from './errors';
import { mediaWorkflowId } from './ids';
import { MediaJob, type WaitOptions } from './job';
import { ProjectsClient, type ProjectsOptions } from './projects';
import { RecordsClient } from './records';
import { type JobReport } from './report';
import { attributesOfJob } from './searchAttributes';
import { find, problemsOfKey, problemsOfPoll, startOrFind, withoutGaps } from './starting';
import { TranscriptsClient } from './transcripts';

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

export class SegueClient {
  readonly media: MediaClient;
  readonly transcripts: TranscriptsClient;
  readonly records: RecordsClient;
  readonly projects: ProjectsClient;

  constructor(temporal: Client, config: StarterConfig, options: ProjectsOptions = {}) {
    this.media = new MediaClient(temporal, config);
    this.transcripts = new TranscriptsClient(temporal, config);
    this.records = new RecordsClient(temporal, config);
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
    const key = spec.key ?? askOf({ tool, request, scope });
    const input: MediaInput = {
      ...{ key, tool, request, scope, write, notify, taskId },
      poll: { ...this.config.poll, ...spec.poll },
      submit: this.config.submit,
    };
    const { runId, existing, startedAt } = await startOrFind(this.temporal, {
      workflow: MEDIA_WORKFLOW,
      workflowId: mediaWorkflowId(key),
      taskQueue: this.config.taskQueue,
      ...{ key, input, askOf },
      attributes: attributesOfJob(input, taskId === undefined ? 'submitting' : 'polling'),
      summary: `${tool} for ${key}`,
    });
    return new MediaJob(this.temporal, key, runId, existing, startedAt);
  }

  /** Starts the job and waits for its end or its first hold. */
  async run(spec: MediaSpec, options: WaitOptions = {}): Promise<JobReport> {
    const job = await this.start(spec);
    return job.wait(options);
  }

  async get(key: string): Promise<MediaJob> {
    const { runId, existing, startedAt } = await find(this.temporal, mediaWorkflowId(key));
    return new MediaJob(this.temporal, key, runId, existing, startedAt);
  }
}

type Ask = Pick<MediaInput, 'tool' | 'request' | 'scope' | 'write' | 'notify' | 'taskId'>;

/** A digest of what makes two requests the same job; settings of polling do not. */
function askOf({ tool, request, scope, write, notify, taskId }: Ask): string {
  return digest({ tool, request, scope: withoutGaps(scope), write, notify, taskId });
}

function requireValid({ tool, request, scope, key, poll }: MediaSpec): void {
  const problems = [
    ...problemsOfKey(key),
    ...problemsOfRequest(tool, request),
    ...problemsOfScope(scope),
    ...problemsOfPoll(poll),
  ];
  if (problems.length > 0) throw new InvalidInputError(problems);
}
