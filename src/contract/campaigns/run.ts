import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type Pause, type PauseOrder } from '../holds';
import { type Continued, type JobSettings } from '../settings';
import { type ChangeOutcome, type NotificationStatus } from '../targets';
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

/** `unsaved`: it completed, and its project does not show that. */
export const LISTED_CAMPAIGN_STAGES = [...CAMPAIGN_STAGES, 'unsaved'] as const;
export type ListedCampaignStage = (typeof LISTED_CAMPAIGN_STAGES)[number];

/** `skipped`: a job that it depends on failed. */
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

export interface CampaignJob {
  name: string;
  kind: CampaignJobKind;
  workflowId: string | null;
  status: CampaignJobStatus;
  since: string;
  optional: boolean;
  taskId: string | null;
  /** How often a person asked for it again. */
  repeats: number;
  error: string | null;
  links: string[];
}

export type CampaignVerdict = 'approve' | 'reject' | 'change';

export interface CampaignDecision {
  decision: CampaignVerdict;
  by: string;
  comment?: string;
  /** Of `change`: the media jobs to make again. */
  jobs?: string[];
  /** As `status` shows it. Default: the open one. */
  round?: number;
}

export interface CampaignDecisionTaken extends CampaignDecision {
  round: number;
  at: string;
}

export interface CampaignDecisionReceipt {
  stage: CampaignStage;
  round: number;
  /** Jobs that used a result that is now made again; they stay as they are. */
  stale: string[];
}

export interface ApprovalRound {
  round: number;
  askedAt: string;
  expiresAt: string;
  reminders: number;
  nextReminderAt: string | null;
}

/** Small, because the history keeps each of them. */
export type CampaignReceipt = Pick<CampaignProgress, 'stage' | 'paused'>;

export interface AddMediaOrder extends CampaignMedia {
  name: string;
  by: string;
}

export const CAMPAIGN_WORKFLOW = 'campaign';

/** The spec, and what only starters set. */
export interface CampaignInput extends CampaignSpec, JobSettings, Continued<CampaignProgress> {}

export interface CampaignProgress {
  stage: CampaignStage;
  since: string;
  history: { stage: CampaignStage; at: string }[];
  clock: WorkspaceClock | null;
  remarks: string[];
  research: ResearchSummary | null;
  jobs: CampaignJob[];
  /** Names of jobs that signalled an end that is not read yet. */
  ending: string[];
  nextCheckAt: string;
  added: Record<string, CampaignMedia>;
  decisions: CampaignDecisionTaken[];
  approval: ApprovalRound | null;
  rounds: number;
  paused: Pause | null;
  reset: boolean;
  listeners: string[];
}

export interface CampaignStatus extends Pick<
  CampaignProgress,
  'stage' | 'since' | 'history' | 'paused' | 'decisions' | 'remarks'
> {
  key: string;
  /** `needs`: names of the jobs whose results its request uses. */
  jobs: (CampaignJob & { needs: string[] })[];
  percent: number;
  /** Null at the end. */
  waitsFor: { what: string; since: string } | null;
  /** A person must decide: a job is held and nothing else can continue. */
  held: boolean;
  approval: (ApprovalRound & { from: string }) | null;
  timezone: string | null;
  /** Why the project does not show this state yet. */
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
  notified: NotificationStatus | null;
}

export const campaignStatusQuery = defineQuery<CampaignStatus>('status');
export const decideUpdate = defineUpdate<CampaignDecisionReceipt, [CampaignDecision]>('decide');
export const pauseUpdate = defineUpdate<CampaignReceipt, [PauseOrder]>('pause');
export const resumeUpdate = defineUpdate<CampaignReceipt, [PauseOrder]>('resume');
export const addMediaUpdate = defineUpdate<CampaignReceipt, [AddMediaOrder]>('addMedia');

/** The report of a job to its listeners. They read its end from the run itself. */
export interface JobNews {
  workflowId: string;
  stage: string;
  taskId: string | null;
}

export const jobNewsSignal = defineSignal<[JobNews]>('jobNews');
/** Adds a listener to a run that somebody else started. */
export const reportToSignal = defineSignal<[{ workflowId: string }]>('reportTo');
