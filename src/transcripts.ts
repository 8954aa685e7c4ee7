/** Transcripts, for those who import Segue. */
import { type Client } from '@temporalio/client';
import { problemsOfScope } from './api/scope';
import { type StarterConfig } from './config';
import {
  type NotifyTarget,
  type PollSettings,
  type Scope,
  type SubtitleFormat,
  TRANSCRIPT_WORKFLOW,
  type TranscriptInput,
  type TranscriptState,
  type WriteTarget,
} from './contract';
import { digest } from './digest';
import { InvalidInputError } from './errors';
import { transcriptWorkflowId } from './ids';
import { problemsOfTranscriptInput } from './inputs';
import { TranscriptJob, type WaitOptions } from './job';
import { type JobReport } from './report';
import { attributesOfJob } from './searchAttributes';
import { find, problemsOfKey, problemsOfPoll, startOrFind, withoutGaps } from './starting';

export interface TranscriptSpec {
  transcriptionId: string;
  /** `srt` unless told. */
  format?: SubtitleFormat;
  /** What makes it the same transcript. Without one: the transcription's id. */
  key?: string;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  /** Where the subtitles are set in a project's data. */
  write?: WriteTarget;
  /** Who is told of the end, and when a person is needed. */
  notify?: NotifyTarget;
}

export class TranscriptsClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
  ) {}

  /** Starts it, or gives back the run that its key already has, running or closed. */
  async start(spec: TranscriptSpec): Promise<TranscriptJob> {
    const { transcriptionId, format = 'srt', write, notify } = spec;
    const key = spec.key ?? transcriptionId;
    const scope = withoutGaps(spec.scope);
    const input: TranscriptInput = {
      ...{ key, transcriptionId, format, scope, write, notify },
      poll: { ...this.config.poll, ...spec.poll },
    };
    const problems = [
      ...problemsOfKey(spec.key),
      ...problemsOfTranscriptInput(input),
      ...problemsOfScope(scope),
      ...problemsOfPoll(spec.poll),
    ];
    if (problems.length > 0) throw new InvalidInputError(problems);
    const { runId, existing, startedAt } = await startOrFind(this.temporal, {
      workflow: TRANSCRIPT_WORKFLOW,
      workflowId: transcriptWorkflowId(key),
      taskQueue: this.config.taskQueue,
      ...{ key, input, askOf },
      attributes: attributesOfJob({ ...input, tool: 'transcript' }, 'polling'),
      summary: `transcript for ${key}`,
    });
    return new TranscriptJob(this.temporal, key, runId, existing, startedAt);
  }

  /** Starts it and waits for its end. */
  async run(spec: TranscriptSpec, options: WaitOptions<TranscriptState> = {}): Promise<JobReport> {
    const job = await this.start(spec);
    return job.wait(options);
  }

  async get(key: string): Promise<TranscriptJob> {
    const { runId, existing, startedAt } = await find(this.temporal, transcriptWorkflowId(key));
    return new TranscriptJob(this.temporal, key, runId, existing, startedAt);
  }
}

function askOf({ transcriptionId, format = 'srt', scope, write, notify }: TranscriptInput): string {
  return digest({ transcriptionId, format, scope: withoutGaps(scope), write, notify });
}
