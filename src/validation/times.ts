/** The durations of an input in milliseconds, once its rules have found no problem. Part of the workflow bundle. */
import { DEFAULT_POLL, DEFAULT_SUBMIT, type JobSettings, type PollSettings } from '../contract';
import { msOf } from '../contract/durations';
import { withoutNulls } from './rules';

export interface PollTimes {
  pollMin: number;
  pollMax: number;
  deadline: number;
  giveUp: number;
}

export interface JobTimes extends PollTimes {
  submitTimeout: number;
  authGrace: number;
}

export function jobTimes({ poll, submit }: JobSettings): JobTimes {
  const { timeout, authGrace } = { ...DEFAULT_SUBMIT, ...withoutNulls(submit ?? {}) };
  return { ...pollTimes(poll), submitTimeout: msOf(timeout), authGrace: msOf(authGrace) };
}

export function pollTimes(given: Partial<PollSettings> | null | undefined): PollTimes {
  const { min, max, deadline, giveUp } = { ...DEFAULT_POLL, ...withoutNulls(given ?? {}) };
  return { pollMin: msOf(min), pollMax: msOf(max), deadline: msOf(deadline), giveUp: msOf(giveUp) };
}
