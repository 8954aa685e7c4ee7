/** Records of the service that are polled until they end: transcriptions, assets, runs, videos. */
import { type PolledKind, type RecordStatus } from '../api/endings';
import {
  type DeliveredResult,
  type JobResult,
  type MediaInput,
  type MediaProgress,
  type MediaStage,
  type PolledState,
  type Reporting,
} from './media';
import { type Continued } from './settings';

export const TRANSCRIPT_WORKFLOW = 'transcript';

export const SUBTITLE_FORMATS = ['srt', 'vtt'] as const;
export type SubtitleFormat = (typeof SUBTITLE_FORMATS)[number];

/** Of every workflow that polls. */
export type JobProgress = Pick<
  MediaProgress,
  'number' | 'hold' | 'decisions' | 'polls' | 'pollingSince' | 'missingSince' | 'listeners' | 'reset'
>;

export interface RecordProgress extends JobProgress {
  /** The last one, known to Segue or not. */
  status: RecordStatus | null;
}

export interface TranscriptProgress extends RecordProgress {
  /** From then on its file is downloaded. */
  doneAt: string | null;
  /** Since when the service gives an empty file of a transcription that is done. */
  emptySince: string | null;
}

export interface TranscriptInput
  extends
    Pick<MediaInput, 'key' | 'scope' | 'poll' | 'write' | 'notify'>,
    Reporting,
    Continued<TranscriptProgress> {
  transcriptionId: string;
  /** Default: `srt`. */
  format?: SubtitleFormat;
}

export interface CondensedText {
  /** In bytes. */
  size: number;
  /** `sha256:…`, of the UTF-8. */
  digest: string;
  fetch: string;
}

export interface TranscriptResult extends DeliveredResult {
  transcriptionId: string;
  format: SubtitleFormat;
  text: string | CondensedText;
  empty?: true;
}

export type RecordStage = 'polling' | 'overdue' | 'succeeded' | 'failed' | 'abandoned' | 'cancelled';
export type TranscriptStage = RecordStage | 'downloading' | 'writing' | 'notifying' | 'unsaved';
/** Of every workflow that polls. */
export type JobStage = MediaStage | TranscriptStage;

export interface TranscriptState extends PolledState<TranscriptStage> {
  transcriptionId: string;
  format: SubtitleFormat;
  /** An unknown status means that it still runs. */
  jobStatus: string | null;
}

export const RECORD_WORKFLOW = 'record';

export const RECORD_KINDS = ['asset', 'run', 'video'] as const satisfies PolledKind[];
export type RecordKind = (typeof RECORD_KINDS)[number];

export interface RecordInput
  extends Pick<MediaInput, 'scope' | 'poll'>, Reporting, Continued<RecordProgress> {
  kind: RecordKind;
  id: string;
  /** More statuses that count as failed. */
  failOn?: RecordStatus[];
  /** The key of the campaign whose wait this is. */
  campaign?: string;
}

export interface RecordResult extends JobResult {
  kind: RecordKind;
  id: string;
  recordStatus: RecordStatus;
  record: unknown;
}

export interface RecordState extends PolledState<RecordStage> {
  kind: RecordKind;
  id: string;
  /** An unknown status means that it still runs. */
  recordStatus: RecordStatus | null;
}
