import { type RecordKind, type TranscriptInput } from '../../contract';
import {
  againKey,
  mediaWorkflowId,
  recordKey,
  recordWorkflowId,
  transcriptWorkflowId,
} from '../../contract/ids';
import { assertValid } from '../../errors';
import { countRuns, find, findRuns } from '../../runs/find';
import { keyOf, type MediaSpec, startMedia, validateSpec } from '../../runs/media';
import { type RecordSpec, startRecord } from '../../runs/record';
import { inputOf } from '../../runs/start';
import { startTranscript, startTranscriptInput, type TranscriptSpec } from '../../runs/transcript';
import { withoutNulls } from '../../validation/inputs';
import { entryOf, type JobEntry, type JobFilter, queryOf, type SuccessReport } from '../report';
import { RunsClient } from '../run';
import { MediaJob, RecordJob, TranscriptJob } from './job';
import { notRepeated, retryJob, type RetryOptions } from './retry';

export interface MediaSuccess extends SuccessReport {
  taskId: string;
}

export class MediaClient extends RunsClient<MediaSpec, MediaJob, MediaSuccess> {
  /** Starts the job, or gives back the run that its key already has, running or closed. It never submits twice. */
  async start(spec: MediaSpec): Promise<MediaJob> {
    return new MediaJob(this.temporal, await startMedia(this.temporal, spec, this.config));
  }

  /**
   * Runs a job once more, as `<key>+2`, with its first input; two calls give one run. An unsaved job is only written
   * again, from its known task. Refused with a `NotRepeated`
   * while the job runs, while the service may still work on its task, and, without `again`, when it succeeded. A spec
   * instead of a key must ask for the same as the job that it names.
   */
  async retry(repeated: string | MediaSpec, options: RetryOptions = {}): Promise<MediaJob> {
    if (typeof repeated === 'string') return retryJob(this.temporal, await this.get(repeated), options);
    const problems = validateSpec(repeated);
    if (repeated.taskId !== undefined) problems.push('taskId: a job that is run again gets a new task');
    assertValid(problems);
    return retryJob(this.temporal, await this.get(keyOf(repeated)), options, repeated);
  }

  async get(key: string): Promise<MediaJob> {
    return new MediaJob(this.temporal, { ...(await find(this.temporal, mediaWorkflowId(key))), key });
  }

  /** Jobs as Temporal lists them, newest first. A list lags behind by a moment. */
  async *list(filter: JobFilter = {}): AsyncGenerator<JobEntry> {
    for await (const run of findRuns(this.temporal, queryOf(filter))) yield entryOf(run);
  }

  count(filter: JobFilter = {}): Promise<number> {
    return countRuns(this.temporal, queryOf(filter));
  }
}

export class TranscriptsClient extends RunsClient<TranscriptSpec, TranscriptJob> {
  /** Starts it, or gives back the run that its key already has, running or closed. */
  async start(spec: TranscriptSpec): Promise<TranscriptJob> {
    return new TranscriptJob(this.temporal, await startTranscript(this.temporal, spec, this.config));
  }

  /** Gets and writes it once more, as `<key>+2`, which costs nothing. Refused while it is open, and when it succeeded. */
  async retry(key: string): Promise<TranscriptJob> {
    const repeated = await this.get(key);
    const { status } = await repeated.report();
    if (['running', 'held', 'succeeded'].includes(status)) throw notRepeated(repeated, `it is ${status}`);
    const { carried, ...input } = withoutNulls((await inputOf(this.temporal, repeated)) as TranscriptInput);
    const again = { ...input, key: againKey(repeated.key) };
    return new TranscriptJob(
      this.temporal,
      await startTranscriptInput(this.temporal, repeated.taskQueue, again),
    );
  }

  async get(key: string): Promise<TranscriptJob> {
    return new TranscriptJob(this.temporal, await find(this.temporal, transcriptWorkflowId(key)));
  }
}

export class RecordsClient extends RunsClient<RecordSpec, RecordJob> {
  /** Starts the wait, or gives back the one that the record already has. */
  async start(spec: RecordSpec): Promise<RecordJob> {
    return new RecordJob(this.temporal, await startRecord(this.temporal, spec, this.config));
  }

  async get(kind: RecordKind, id: string): Promise<RecordJob> {
    return new RecordJob(this.temporal, await find(this.temporal, recordWorkflowId(recordKey(kind, id))));
  }
}
