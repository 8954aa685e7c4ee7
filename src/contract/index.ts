/**
 * What starters, workflows and activities send each other. All of it is JSON, which other languages write too: durations
 * are strings (`15s`), and times are ISO 8601.
 */
export type { PolledKind, RecordStatus } from '../api/endings';
export type { Notification } from '../api/operations/notify';
export type { NotifyOutcome, SubmitOutcome } from '../api/outcomes';
export type { Scope } from '../api/scope';
export * from './activities';
export * from './batches';
export * from './campaigns';
export * from './failures';
export * from './holds';
export * from './media';
export * from './requests';
export * from './outlook';
export * from './projects';
export * from './records';
export * from './schedules';
export * from './settings';
export * from './targets';
