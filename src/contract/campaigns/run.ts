/** A campaign's run: what it takes, where it is, what people tell it and decide, what it gives back. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type Continued, type JobSettings } from '../settings';
import { type ChangeOutcome, type NoticeOutcome } from '../targets';
import { type ResearchSummary, type WorkspaceClock } from './activities';
import { type CampaignMedia, type CampaignSpec } from './spec';

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

/** Answer to an order: small, since a history keeps each of them. */
export interface CampaignReceipt {
  stage: CampaignStage;
  paused: CampaignPause | null;
}

export interface PauseOrder {
  by: string;
  reason?: string;
}

export interface AddMediaOrder extends CampaignMedia {
  name: string;
  by: string;
}

export const CAMPAIGN_WORKFLOW = 'campaign';

/** The spec, and what only starters set. */
export interface CampaignInput extends CampaignSpec, JobSettings, Continued<CampaignProgress> {}

/** What a campaign has done so far; all of it is handed over when a long run continues as new. */
export interface CampaignProgress {
  stage: CampaignStage;
  since: string;
  history: { stage: CampaignStage; at: string }[];
  clock: WorkspaceClock | null;
  remarks: string[];
  research: ResearchSummary | null;
  jobs: CampaignJob[];
  /** Names of jobs that signalled their end, which was not read yet. */
  ending: string[];
  /** When all open jobs are checked next, those that signal nothing included. */
  nextCheckAt: string;
  /** Media that was added to the spec while the campaign ran. */
  added: Record<string, CampaignMedia>;
  decisions: CampaignDecisionTaken[];
  approval: ApprovalRound | null;
  /** How often the approver was asked. */
  rounds: number;
  paused: CampaignPause | null;
  /** Whether the run was ever reset. Then it tells nobody anything by itself, since it may have told it before. */
  reset: boolean;
  /** Runs that are told its end. */
  listeners: string[];
}

/** Answer of the `status` query. */
export interface CampaignStatus extends Pick<
  CampaignProgress,
  'stage' | 'since' | 'history' | 'jobs' | 'paused' | 'decisions' | 'remarks'
> {
  key: string;
  /** Of the jobs that are over. */
  percent: number;
  /** What it waits for, in words, and since when; null at the end. */
  waitsFor: { what: string; since: string } | null;
  /** Whether a job is held and nothing else moves: only a person can go on. */
  held: boolean;
  approval: (ApprovalRound & { from: string }) | null;
  timezone: string | null;
  /** Why the project does not show this state yet, if so. */
  unsaved: string | null;
}

export interface CampaignResult extends Pick<
  CampaignProgress,
  'jobs' | 'research' | 'decisions' | 'remarks'
> {
  key: string;
  status: 'completed' | 'rejected' | 'expired';
  finishedAt: string;
  written: ChangeOutcome;
  /** Null where nobody was to be told. */
  notified: NoticeOutcome | null;
}

export const campaignStatusQuery = defineQuery<CampaignStatus>('status');
export const decideUpdate = defineUpdate<CampaignDecisionReceipt, [CampaignDecision]>('decide');
export const pauseUpdate = defineUpdate<CampaignReceipt, [PauseOrder]>('pause');
export const resumeUpdate = defineUpdate<CampaignReceipt, [PauseOrder]>('resume');
export const addMediaUpdate = defineUpdate<CampaignReceipt, [AddMediaOrder]>('addMedia');

/** What a job tells the campaign that it is for; what it is at its end is read from the run itself. */
export interface JobNews {
  workflowId: string;
  stage: string;
  taskId: string | null;
}

export const jobNewsSignal = defineSignal<[JobNews]>('jobNews');
/** Asks a run that somebody else started to tell its news to another one, too. */
export const reportToSignal = defineSignal<[{ workflowId: string }]>('reportTo');
