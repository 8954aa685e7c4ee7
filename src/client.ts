/** What a backend team imports. */
import { type SegueWorker, type SegueWorkerOptions } from './worker';

export { SegueClient } from './client/segueClient';
export { Batch } from './client/batches/batch';
export { type LeftItems } from './client/batches/again';
export {
  BatchesClient,
  type BatchPartition,
  type BatchRepeat,
  type BatchSpec,
  type ManifestBatchSpec,
} from './client/batches';
export { type ManifestWarning } from './client/batches/manifest';
export { type ResultWithFiles } from './client/batches/files';
export { type FilePlace, type SavedFile } from './client/files';
export { type KeptResults } from './client/batches/kept';
export { type MissingResults, type ResultsOptions } from './client/batches/results';
export { type BatchEntry, type BatchFilter } from './client/batches/listing';
export { Campaign, type CampaignDecisionAnswer } from './client/campaigns/campaign';
export { type CampaignEntry, type CampaignFilter, CampaignsClient } from './client/campaigns';
export { campaignJsonSchema } from './client/campaigns/schema';
export { outlookJsonSchema } from './client/outlooks/schema';
export { scheduleJsonSchema } from './client/schedules/schema';
export { problemsOfCampaignSpec } from './client/campaigns/spec';
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
export { OutlookRun } from './client/outlooks/outlook';
export { OutlooksClient, type OutlookSpec } from './client/outlooks';
export { type PatchOptions } from './client/projects/patchSpec';
export { type PatchReport, ProjectsClient, type ProjectsOptions } from './client/projects';
export { RecordsClient } from './client/jobs/records';
export { type RecordSpec } from './client/jobs/recordSpec';
export { type Remains } from './client/jobs/remains';
export { type JobReport, type JobStatus } from './client/report';
export { type MediaSpec } from './client/jobs/mediaSpec';
export {
  type FiringReport,
  type KeptSchedule,
  type ScheduleEntry,
  type ScheduleReport,
} from './client/schedules/report';
export { type CreatedSchedule, SchedulesClient } from './client/schedules';
export { type ShownOverlap } from './client/schedules/policies';
export { type ScheduleOptions } from './client/schedules/spec';
export { TranscriptsClient } from './client/jobs/transcripts';
export { type TranscriptSpec } from './client/jobs/transcriptSpec';
export { type SegueWorker, type SegueWorkerOptions };

/** A worker in a process of the team's own. It is loaded when it is made: who only starts jobs needs no native library. */
export async function createSegueWorker(options: SegueWorkerOptions): Promise<SegueWorker> {
  const worker = await import('./worker.js');
  return worker.createSegueWorker(options);
}
