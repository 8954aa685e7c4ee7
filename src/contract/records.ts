/** Records of the service that are followed to their end: transcriptions, assets, runs, videos. */
import { type PolledKind, type RecordStatus } from '../api/endings';
import { type Scope } from '../api/scope';
import { type JobResult, type PolledState, type Progress, type ToldResult } from './media';
import { type Continued, type PollSettings } from './settings';
import { type NotifyTarget, type WriteTarget } from './targets';

export const TRANSCRIPT_WORKFLOW = 'transcript';

export const SUBTITLE_FORMATS = ['srt', 'vtt'] as const;
export type SubtitleFormat = (typeof SUBTITLE_FORMATS)[number];

/** What is known of something that is asked after again and again, in every workflow that does so. */
export type FollowProgress = Pick<
  Progress,
  'number' | 'hold' | 'decisions' | 'polls' | 'pollingSince' | 'missingSince' | 'listeners' | 'reset' | 'end'
>;

/** The same of a record of the service. */
export interface RecordProgress extends FollowProgress {
  /** What the service said last, known to Segue or not; null as long as it said nothing. */
  status: RecordStatus | null;
}

export interface TranscriptProgress extends RecordProgress {
  /** When the service said that it is done; from then on its file is downloaded. */
  doneAt: string | null;
  /** Since when the service says that it is done, and gives an empty file. */
  emptySince: string | null;
}

export interface TranscriptInput extends Continued<TranscriptProgress> {
  key: string;
  transcriptionId: string;
  /** Default: `srt`. */
  format?: SubtitleFormat;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  write?: WriteTarget;
  notify?: NotifyTarget;
  /** The run that this one is for; it is told of each stage by signal `jobNews`. */
  reportTo?: string;
}

/** Stands for a text that is too long to keep: what it was, and how to get it. */
export interface CondensedText {
  /** In bytes. */
  size: number;
  /** `sha256:…`, of the text as UTF-8. */
  digest: string;
  /** The command that fetches it. */
  fetch: string;
}

export interface TranscriptResult extends ToldResult {
  transcriptionId: string;
  format: SubtitleFormat;
  text: string | CondensedText;
  /** There where the service is done and its file is empty all the same. */
  empty?: true;
}

/** Where a run is that follows a record; at its end, how it ended. */
export type RecordStage = 'polling' | 'overdue' | 'succeeded' | 'failed' | 'abandoned' | 'cancelled';
export type TranscriptStage = RecordStage | 'downloading' | 'writing' | 'notifying';

/** Answer of the `state` query of a transcript. */
export interface TranscriptState extends PolledState<TranscriptStage> {
  transcriptionId: string;
  format: SubtitleFormat;
  /** As the service said it last; one that Segue does not know means that it still runs. */
  jobStatus: string | null;
}

export const RECORD_WORKFLOW = 'record';

export const RECORD_KINDS = ['asset', 'run', 'video'] as const satisfies PolledKind[];
/** What can be waited for as it is: an asset, a workflow run of the service, a video. */
export type RecordKind = (typeof RECORD_KINDS)[number];

export interface RecordInput extends Continued<RecordProgress> {
  kind: RecordKind;
  id: string;
  /** Statuses that end the wait as failed, beside those that the service has for that. */
  failOn?: RecordStatus[];
  scope?: Scope;
  poll?: Partial<PollSettings>;
  /** The key of the campaign whose wait this is; others wait for the same record by other rules. */
  campaign?: string;
  /** The run that this one is for; it is told of each stage by signal `jobNews`. */
  reportTo?: string;
}

export interface RecordResult extends JobResult {
  kind: RecordKind;
  id: string;
  recordStatus: RecordStatus;
  /** The record as the service gave it. */
  record: unknown;
}

/** Answer of the `state` query of a wait. */
export interface RecordState extends PolledState<RecordStage> {
  kind: RecordKind;
  id: string;
  /** As the service said it last; one that Segue does not know means that it still runs. */
  recordStatus: RecordStatus | null;
}
