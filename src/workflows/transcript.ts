import {
  type CondensedText,
  type Download,
  LONGEST_CALL_MS,
  type SubtitleFormat,
  type TranscriptInput,
  type TranscriptProgress,
  type TranscriptResult,
  type TranscriptStage,
  type TranscriptState,
} from '../contract';
import { LONGEST_CHANGE } from '../contract/changes';
import { downloadRequestId, transcriptWorkflowId } from '../contract/ids';
import { validateTranscriptInput } from '../validation/inputs';
import { pollTimes, type PollTimes } from '../validation/times';
import { endOf, notifyEnd, resultOf, runJob, type Success, writeEnd } from './steps/finish';
import { refuseUnsafeStart, requireInput } from './lib/refuse';
import { pollUntil } from './steps/poll';
import { pollRecord, RecordJob, startRecordProgress } from './steps/records';
import { setStage } from './steps/visibility';

/** The file may come a little later than the status that announces it; after this long, empty is the result. */
const EMPTY_GRACE_MS = 5 * 60_000;

/** One transcript: poll until the transcription is done, download its subtitles, write them, notify their user. */
export async function transcript(input: TranscriptInput): Promise<TranscriptResult> {
  const job = new Transcript(input);
  return runJob(job, async () => {
    const end = await endOf(job, () => pollAndDownload(job));
    const written = await writeEnd(job, end);
    const notified = await notifyEnd(job, end, written);
    return { ...resultOf(job, end, written), written, notified };
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
    // The download has its own deadline.
    progress.pollingSince = null;
  }
  const file = await download(job);
  const finishedAt = new Date().toISOString();
  const known = { key, transcriptionId, format, ...(file.ready ? {} : { empty: true as const }), finishedAt };
  return {
    value: { ...known, text: textOf(file, LONGEST_TEXT_WRITTEN) },
    result: { ...known, status: 'succeeded', text: textOf(file), polls: progress.polls },
  };
}

function download(job: Transcript): Promise<Download> {
  const { progress, input, requestName, format } = job;
  // A run that continues an overdue one stays overdue.
  if (!progress.hold) setStage(job, 'downloading');
  return pollUntil<Download>(job, {
    immediate: true,
    timeoutMs: LONGEST_CALL_MS,
    get: (activities, n) => {
      const { transcriptionId, scope } = input;
      const requestId = downloadRequestId(requestName, n);
      return activities.downloadSubtitles({ transcriptionId, format, scope, requestId });
    },
    isOver: ({ ready }) => ready || isEmptyForGood(progress),
    // The transcription is known, so a 404 is like any other failed download.
    onNotFound: () => undefined,
  });
}

function isEmptyForGood(progress: TranscriptProgress): boolean {
  progress.emptySince ??= new Date().toISOString();
  return Date.now() - Date.parse(progress.emptySince) >= EMPTY_GRACE_MS;
}

/** Leaves room for what is written around the text. */
const LONGEST_TEXT_WRITTEN = LONGEST_CHANGE - 5_000;

function textOf(file: Download, longest = Infinity): string | CondensedText {
  if (!file.ready) return '';
  const { text, size, digest, fetch } = file;
  return text !== null && JSON.stringify(text).length <= longest ? text : { size, digest, fetch };
}

class Transcript extends RecordJob {
  readonly tool = 'transcript';
  readonly noun = 'transcript';
  readonly kind = 'transcription';
  readonly name: string;
  readonly settings: PollTimes;
  readonly progress: TranscriptProgress;
  readonly format: SubtitleFormat;
  stage: TranscriptStage;

  constructor(readonly input: TranscriptInput) {
    super();
    requireInput(validateTranscriptInput(input));
    this.settings = pollTimes(input.poll);
    const { key, carried } = input;
    this.name = `transcript ${key}`;
    refuseUnsafeStart(key, transcriptWorkflowId(key), input);
    // Other languages write null for what they leave out.
    this.format = input.format ?? 'srt';
    this.progress = { doneAt: null, emptySince: null, ...carried, ...startRecordProgress(input) };
    this.stage = firstStage(this.progress);
  }

  get id(): string {
    return this.input.transcriptionId;
  }

  facts(): { transcriptionId: string; format: string } {
    return { transcriptionId: this.id, format: this.format };
  }

  override describe(): TranscriptState {
    const { status } = this.progress;
    const jobStatus = status === null ? null : String(status);
    return { ...super.describe(), ...this.facts(), format: this.format, stage: this.stage, jobStatus };
  }
}

function firstStage({ hold, doneAt }: TranscriptProgress): TranscriptStage {
  if (hold) return 'overdue';
  return doneAt === null ? 'polling' : 'downloading';
}
