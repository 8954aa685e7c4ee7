import { type Settings } from './settings';

/** How much a worker sends, and what it does not send at all. */
export interface SendLimits {
  /** POSTs of one worker that are on the wire at once. */
  maxSubmits: number;
  /** POSTs a second that the task queue hands out, to all workers together. */
  maxSubmitRate?: number;
  /** What was ordered before this moment is not sent. */
  holdBefore?: Date;
}

const MOST_SUBMITS = 10_000;

export const DEFAULT_LIMITS: SendLimits = { maxSubmits: 100 };

export function readLimits(settings: Settings): SendLimits {
  return {
    maxSubmits: settings.wholeNumber('SEGUE_MAX_SUBMITS', DEFAULT_LIMITS.maxSubmits, MOST_SUBMITS),
    maxSubmitRate: settings.rate('SEGUE_MAX_SUBMIT_RPS'),
    holdBefore: settings.time('SEGUE_HOLD_SUBMITS_BEFORE'),
  };
}
