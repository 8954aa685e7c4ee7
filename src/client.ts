/** What a backend team imports. */
export { type ConnectOptions, Segue } from './client/segue';
export { SegueClient } from './client/segueClient';
export { JobFailed, JobHeld, JobUnsaved, JobUnsuccessful } from './client/unsuccessful';
export { type LeftItems } from './client/batches/retry';
export * from './client/batches';
export { type BatchPartition } from './runs/batch/handOver';
export { type BatchSpec } from './runs/batch/start';
export { type ManifestWarning } from './runs/manifest';
export { type DownloadTarget, type ResultWithFiles, type SavedFile } from './client/files';
export { type MissingResults, type ResultsOptions } from './client/batches/results';
export * from './client/campaigns';
export { campaignJsonSchema, outlookJsonSchema, scheduleJsonSchema } from './runs/schemas';
export { validateCampaignSpec } from './runs/campaign';
export { readCampaignSpec } from './client/campaigns/text';
export { apiSettings, ConfigError, loadApiConfig, loadStarterConfig, loadWorkerConfig } from './config';
export { type ApiConfig, type StarterConfig, type WorkerConfig, type WorkerRole } from './config';
export * from './contract';
export * from './errors';
export { type HeldJob, type HeldList, type HeldOptions } from './client/jobs/held';
export { MediaJob, RecordJob, TranscriptJob } from './client/jobs/job';
export { type DecisionAnswer, type DecisionMade, type Job, type JobState } from './client/jobs/job';
export * from './client/jobs';
export { type RetryOptions } from './client/jobs/retry';
export * from './client/outlooks';
export * from './client/projects';
export { type Leftovers } from './client/jobs/leftovers';
export {
  type JobEntry,
  type JobFilter,
  type JobReport,
  type JobStatus,
  type SuccessReport,
} from './client/report';
export { type WaitOptions } from './client/run';
export { type MediaSpec } from './runs/media';
export { type RecordSpec } from './runs/record';
export { type TranscriptSpec } from './runs/transcript';
export {
  type FiringReport,
  type KeptSchedule,
  type ScheduleEntry,
  type ScheduleMemo,
  type ScheduleReport,
  type ShownOverlap,
} from './client/schedules/report';
export * from './client/schedules';
export { type ScheduleOptions } from './runs/schedule/spec';
