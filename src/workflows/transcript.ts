import { setHandler } from '@temporalio/workflow';
import { LONGEST_CHANGE } from '../contract/changes';
import {
  type CondensedText,
  type Download,
  type SubtitleFormat,
  type TranscriptInput,
  type TranscriptProgress,
  transcriptPollNowUpdate,
  type TranscriptResult,
  type TranscriptStage,
  type TranscriptState,
  transcriptStateQuery,
} from '../contract';
import { transcriptWorkflowId } from '../contract/ids';
import { handleDecisions } from './steps/decisions';
import { download, type Downloading } from './steps/download';
import { endingWell, type Success } from './steps/ending';
import { atStart } from './steps/following';
import { describeHold } from './steps/question';
import { followRecord, lastWordsOf, startRecordProgress } from './steps/records';
import { recordDetails } from './steps/recordWords';
import { handleListeners } from './lib/reporting';
import { readTranscriptSettings } from './steps/settings';
import { showStart } from './steps/visibility';
import { refuseUnsafeStart } from './steps/start';
import { handlePollNow } from './steps/watch';
import { lines } from './steps/words';

/** One transcript: wait until the transcription is done, download its subtitles, keep them and tell their user. */
export async function transcript(input: TranscriptInput): Promise<TranscriptResult> {
  const run = startTranscript(input);
  setHandler(transcriptStateQuery, () => describe(run), {
    description: 'What this transcript is doing: stage, hold, status of the transcription, polls.',
  });
  handleDecisions(run);
  handlePollNow(run, transcriptPollNowUpdate, () => describe(run));
  handleListeners(run);
  showStart(run);
  return endingWell(run, () => runTranscript(run));
}

interface Transcript extends Downloading {
  readonly input: TranscriptInput;
  readonly format: SubtitleFormat;
  stage: TranscriptStage;
}

async function runTranscript(
  run: Transcript,
): Promise<Success<Omit<TranscriptResult, 'written' | 'notified'>>> {
  const { input, progress, format } = run;
  const { key, transcriptionId } = input;
  if (progress.doneAt === null) {
    // Never by its task, which tracks the submission and may report success long before.
    await followRecord(run, { kind: 'transcription', id: transcriptionId });
    progress.doneAt = new Date().toISOString();
    // The file has a deadline of its own.
    progress.pollingSince = null;
  }
  const file = await download(run, { transcriptionId, format });
  const finishedAt = new Date().toISOString();
  const known = { key, transcriptionId, format, ...(file.ready ? {} : { empty: true as const }), finishedAt };
  return {
    value: { ...known, text: textToWrite(file) },
    result: { ...known, status: 'succeeded', text: textToKeep(file), polls: progress.polls },
  };
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

function startTranscript(input: TranscriptInput): Transcript {
  const settings = readTranscriptSettings(input);
  const { key, transcriptionId, format = 'srt', carried } = input;
  refuseUnsafeStart(key, transcriptWorkflowId(key), input);
  const progress: TranscriptProgress = {
    ...startRecordProgress(input),
    doneAt: carried?.doneAt ?? null,
    emptySince: carried?.emptySince ?? null,
  };
  const run: Transcript = {
    ...atStart(),
    ...{ input, settings, progress, format },
    stage: firstStage(progress),
    subject: {
      tool: 'transcript',
      noun: 'transcript',
      name: `transcript ${key}`,
      kind: 'transcription',
      id: () => transcriptionId,
      inFull: () => `transcription ${transcriptionId} of transcript ${key}`,
      requestName: transcriptWorkflowId(key),
      facts: () => ({ transcriptionId, format }),
      details: () => detailsOf(run),
      lastWords: () => lastWordsOf(run),
    },
  };
  return run;
}

function firstStage({ end, hold, doneAt }: TranscriptProgress): TranscriptStage {
  if (end) return 'writing';
  if (hold) return 'overdue';
  return doneAt === null ? 'polling' : 'downloading';
}

function detailsOf(run: Transcript): string {
  const { emptySince } = run.progress;
  const details = recordDetails(run, run.stage);
  if (run.stage !== 'downloading' || emptySince === null) return details;
  return lines(details, `The file is empty since ${emptySince}; if it stays so, that is the result.`);
}

function describe(run: Transcript): TranscriptState {
  const { input, format, progress, stage, nextPollAt, lastError } = run;
  const { decisions, polls, status } = progress;
  return {
    key: input.key,
    transcriptionId: input.transcriptionId,
    format,
    stage,
    hold: describeHold(run),
    jobStatus: status === null ? null : String(status),
    decisions,
    polls,
    nextPollAt,
    lastError,
  };
}
