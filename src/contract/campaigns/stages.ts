/** Where a campaign is, and where its jobs are. */
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
