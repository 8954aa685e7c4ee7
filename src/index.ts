/** What a backend team imports. */
export { type MediaSpec, SegueClient } from './client';
export { ConfigError, loadStarterConfig, type StarterConfig } from './config';
export * from './contract';
export { InvalidInputError, KeyReusedError, NoSuchJobError } from './errors';
export { MediaJob, type WaitOptions } from './job';
export { type PatchOptions, type PatchReport, ProjectsClient, type ProjectsOptions } from './projects';
export { type JobReport, type JobStatus } from './report';
