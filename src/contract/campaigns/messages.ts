/** What is said to a campaign, by people and by its jobs. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  type AddMediaOrder,
  type CampaignDecision,
  type CampaignDecisionReceipt,
  type CampaignReceipt,
  type PauseOrder,
} from './decisions';
import { type CampaignStatus } from './run';

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
