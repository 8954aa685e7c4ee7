/** What people decide about a campaign, and ask of it while it runs. */
import { type CampaignMedia } from './spec';
import { type CampaignStage } from './stages';

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
