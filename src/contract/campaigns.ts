/** Campaigns: one spec, days of work, and the people who decide about it. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type RecordStatus } from '../api/endings';
import { type Scope } from '../api/scope';
import { type Duration } from '../durations';
import { type SubtitleFormat } from './records';
import { type PollSettings, type SubmitSettings } from './settings';
import { type ChangeOutcome, type NoticeOutcome, type NotifyTarget, type ProjectRef } from './targets';

export const CAMPAIGN_WORKFLOW = 'campaign';

/** Where a campaign keeps its state in the project's data, unless told. */
export const DEFAULT_CAMPAIGN_AT = '/campaign';
/** How many jobs of a campaign run side by side, unless told. */
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

/** What a campaign is asked for: the spec that people write, and what only starters set. */
export interface CampaignInput {
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
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: CampaignProgress;
}

export const CAMPAIGN_STAGES = [
  'preparing',
  'researching',
  'producing',
  'approving',
  'completed',
  'failed',
  'cancelled',
  'rejected',
  'expired',
] as const;
export type CampaignStage = (typeof CAMPAIGN_STAGES)[number];

/** `skipped`: what it builds on failed, so it never began. */
export type CampaignJobStatus =
  | 'waiting'
  | 'running'
  | 'held'
  | 'overdue'
  | 'succeeded'
  | 'failed'
  | 'abandoned'
  | 'cancelled'
  | 'terminated'
  | 'skipped';

export type CampaignJobKind = 'media' | 'transcript' | 'wait';

/** One job of a campaign, as everybody sees it. Times are ISO 8601. */
export interface CampaignJob {
  name: string;
  kind: CampaignJobKind;
  /** The run that does it; null until it has begun. */
  workflowId: string | null;
  status: CampaignJobStatus;
  since: string;
  optional: boolean;
  taskId: string | null;
  /** How often a person had it made again. */
  repeats: number;
  error: string | null;
  /** Its run was there before, and others may wait for it too: it is not cancelled with the campaign. */
  attached: boolean;
  /** The first few addresses in its result. */
  links: string[];
}

export type CampaignVerdict = 'approve' | 'reject' | 'change';

/** What somebody decides about a campaign's results. */
export interface CampaignDecision {
  decision: CampaignVerdict;
  by: string;
  comment?: string;
  /** The media jobs to make again; `change` names them. */
  jobs?: string[];
  /** Which question this answers, as `status` shows it; the open one when left out. */
  round?: number;
}

export interface CampaignDecisionTaken extends CampaignDecision {
  round: number;
  at: string;
}

/** Answer to a decision. */
export interface CampaignDecisionReceipt {
  stage: CampaignStage;
  round: number;
  /** Jobs that were made from what is now made again, and that nobody named: they stay as they are. */
  stale: string[];
}

/** A question to the approver. */
export interface ApprovalRound {
  round: number;
  askedAt: string;
  expiresAt: string;
  /** Reminders sent. */
  reminders: number;
  nextReminderAt: string | null;
}

export interface CampaignPause {
  by: string;
  reason: string;
  since: string;
}

export interface PauseOrder {
  by: string;
  reason?: string;
}

export interface AddMediaOrder extends CampaignMedia {
  name: string;
  by: string;
}

/** The clock of a workspace, for reminders and weeks. */
export interface WorkspaceClock {
  timezone: string;
  /** 1 is Monday, 7 Sunday. */
  startOfWeek: number;
  /** What was missing or unknown, and what stands for it. */
  remarks: string[];
}

/** A list that was read to its end and condensed. */
export interface ListSummary {
  count: number;
  /** The first few, each cut to a bounded text. */
  excerpt: string[];
  /** Whether there was more than is read. */
  more: boolean;
}

export interface ResearchSummary {
  at: string;
  drafts: ListSummary | null;
  /** By task id, with how often each verb occurs. */
  activity: Record<string, ListSummary & { verbs: Record<string, number> }>;
  boards: Record<string, { excerpt: string }>;
  /** What could not be read, and why. */
  remarks: string[];
}

/** What a campaign has done so far; all of it is handed over when a long run continues as new. */
export interface CampaignProgress {
  stage: CampaignStage;
  since: string;
  history: { stage: CampaignStage; at: string }[];
  clock: WorkspaceClock | null;
  remarks: string[];
  research: ResearchSummary | null;
  jobs: CampaignJob[];
  /** Media that was added to the spec while the campaign ran. */
  added: Record<string, CampaignMedia>;
  decisions: CampaignDecisionTaken[];
  approval: ApprovalRound | null;
  /** How often the approver was asked. */
  rounds: number;
  paused: CampaignPause | null;
  /** Whether the run was ever reset. Then it tells nobody anything by itself, since it may have told it before. */
  reset: boolean;
}

/** Answer of the `status` query. */
export interface CampaignStatus {
  key: string;
  stage: CampaignStage;
  since: string;
  history: { stage: CampaignStage; at: string }[];
  jobs: CampaignJob[];
  /** Of the jobs that are over. */
  percent: number;
  /** What it waits for, in words, and since when; null at the end. */
  waitsFor: { what: string; since: string } | null;
  /** Whether a job is held and nothing else moves: only a person can go on. */
  held: boolean;
  paused: CampaignPause | null;
  approval: (ApprovalRound & { from: string }) | null;
  decisions: CampaignDecisionTaken[];
  timezone: string | null;
  remarks: string[];
  /** Why the project does not show this state yet, if so. */
  unsaved: string | null;
}

export interface CampaignResult {
  key: string;
  status: 'completed' | 'rejected' | 'expired';
  jobs: CampaignJob[];
  research: ResearchSummary | null;
  decisions: CampaignDecisionTaken[];
  remarks: string[];
  finishedAt: string;
  written: ChangeOutcome;
  /** Null where nobody was to be told. */
  notified: NoticeOutcome | null;
}

export const campaignStatusQuery = defineQuery<CampaignStatus>('status');
export const decideUpdate = defineUpdate<CampaignDecisionReceipt, [CampaignDecision]>('decide');
export const pauseUpdate = defineUpdate<CampaignStatus, [PauseOrder]>('pause');
export const resumeUpdate = defineUpdate<CampaignStatus, [PauseOrder]>('resume');
export const addMediaUpdate = defineUpdate<CampaignStatus, [AddMediaOrder]>('addMedia');

/** What a job tells the campaign that it is for; what it is at its end is read from the run itself. */
export interface JobNews {
  workflowId: string;
  stage: string;
  taskId: string | null;
}

export const jobNewsSignal = defineSignal<[JobNews]>('jobNews');
/** Asks a run that somebody else started to tell its news to another one, too. */
export const reportToSignal = defineSignal<[{ workflowId: string }]>('reportTo');

export interface PrepareOrder {
  scope?: Scope;
  /** Whose tools and requests are looked at: only the service's side knows the tools. */
  media: Record<string, CampaignMedia>;
  voices: string[];
  boards: string[];
}

/** What was found before any paid work. Problems end the campaign, all at once; remarks do not. */
export interface Preparation {
  problems: string[];
  remarks: string[];
  clock: WorkspaceClock;
}

export interface ResearchOrder extends ResearchSpec {
  scope?: Scope;
}

export interface ReadEndOrder {
  workflowId: string;
  /** It said that it ends, and is waited for a little. */
  isEnding?: boolean;
  /** What others need of its result, as JSON pointers. */
  pointers?: string[];
}

/** How a run ended, read from the run itself. `gone`: the server does not know it (any more). */
export type JobEnd =
  | { is: 'open' | 'gone' }
  | {
      is: 'succeeded';
      taskId: string | null;
      links: string[];
      /** By pointer; one that leads to nothing, or to something too large, has a problem instead. */
      values: Record<string, { value: unknown } | { problem: string }>;
    }
  | { is: 'failed' | 'abandoned' | 'cancelled' | 'terminated'; taskId: string | null; error: string };

export interface WorkingTimeOrder {
  /** ISO 8601. */
  notBefore: string;
  timezone: string;
}

/** What a campaign asks of activities. */
export interface CampaignActivities {
  /** Whether everything that a campaign needs is there. */
  prepareCampaign: (order: PrepareOrder) => Promise<Preparation>;
  research: (order: ResearchOrder) => Promise<ResearchSummary>;
  readEnd: (order: ReadEndOrder) => Promise<JobEnd>;
  /** The first moment from then on in the working hours of a place: 09:00 to 18:00, Monday to Friday. ISO 8601. */
  workingTime: (order: WorkingTimeOrder) => Promise<string>;
}
