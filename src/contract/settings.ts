/** How long things may take, and how often the service is asked. */
import { type Duration } from './durations';

export interface PollSettings {
  min: Duration;
  max: Duration;
  /** After this long without an end the run is `overdue`: it says so and polls more slowly. */
  deadline: Duration;
  /** After this long the run ends as failed, with the task id in the failure. */
  giveUp: Duration;
}

export interface SubmitSettings {
  /** How long the service may take to answer the POST. */
  timeout: Duration;
  /** How long 401 and 403 are waited out before the job fails: keys get rotated. */
  authGrace: Duration;
}

export const DEFAULT_POLL: PollSettings = { min: '15s', max: '20s', deadline: '1h', giveUp: '7d' };
export const DEFAULT_SUBMIT: SubmitSettings = { timeout: '60s', authGrace: '1h' };

/** How much longer a submit activity may take than its POST, so that the outcome is recorded. */
export const RECORDING_MARGIN_MS = 10_000;

/**
 * A submit shows this often that its worker lives, so that a dead one is noticed long before the POST's limit. Each
 * heartbeat is a write at the server and a billed action.
 */
export const HEARTBEAT_EVERY_MS = 3_000;
export const HEARTBEAT_TIMEOUT_MS = 10_000;

/** No call but a submit takes longer than this; most have less, by their activity's own limit. */
export const LONGEST_CALL_MS = 30_000;

/** Requests to projects that one worker sends at once, and the largest project that it writes. */
export const DEFAULT_WRITES = { maxWrites: 50, maxProjectMiB: 8 };

/** Who is told that something needs a person. */
export interface Operator {
  userId: string;
  workspaceId: string;
}
