/** Transcripts, for those who import Segue. */
import { type Client } from '@temporalio/client';
import { type StarterConfig } from '../../config';
import { TRANSCRIPT_WORKFLOW, type TranscriptInput, type TranscriptState } from '../../contract';
import { digest } from '../../platform/digest';
import { requireGood } from '../../errors';
import { transcriptWorkflowId } from '../../contract/ids';
import { TranscriptJob, type WaitOptions } from './job';
import { find, startOrFind } from '../keyed';
import { type JobReport } from '../report';
import { attributesOfJob } from '../../contract/searchAttributes';
import { withoutGaps } from './mediaSpec';
import { problemsOfTranscript, type TranscriptSpec } from './transcriptSpec';

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
    const problems = problemsOfTranscript(spec);
    requireGood(problems);
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
