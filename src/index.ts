/** What a backend team imports. */
export { InvalidInputError, KeyReusedError, type MediaSpec, NoSuchJobError, SegueClient } from './client';
export { ConfigError, loadStarterConfig, type StarterConfig } from './config';
export * from './contract';
export { MediaJob, type WaitOptions } from './job';
export { type JobReport, type JobStatus } from './report';
