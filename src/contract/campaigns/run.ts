/** A campaign's run: what it takes, where it is, what it gives back. */
import { type ChangeOutcome, type NoticeOutcome } from '../targets';
import { type PollSettings, type SubmitSettings } from '../settings';
import { type ApprovalRound, type CampaignDecisionTaken, type CampaignPause } from './decisions';
import { type ResearchSummary, type WorkspaceClock } from './findings';
import { type CampaignMedia, type CampaignSpec } from './spec';
import { type CampaignJob, type CampaignStage } from './stages';

export const CAMPAIGN_WORKFLOW = 'campaign';

/** The spec, and what only starters set. */
export interface CampaignInput extends CampaignSpec {
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: CampaignProgress;
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
