/**
 * What workflows of other teams and namespaces call. Each operation is the run of its key, so calling it twice gives one
 * run. Cancelling an operation does not cancel the run.
 */
import { operation, service } from 'nexus-rpc';
import { type BatchResult } from './batches';
import { type CampaignResult } from './campaigns';
import { type MediaResult } from './media';
import { type RecordResult, type TranscriptResult } from './records';
import { type RequestSpecs } from './requests';

export const segueService = service('segue', {
  media: operation<RequestSpecs['media'], MediaResult>(),
  transcript: operation<RequestSpecs['transcript'], TranscriptResult>(),
  record: operation<RequestSpecs['record'], RecordResult>(),
  campaign: operation<RequestSpecs['campaign'], CampaignResult>(),
  batch: operation<RequestSpecs['batch'], BatchResult>(),
});
