/**
 * What other languages read and send. `npm run schemas` makes messages.json of these types, and `segue schema NAME` prints
 * each. The inputs of workflows are not here: their schemas come from the rules that check them.
 */
import { type BatchItemResult, type BatchResult, type BatchStatus } from './batches';
import {
  type AddMediaOrder,
  type CampaignDecision,
  type CampaignDecisionReceipt,
  type CampaignReceipt,
  type CampaignResult,
  type CampaignStatus,
  type JobNews,
} from './campaigns';
import { type Decision, type DecisionReceipt, type PauseOrder, type PollNow } from './holds';
import { type MediaResult, type MediaState } from './media';
import { type OutlookResult } from './outlook';
import {
  type ChangeRequest,
  type ChangeRequests,
  type ProjectWriterState,
  type UpdateOutcome,
  type WriterReply,
} from './projects';
import { type RecordResult, type RecordState, type TranscriptResult, type TranscriptState } from './records';

export interface Messages {
  /** result of `media` and `mediaRequest` */
  'media.result': MediaResult;
  /** answer of the query `state` of `media` */
  'media.state': MediaState;
  /** input of the update `resolve` of `media`, `transcript` and `record` */
  resolve: Decision;
  /** answer of the update `resolve` */
  'resolve.answer': DecisionReceipt;
  /** input of the update `pollNow` of `media`, `transcript` and `record` */
  pollNow: PollNow;
  /** input of the signal `reportTo`: the run that gets the end of this one by the signal `jobNews` */
  reportTo: { workflowId: string };
  /** what the signal `jobNews` brings */
  jobNews: JobNews;
  /** result of `transcript` */
  'transcript.result': TranscriptResult;
  /** answer of the query `state` of `transcript` */
  'transcript.state': TranscriptState;
  /** result of `record` */
  'record.result': RecordResult;
  /** answer of the query `state` of `record` */
  'record.state': RecordState;
  /** result of `campaign` */
  'campaign.result': CampaignResult;
  /** answer of the query `status` of `campaign` */
  'campaign.status': CampaignStatus;
  /** input of the update `decide` of `campaign` */
  'campaign.decide': CampaignDecision;
  /** answer of the update `decide` */
  'campaign.decide.answer': CampaignDecisionReceipt;
  /** input of the updates `pause` and `resume` of `campaign` */
  'campaign.pause': PauseOrder;
  /** input of the update `addMedia` of `campaign` */
  'campaign.addMedia': AddMediaOrder;
  /** answer of the updates `pause`, `resume` and `addMedia` of `campaign` */
  'campaign.receipt': CampaignReceipt;
  /** result of `batch` */
  'batch.result': BatchResult;
  /** answer of the query `status` and of the updates of `batch` */
  'batch.status': BatchStatus;
  /** input of the updates `pause`, `resume` and `cancel` of `batch` */
  'batch.pause': PauseOrder;
  /** input of the update `concurrency` of `batch` */
  'batch.concurrency': PauseOrder & { concurrency: number };
  /** answer of the query `results` of `batchPart` */
  'batchPart.results': BatchItemResult[];
  /** result of `outlook` */
  'outlook.result': OutlookResult;
  /** input of the signal `changes` of `projectWriter` */
  'project.changes': ChangeRequests;
  /** input of the update `change` of `projectWriter` */
  'project.change': ChangeRequest;
  /** answer of the update `change` */
  'project.change.answer': UpdateOutcome;
  /** what the signal `changed` brings to the run that asked for changes */
  'project.changed': WriterReply;
  /** answer of the query `state` of `projectWriter` */
  'project.state': ProjectWriterState;
}
