/** What a backend team imports. */
import { type SegueWorker, type SegueWorkerOptions } from './worker';

export { SegueClient } from './client/segueClient';
export { Batch } from './client/batches/batch';
export { type LeftItems } from './client/batches/retry';
export {
  BatchesClient,
  type BatchEntry,
  type BatchFilter,
  type BatchRepeat,
  type ManifestBatchSpec,
} from './client/batches';
export { type BatchPartition } from './runs/batch/handOver';
export { type BatchSpec } from './runs/batch/start';
export { type ManifestWarning } from './runs/manifest';
export { type FilePlace, type ResultWithFiles, type SavedFile } from './client/files';
export { type KeptResults, type MissingResults, type ResultsOptions } from './client/batches/results';
export { Campaign, type CampaignDecisionAnswer } from './client/campaigns/campaign';
export { type CampaignEntry, type CampaignFilter, CampaignsClient } from './client/campaigns';
export { campaignJsonSchema, outlookJsonSchema, scheduleJsonSchema } from './runs/schemas';
export { validateCampaignSpec } from './runs/campaign';
export { readCampaignSpec } from './client/campaigns/text';
export {
  ConfigError,
  loadStarterConfig,
  loadWorkerConfig,
  type StarterConfig,
  type WorkerConfig,
  type WorkerRole,
} from './config';
export * from './contract';
export {
  DecisionRefusedError,
  InvalidInputError,
  KeyReusedError,
  ManifestChangedError,
  ManifestNotKeptError,
  NoAnswerError,
  NoSuchJobError,
  NoSuchScheduleError,
  NotRepeatedError,
  NoTimezoneError,
  NotSetUpError,
  ScheduleExistsError,
  UnreachableAddressError,
  UnusableFileError,
} from './errors';
export { type HeldJob, type HeldList, type HeldOptions } from './client/jobs/held';
export {
  type DecisionAnswer,
  type DecisionMade,
  type Job,
  type JobState,
  MediaJob,
  RecordJob,
  TranscriptJob,
  type WaitOptions,
} from './client/jobs/job';
export { type JobEntry, type JobFilter } from './client/listing';
export {
  MediaClient,
  RecordsClient,
  type RecordSpec,
  TranscriptsClient,
  type TranscriptSpec,
} from './client/jobs';
export { type RetryOptions } from './client/jobs/retry';
export { OutlookRun, OutlooksClient, type OutlookSpec } from './client/outlooks';
export { type PatchOptions, type PatchReport, ProjectsClient, type ProjectsOptions } from './client/projects';
export { type Remains } from './client/jobs/leftovers';
export { type JobReport, type JobStatus } from './client/report';
export { type MediaSpec } from './runs/media';
export {
  type FiringReport,
  type KeptSchedule,
  type ScheduleEntry,
  type ScheduleReport,
  type ShownOverlap,
} from './client/schedules/report';
export { type CreatedSchedule, SchedulesClient } from './client/schedules';
export { type ScheduleOptions } from './runs/schedule/spec';
export { type SegueWorker, type SegueWorkerOptions };

/** Runs a worker in this process. It is loaded on demand, because a client needs no native library. */
export async function createSegueWorker(options: SegueWorkerOptions): Promise<SegueWorker> {
  const worker = await import('./worker.js');
  return worker.createSegueWorker(options);
}
