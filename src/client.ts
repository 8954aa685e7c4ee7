/** What a backend team imports. */
import { type SegueWorker, type SegueWorkerOptions } from './worker';

export { SegueClient } from './client/segueClient';
export { Batch } from './client/batches/batch';
export { type LeftItems } from './client/batches/retry';
export { BatchesClient, type BatchRepeat, type ManifestBatchSpec } from './client/batches';
export { type BatchPartition } from './runs/batch/checkPartitions';
export { type BatchSpec } from './runs/batch/start';
export { type ManifestWarning } from './runs/manifest';
export { type FilePlace, type ResultWithFiles, type SavedFile } from './client/files';
export { type KeptResults } from './runs/batch/retention';
export { type MissingResults, type ResultsOptions } from './client/batches/results';
export { type BatchEntry, type BatchFilter } from './client/batches/listing';
export { Campaign, type CampaignDecisionAnswer } from './client/campaigns/campaign';
export { type CampaignEntry, type CampaignFilter, CampaignsClient } from './client/campaigns';
export { campaignJsonSchema } from './runs/schemas/campaign';
export { outlookJsonSchema } from './runs/schemas/outlook';
export { scheduleJsonSchema } from './runs/schemas/schedule';
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
export { type DecisionAnswer, type DecisionMade } from './client/jobs/deciding';
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
  type Job,
  type JobState,
  MediaJob,
  RecordJob,
  TranscriptJob,
  type WaitOptions,
} from './client/jobs/job';
export { type JobEntry, type JobFilter } from './client/listing';
export { MediaClient } from './client/jobs/media';
export { type RetryOptions } from './client/jobs/retry';
export { OutlookRun } from './client/outlooks';
export { OutlooksClient, type OutlookSpec } from './client/outlooks';
export { type PatchOptions } from './client/projects';
export { type PatchReport, ProjectsClient, type ProjectsOptions } from './client/projects';
export { RecordsClient } from './client/jobs/records';
export { type RecordSpec } from './client/jobs/records';
export { type Remains } from './client/jobs/leftovers';
export { type JobReport, type JobStatus } from './client/report';
export { type MediaSpec } from './runs/media';
export {
  type FiringReport,
  type KeptSchedule,
  type ScheduleEntry,
  type ScheduleReport,
} from './client/schedules/report';
export { type CreatedSchedule, SchedulesClient } from './client/schedules';
export { type ShownOverlap } from './client/schedules/report';
export { type ScheduleOptions } from './runs/schedule/spec';
export { TranscriptsClient } from './client/jobs/transcripts';
export { type TranscriptSpec } from './client/jobs/transcripts';
export { type SegueWorker, type SegueWorkerOptions };

/** A worker in a process of the team's own. It is loaded when it is made: who only starts jobs needs no native library. */
export async function createSegueWorker(options: SegueWorkerOptions): Promise<SegueWorker> {
  const worker = await import('./worker.js');
  return worker.createSegueWorker(options);
}
