/** The client of the service, for code that calls it without Temporal. */
export * from './client';
export { Credential } from './credential';
export * from './errors';
export { type ServiceLayout } from './operation';
export { type NotifyOutcome, type SubmitOutcome } from './outcomes';
export { type Scope } from './scope';
