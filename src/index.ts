/** What a backend team imports. */
export { SegueClient } from './client';
export { ConfigError, loadStarterConfig, type StarterConfig } from './config';
export * from './contract';
export { type DecisionAnswer, type DecisionMade } from './deciding';
export {
  DecisionRefusedError,
  InvalidInputError,
  KeyReusedError,
  NoAnswerError,
  NoSuchJobError,
  NotRepeatedError,
  NotSetUpError,
} from './errors';
export { type HeldJob, type HeldList, type HeldOptions } from './held';
export { type Job, type JobState, MediaJob, RecordJob, TranscriptJob, type WaitOptions } from './job';
export { type JobEntry, type JobFilter } from './listing';
export { MediaClient } from './mediaClient';
export { type PatchOptions, type PatchReport, ProjectsClient, type ProjectsOptions } from './projects';
export { RecordsClient, type RecordSpec } from './records';
export { type Remains } from './remains';
export { type JobReport, type JobStatus } from './report';
export { type MediaSpec } from './spec';
export { TranscriptsClient, type TranscriptSpec } from './transcripts';
