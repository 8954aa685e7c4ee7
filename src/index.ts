/** What a backend team imports. */
export { SegueClient } from './client';
export { Batch } from './client/batch';
export { BatchesClient, type BatchPartition, type BatchSpec } from './client/batches';
export { Campaign, type CampaignDecisionAnswer } from './client/campaign';
export { type CampaignEntry, type CampaignFilter, CampaignsClient } from './client/campaigns';
export { campaignJsonSchema } from './client/campaignSchema';
export { problemsOfCampaignSpec } from './client/campaignSpec';
export { readCampaignSpec } from './client/campaignText';
export { ConfigError, loadStarterConfig, type StarterConfig } from './config';
export * from './contract';
export { type DecisionAnswer, type DecisionMade } from './client/deciding';
export {
  DecisionRefusedError,
  InvalidInputError,
  KeyReusedError,
  NoAnswerError,
  NoSuchJobError,
  NoSuchScheduleError,
  NotRepeatedError,
  NoTimezoneError,
  NotSetUpError,
  ScheduleExistsError,
} from './errors';
export { type HeldJob, type HeldList, type HeldOptions } from './client/held';
export { type Job, type JobState, MediaJob, RecordJob, TranscriptJob, type WaitOptions } from './client/job';
export { type JobEntry, type JobFilter } from './client/listing';
export { MediaClient } from './client/media';
export { OutlookRun } from './client/outlook';
export { OutlooksClient, type OutlookSpec } from './client/outlooks';
export { type PatchOptions } from './client/patchSpec';
export { type PatchReport, ProjectsClient, type ProjectsOptions } from './client/projects';
export { RecordsClient } from './client/records';
export { type RecordSpec } from './client/recordSpec';
export { type Remains } from './client/remains';
export { type JobReport, type JobStatus } from './client/report';
export { type MediaSpec } from './client/spec';
export {
  type FiringReport,
  type KeptSchedule,
  type ScheduleEntry,
  type ScheduleReport,
} from './client/scheduleReport';
export { type CreatedSchedule, SchedulesClient } from './client/schedules';
export { type ScheduleOptions } from './client/scheduleSpec';
export { TranscriptsClient } from './client/transcripts';
export { type TranscriptSpec } from './client/transcriptSpec';
