/** Records of the service that are polled until they end: transcriptions, assets, runs, videos. */
import { type PolledKind, type RecordStatus } from '../api/endings';
import { type Scope } from '../api/scope';
import {
  type DeliveredResult,
  type JobResult,
  type MediaProgress,
  type MediaStage,
  type PolledState,
  type Reporting,
} from './media';
import { type Continued, type PollSettings } from './settings';
import { type NotifyTarget, type WriteTarget } from './targets';

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

export interface TranscriptInput extends Reporting, Continued<TranscriptProgress> {
  key: string;
  transcriptionId: string;
  /** Default: `srt`. */
  format?: SubtitleFormat;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  write?: WriteTarget;
  notify?: NotifyTarget;
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

export interface RecordInput extends Reporting, Continued<RecordProgress> {
  kind: RecordKind;
  id: string;
  /** More statuses that count as failed. */
  failOn?: RecordStatus[];
  scope?: Scope;
  poll?: Partial<PollSettings>;
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
