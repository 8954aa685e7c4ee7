import { type RecordStatus } from '../../api/endings';
import { type Scope } from '../../api/scope';
import { type Duration } from '../durations';
import { type SubtitleFormat } from '../records';
import { type NotifyTarget, type ProjectRef } from '../targets';

export const DEFAULT_CAMPAIGN_AT = '/campaign';
export const DEFAULT_CAMPAIGN_CONCURRENCY = 10;
export const DEFAULT_APPROVAL = { remind: '24h', expires: '7d' } as const;

/** Stands in a request for a value of another job's result: of its task's `info`, its record, its subtitles. */
export interface ResultReference {
  from: string;
  /** JSON pointer into its result. */
  at: string;
}

interface Optional {
  /** The campaign continues without it if it fails. */
  optional?: boolean;
}

export interface CampaignMedia extends Optional {
  tool: string;
  /** Any value in it may be a {@link ResultReference}. */
  request: Record<string, unknown>;
}

export interface CampaignTranscript extends Optional {
  id: string;
  format?: SubtitleFormat;
}

/** A record that somebody else makes. One of the three kinds has its id. */
export interface CampaignWait extends Optional {
  asset?: string;
  run?: string;
  video?: string;
  failOn?: RecordStatus[];
}

export interface CampaignApproval {
  from: string;
  /** Between reminders, which go out in working hours. */
  remind?: Duration;
  expires?: Duration;
}

export interface ResearchSpec {
  drafts?: { accounts: string[]; search?: string };
  activity?: string[];
  boards?: string[];
}

/** As people write it. The rules in `validation/` describe each member. */
export interface CampaignSpec {
  key: string;
  scope?: Scope;
  project: ProjectRef;
  at?: string;
  notify?: Omit<NotifyTarget, 'on'> & { progress?: boolean };
  require?: { voices?: string[]; boards?: string[] };
  research?: ResearchSpec;
  media?: Record<string, CampaignMedia>;
  transcripts?: Record<string, CampaignTranscript>;
  waits?: Record<string, CampaignWait>;
  approval?: CampaignApproval;
  concurrency?: number;
}
