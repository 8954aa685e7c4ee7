import { WorkflowFailedError } from '@temporalio/client';
import {
  FAILURE,
  RECORD_WORKFLOW,
  type RecordInput,
  type RecordKind,
  TRANSCRIPT_WORKFLOW,
  type TranscriptInput,
} from '../../contract';
import {
  againKey,
  mediaWorkflowId,
  recordKey,
  recordWorkflowId,
  transcriptWorkflowId,
} from '../../contract/ids';
import { attributesOfJob } from '../../contract/searchAttributes';
import { assertValid } from '../../errors';
import { digest } from '../../platform/digest';
import { keyOf, type MediaSpec, startMedia, validateSpec, normalizeScope } from '../../runs/media';
import { countRuns, failureType, find, findRuns } from '../../runs/find';
import { inputOf, startOrFind } from '../../runs/start';
import {
  withoutNulls,
  validatePoll,
  validateRecordInput,
  validateTranscriptSpec,
} from '../../validation/inputs';
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

export interface TranscriptSpec extends Pick<
  TranscriptInput,
  'transcriptionId' | 'format' | 'scope' | 'poll' | 'write' | 'notify'
> {
  /** What makes it the same transcript. Default: the transcription's id. */
  key?: string;
}

export class TranscriptsClient extends RunsClient<TranscriptSpec, TranscriptJob> {
  /** Starts it, or gives back the run that its key already has, running or closed. */
  async start(spec: TranscriptSpec): Promise<TranscriptJob> {
    assertValid(validateTranscript(spec));
    const { transcriptionId, format = 'srt', key = transcriptionId, write, notify } = spec;
    const input: TranscriptInput = {
      ...{ key, transcriptionId, format, scope: normalizeScope(spec.scope), write, notify },
      poll: { ...this.config.poll, ...withoutNulls(spec.poll ?? {}) },
    };
    return this.#start(input, this.config.taskQueue);
  }

  /** Gets and writes it once more, as `<key>+2`, which costs nothing. Refused while it is open, and when it succeeded. */
  async retry(key: string): Promise<TranscriptJob> {
    const repeated = await this.get(key);
    const { status } = await repeated.report();
    if (['running', 'held', 'succeeded'].includes(status)) throw notRepeated(repeated, `it is ${status}`);
    const { carried, ...input } = withoutNulls((await inputOf(this.temporal, repeated)) as TranscriptInput);
    return this.#start({ ...input, key: againKey(repeated.key) }, repeated.taskQueue);
  }

  async #start(input: TranscriptInput, taskQueue: string): Promise<TranscriptJob> {
    const { key } = input;
    const facts = await startOrFind(this.temporal, {
      workflow: TRANSCRIPT_WORKFLOW,
      workflowId: transcriptWorkflowId(key),
      ...{ taskQueue, key, input, identityOf: identityOfTranscript },
      attributes: attributesOfJob({ ...input, tool: 'transcript' }, 'polling'),
      summary: `transcript for ${key}`,
    });
    return new TranscriptJob(this.temporal, facts);
  }

  async get(key: string): Promise<TranscriptJob> {
    return new TranscriptJob(this.temporal, await find(this.temporal, transcriptWorkflowId(key)));
  }
}

function identityOfTranscript({
  transcriptionId,
  format = 'srt',
  scope,
  write,
  notify,
}: TranscriptInput): string {
  return digest({ transcriptionId, format, scope: normalizeScope(scope), write, notify });
}

export function validateTranscript(spec: TranscriptSpec): string[] {
  return [...validateTranscriptSpec(spec), ...validatePoll(spec.poll)];
}

export type RecordSpec = Pick<RecordInput, 'kind' | 'id' | 'failOn' | 'scope' | 'poll'>;

export class RecordsClient extends RunsClient<RecordSpec, RecordJob> {
  /**
   * Starts the wait, or gives back the one that the record already has. Waiting costs nothing, so a closed wait that
   * never learned the end, or had another spec, is replaced.
   */
  async start(spec: RecordSpec): Promise<RecordJob> {
    assertValid(validateRecord(spec), 'The wait was not started');
    const { kind, id, failOn } = spec;
    const scope = normalizeScope(spec.scope);
    const input: RecordInput = {
      kind,
      id,
      failOn,
      scope,
      poll: { ...this.config.poll, ...withoutNulls(spec.poll ?? {}) },
    };
    const key = recordKey(kind, id);
    const workflowId = recordWorkflowId(key);
    const facts = await startOrFind(this.temporal, {
      workflow: RECORD_WORKFLOW,
      taskQueue: this.config.taskQueue,
      ...{ workflowId, key, input, identityOf: identityOfRecord },
      attributes: attributesOfJob({ tool: kind, scope }, 'polling'),
      summary: `wait for ${kind} ${id}`,
      adviceOnReuse: 'wait as it does, or cancel that run first',
      mayReplace: async (closed, isSameJob) =>
        !isSameJob || !(await this.#learnedTheEnd(workflowId, closed.runId)),
    });
    return new RecordJob(this.temporal, facts);
  }

  async get(kind: RecordKind, id: string): Promise<RecordJob> {
    return new RecordJob(this.temporal, await find(this.temporal, recordWorkflowId(recordKey(kind, id))));
  }

  async #learnedTheEnd(workflowId: string, runId: string): Promise<boolean> {
    try {
      await this.temporal.workflow.getHandle(workflowId, runId).result();
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      return failureType(error) === FAILURE.recordFailed;
    }
  }
}

function identityOfRecord({ kind, id, failOn = [], scope }: RecordInput): string {
  const named = [...new Set(failOn.map(String))].sort();
  return digest({ kind, id, failOn: named, scope: normalizeScope(scope) });
}

export function validateRecord({ poll, ...asked }: RecordSpec): string[] {
  return [...validateRecordInput(asked), ...validatePoll(poll)];
}
