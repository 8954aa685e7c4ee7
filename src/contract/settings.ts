/** Time limits, and how often the service is polled. */
import { type Duration } from './durations';

export interface PollSettings {
  min: Duration;
  max: Duration;
  /** After this the run is `overdue`, and polls more slowly. */
  deadline: Duration;
  /** After this the run fails, with the task id in the failure. */
  giveUp: Duration;
}

export interface SubmitSettings {
  /** Of the POST. */
  timeout: Duration;
  /** How long 401 and 403 are retried: keys get rotated. */
  authGrace: Duration;
}

export interface JobSettings {
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
}

export interface Continued<Progress> {
  /** The state of the run before; only continue-as-new sets it. */
  carried?: Progress;
}

export const DEFAULT_POLL: PollSettings = { min: '15s', max: '20s', deadline: '1h', giveUp: '7d' };
export const DEFAULT_SUBMIT: SubmitSettings = { timeout: '60s', authGrace: '1h' };

/** A submit activity may take this much longer than its POST, to record the outcome. */
export const RECORDING_MARGIN_MS = 10_000;

/** Shows a dead worker long before the limit of the POST. Each heartbeat is a billed action. */
export const HEARTBEAT_EVERY_MS = 3_000;
export const HEARTBEAT_TIMEOUT_MS = 10_000;

/** Of an activity that writes projects: two calls, and what comes after them. */
export const LONGEST_WRITE_MS = 80_000;

/** Of every call except a submit. */
export const LONGEST_CALL_MS = 30_000;
