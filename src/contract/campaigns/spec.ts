/** The spec of a campaign: what people write. */
import { type RecordStatus } from '../../api/endings';
import { type Scope } from '../../api/scope';
import { type Duration } from '../durations';
import { type SubtitleFormat } from '../records';
import { type NotifyTarget, type ProjectRef } from '../targets';

/** Default of where a campaign keeps its state in the project's data. */
export const DEFAULT_CAMPAIGN_AT = '/campaign';
/** Default of how many jobs of a campaign run side by side. */
export const DEFAULT_CAMPAIGN_CONCURRENCY = 10;
export const DEFAULT_APPROVAL = { remind: '24h', expires: '7d' } as const;

/** Stands in a request for a value of an earlier job's result: of its task's `info`, its record, its subtitles. */
export interface ResultReference {
  /** The job's name. */
  from: string;
  /** JSON pointer into its result. */
  at: string;
}

/** A media job of a campaign. Any value in its request may be a {@link ResultReference}. */
export interface CampaignMedia {
  tool: string;
  request: Record<string, unknown>;
  /** The campaign goes on without it, should it fail. */
  optional?: boolean;
}

export interface CampaignTranscript {
  /** Of the transcription. */
  id: string;
  format?: SubtitleFormat;
  optional?: boolean;
}

/** A record that somebody else makes; exactly one of the three names it. */
export interface CampaignWait {
  asset?: string;
  run?: string;
  video?: string;
  failOn?: RecordStatus[];
  optional?: boolean;
}

export interface CampaignApproval {
  /** The user who is asked. */
  from: string;
  /** How long after the question, and after each reminder, the next one goes out, in working hours. */
  remind?: Duration;
  /** How long the answer is waited for. */
  expires?: Duration;
}

export interface DraftsSearch {
  accounts: string[];
  search?: string;
}

/** What is read of the workspace before anything is produced. */
export interface ResearchSpec {
  drafts?: DraftsSearch;
  /** Ids of tasks whose activity is read. */
  activity?: string[];
  boards?: string[];
}

/** What a campaign is asked for, as people write it. */
export interface CampaignSpec {
  key: string;
  scope?: Scope;
  project: ProjectRef;
  /** JSON pointer to the campaign's own place in the project's data. */
  at?: string;
  /** `progress`: stage changes are told too. */
  notify?: Omit<NotifyTarget, 'on'> & { progress?: boolean };
  require?: { voices?: string[]; boards?: string[] };
  research?: ResearchSpec;
  media?: Record<string, CampaignMedia>;
  transcripts?: Record<string, CampaignTranscript>;
  waits?: Record<string, CampaignWait>;
  approval?: CampaignApproval;
  /** How many jobs run side by side. */
  concurrency?: number;
}
