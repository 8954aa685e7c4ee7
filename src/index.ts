/** What a backend team imports. */
export { type MediaSpec, SegueClient } from './client';
export { ConfigError, loadStarterConfig, type StarterConfig } from './config';
export * from './contract';
export { InvalidInputError, KeyReusedError, NoSuchJobError } from './errors';
export { type JobState, MediaJob, RecordJob, TranscriptJob, type WaitOptions } from './job';
export { type PatchOptions, type PatchReport, ProjectsClient, type ProjectsOptions } from './projects';
export { RecordsClient, type RecordSpec } from './records';
export { type JobReport, type JobStatus } from './report';
export { TranscriptsClient, type TranscriptSpec } from './transcripts';
