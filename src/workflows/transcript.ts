import { setHandler } from '@temporalio/workflow';
import {
  type CondensedText,
  type Download,
  LONGEST_CALL_MS,
  type SubtitleFormat,
  type TranscriptInput,
  type TranscriptProgress,
  transcriptPollNowUpdate,
  type TranscriptResult,
  type TranscriptStage,
  type TranscriptState,
  transcriptStateQuery,
} from '../contract';
import { LONGEST_CHANGE } from '../contract/changes';
import { downloadRequestId, transcriptWorkflowId } from '../contract/ids';
import { validateTranscriptInput } from '../validation/inputs';
import { pollTimes, type PollTimes } from '../validation/times';
import { handleListeners } from './lib/listeners';
import { endOf, notifyEnd, resultOf, type Success, withCompletion, writeEnd } from './steps/finish';
import { handleDecisions } from './steps/hold';
import { readSettings, refuseUnsafeStart } from './steps/job';
import { handlePollNow, pollUntil } from './steps/poll';
import { pollRecord, RecordJob, startRecordProgress } from './steps/records';
import { lines, recordDetails, setStage, showStart } from './steps/visibility';

/** The file may come a little later than the status that announces it; after this long, empty is the result. */
const EMPTY_GRACE_MS = 5 * 60_000;

/** One transcript: poll until the transcription is done, download its subtitles, write them, notify their user. */
export async function transcript(input: TranscriptInput): Promise<TranscriptResult> {
  const job = start(input);
  return withCompletion(job, async () => {
    const end = await endOf(job, () => pollAndDownload(job));
    const written = await writeEnd(job, end);
    const notified = await notifyEnd(job, end, written);
    return { ...resultOf(job, end), written, notified };
  });
}

async function pollAndDownload(
  job: Transcript,
): Promise<Success<Omit<TranscriptResult, 'written' | 'notified'>>> {
  const { input, progress, format } = job;
  const { key, transcriptionId } = input;
  if (progress.doneAt === null) {
    // Its task does not count: that tracks the submission and may report success long before.
    await pollRecord(job, { kind: 'transcription', id: transcriptionId });
    progress.doneAt = new Date().toISOString();
    // The download has a deadline of its own.
    progress.pollingSince = null;
  }
  const file = await download(job);
  const finishedAt = new Date().toISOString();
  const known = { key, transcriptionId, format, ...(file.ready ? {} : { empty: true as const }), finishedAt };
  return {
    value: { ...known, text: textToWrite(file) },
    result: { ...known, status: 'succeeded', text: textToKeep(file), polls: progress.polls },
  };
}

function download(job: Transcript): Promise<Download> {
  const { progress, input, requestName, format } = job;
  // A run that continues an overdue one stays overdue.
  if (!progress.hold) setStage(job, 'downloading');
  return pollUntil<Download>(job, {
    immediate: true,
    timeoutMs: LONGEST_CALL_MS,
    get: ({ activities, n }) => {
      const { transcriptionId, scope } = input;
      const requestId = downloadRequestId(requestName, n);
      return activities.downloadSubtitles({ transcriptionId, format, scope, requestId });
    },
    isOver: ({ ready }) => ready || isEmptyForGood(progress),
    // The transcription is known, so a 404 is like any other failed download.
    onNotFound: () => undefined,
    texts: {
      overdue: 'is DONE, but its file could not be downloaded',
      givenUp: 'the service said DONE, but never gave its file',
    },
  });
}

function isEmptyForGood(progress: TranscriptProgress): boolean {
  progress.emptySince ??= new Date().toISOString();
  return Date.now() - Date.parse(progress.emptySince) >= EMPTY_GRACE_MS;
}

function textToKeep(file: Download): string | CondensedText {
  if (!file.ready) return '';
  return file.text ?? condensed(file);
}

/** A project takes less at once than a history. */
function textToWrite(file: Download): string | CondensedText {
  const text = textToKeep(file);
  const isTooLong = typeof text === 'string' && JSON.stringify(text).length > LONGEST_TEXT_WRITTEN;
  return file.ready && isTooLong ? condensed(file) : text;
}

/** Leaves room for what is written around the text. */
const LONGEST_TEXT_WRITTEN = LONGEST_CHANGE - 5_000;

function condensed({ size, digest, fetch }: CondensedText): CondensedText {
  return { size, digest, fetch };
}

class Transcript extends RecordJob {
  readonly tool = 'transcript';
  readonly noun = 'transcript';
  readonly kind = 'transcription';
  readonly name: string;
  readonly requestName: string;
  readonly settings: PollTimes;
  readonly progress: TranscriptProgress;
  readonly format: SubtitleFormat;
  stage: TranscriptStage;

  constructor(readonly input: TranscriptInput) {
    super();
    this.settings = readSettings(validateTranscriptInput(input), (reader) => pollTimes(input.poll, reader));
    const { key, carried } = input;
    this.name = `transcript ${key}`;
    this.requestName = transcriptWorkflowId(key);
    refuseUnsafeStart(key, this.requestName, input);
    // Other languages write null for what they leave out.
    this.format = input.format ?? 'srt';
    this.progress = {
      ...startRecordProgress(input),
      doneAt: carried?.doneAt ?? null,
      emptySince: carried?.emptySince ?? null,
    };
    this.stage = firstStage(this.progress);
  }

  get id(): string {
    return this.input.transcriptionId;
  }

  facts(): { transcriptionId: string; format: string } {
    return { transcriptionId: this.id, format: this.format };
  }

  details(): string {
    const { emptySince } = this.progress;
    const details = recordDetails(this, this.stage);
    if (this.stage !== 'downloading' || emptySince === null) return details;
    return lines(details, `The file is empty since ${emptySince}; if it stays so, that is the result.`);
  }

  override describe(): TranscriptState {
    const { status } = this.progress;
    const jobStatus = status === null ? null : String(status);
    return { ...super.describe(), ...this.facts(), format: this.format, stage: this.stage, jobStatus };
  }
}

function firstStage({ end, hold, doneAt }: TranscriptProgress): TranscriptStage {
  if (end) return 'writing';
  if (hold) return 'overdue';
  return doneAt === null ? 'polling' : 'downloading';
}

function start(input: TranscriptInput): Transcript {
  const job = new Transcript(input);
  setHandler(transcriptStateQuery, () => job.describe(), {
    description: 'What this transcript is doing: stage, hold, status of the transcription, polls.',
  });
  handleDecisions(job);
  handlePollNow(job, transcriptPollNowUpdate, () => job.describe());
  handleListeners(job);
  showStart(job);
  return job;
}
