/** Media jobs, for whoever starts them and whoever looks after them. */
import { type Client } from '@temporalio/client';
import { retryJob, type RetryOptions } from './retry';
import { assertValid } from '../../errors';
import { mediaWorkflowId } from '../../contract/ids';
import { MediaJob, type WaitOptions } from './job';
import { find, type StartSettings } from '../../runs/start';
import { countJobs, type JobEntry, type JobFilter, listJobs } from '../listing';
import { type JobReport } from '../report';
import { keyOf, type MediaSpec, validateSpec, startMedia } from '../../runs/media';

export class MediaClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StartSettings,
  ) {}

  /** Starts the job, or gives back the run that its key already has, running or closed. It never submits twice. */
  async start(spec: MediaSpec): Promise<MediaJob> {
    return new MediaJob(this.temporal, await startMedia(this.temporal, spec, this.config));
  }

  /** Starts the job and waits for its end or its first hold. */
  async run(spec: MediaSpec, options: WaitOptions = {}): Promise<JobReport> {
    const job = await this.start(spec);
    return job.wait(options);
  }

  /**
   * Runs a job once more, as `<key>+2`, with what it was asked for then; asked for twice, it gives the same run.
   * Refused with a `NotRepeatedError` while the job runs, while the service may still work on its task, and, without
   * `again`, when it succeeded. With a spec, the job that it names is repeated, if it asked for the same.
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
  list(filter: JobFilter = {}): AsyncIterable<JobEntry> {
    return listJobs(this.temporal, filter);
  }

  count(filter: JobFilter = {}): Promise<number> {
    return countJobs(this.temporal, filter);
  }
}
