/** Runs that are asked for by other languages, the `temporal` command, the UI, and callers through Nexus. */
import { type CampaignSpec } from './campaigns';
import { type MediaInput } from './media';
import { type RecordInput, type TranscriptInput } from './records';
import { type ScheduledBatch } from './schedules';
import { type JobSettings } from './settings';

export const MEDIA_REQUEST_WORKFLOW = 'mediaRequest';
export const RUN_REQUEST_WORKFLOW = 'runRequest';

/** Without a key, its key is a digest of scope, tool and request. */
export type MediaRequestInput = Omit<MediaInput, 'key' | 'held' | 'reportTo' | 'carried'> & { key?: string };

export interface RequestSpecs {
  media: MediaRequestInput;
  transcript: Omit<TranscriptInput, 'reportTo' | 'carried' | 'key'> & { key?: string };
  record: Omit<RecordInput, 'reportTo' | 'carried'>;
  campaign: CampaignSpec & JobSettings;
  batch: ScheduledBatch & JobSettings & { key: string };
}

export type RequestKind = keyof RequestSpecs;

export type RunRequest = { [Kind in RequestKind]: { kind: Kind; spec: RequestSpecs[Kind] } }[RequestKind];

export interface RequestedRun {
  workflowId: string;
  /** It ended before it was asked to report its end. */
  isOver: boolean;
}
