/** Transcripts, for those who import Segue. */
import { type Client } from '@temporalio/client';
import { type StarterConfig } from '../../config';
import {
  type NotifyTarget,
  type PollSettings,
  type Scope,
  type SubtitleFormat,
  TRANSCRIPT_WORKFLOW,
  type TranscriptInput,
  type TranscriptState,
  type WriteTarget,
} from '../../contract';
import { digest } from '../../platform/digest';
import { assertValid } from '../../errors';
import { transcriptWorkflowId } from '../../contract/ids';
import { TranscriptJob, type WaitOptions } from './job';
import { find, startOrFind } from '../../runs/start';
import { type JobReport } from '../report';
import { attributesOfJob } from '../../contract/searchAttributes';
import { validateKey, validatePoll, withoutGaps } from '../../runs/media';
import { validateScope } from '../../api/scope';
import { validateTargets, validateTranscription } from '../../validation/inputs';

export interface TranscriptSpec {
  transcriptionId: string;
  /** Default: `srt`. */
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
    const { transcriptionId, write, notify } = spec;
    const format = spec.format ?? 'srt';
    const key = spec.key ?? transcriptionId;
    const scope = withoutGaps(spec.scope);
    const input: TranscriptInput = {
      ...{ key, transcriptionId, format, scope, write, notify },
      poll: { ...this.config.poll, ...spec.poll },
    };
    const problems = validateTranscript(spec);
    assertValid(problems);
    const facts = await startOrFind(this.temporal, {
      workflow: TRANSCRIPT_WORKFLOW,
      workflowId: transcriptWorkflowId(key),
      taskQueue: this.config.taskQueue,
      ...{ key, input, askOf },
      attributes: attributesOfJob({ ...input, tool: 'transcript' }, 'polling'),
      summary: `transcript for ${key}`,
    });
    return new TranscriptJob(this.temporal, facts);
  }

  /** Starts it and waits for its end. */
  async run(spec: TranscriptSpec, options: WaitOptions<TranscriptState> = {}): Promise<JobReport> {
    const job = await this.start(spec);
    return job.wait(options);
  }

  async get(key: string): Promise<TranscriptJob> {
    return new TranscriptJob(this.temporal, await find(this.temporal, transcriptWorkflowId(key)));
  }
}

function askOf({ transcriptionId, format = 'srt', scope, write, notify }: TranscriptInput): string {
  return digest({ transcriptionId, format, scope: withoutGaps(scope), write, notify });
}

/** All problems at once, before anything is sent. */
export function validateTranscript(spec: TranscriptSpec): string[] {
  return [
    ...validateKey(spec.key),
    ...validateTranscription(spec),
    ...validateScope(spec.scope),
    ...validatePoll(spec.poll),
    ...validateTargets(spec),
  ];
}
