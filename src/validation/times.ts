/** Reads the durations of an input. Part of the workflow bundle. */
import { DEFAULT_POLL, DEFAULT_SUBMIT, type JobSettings, type PollSettings } from '../contract';
import { DURATION_FORM, formatDuration, parseDuration } from '../contract/durations';

/** In milliseconds. */
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

const QUICKEST_POLL_MS = 50;
const LONGEST_MS = 366 * 86_400_000;

/** Keeps the problems of what it reads. */
export class DurationReader {
  readonly problems: string[] = [];

  read(name: string, text: unknown, least: number): number {
    const ms = typeof text === 'string' ? parseDuration(text) : undefined;
    if (ms === undefined)
      this.problems.push(`${name}: ${JSON.stringify(text)} is not a duration; write ${DURATION_FORM}`);
    else if (ms < least) this.problems.push(`${name}: is under ${formatDuration(least)}`);
    else if (ms > LONGEST_MS) this.problems.push(`${name}: is over ${formatDuration(LONGEST_MS)}`);
    return ms ?? 0;
  }
}

export function jobTimes(given: JobSettings, reader: DurationReader): JobTimes {
  const submit = { ...DEFAULT_SUBMIT, ...given.submit };
  return {
    ...pollTimes(given.poll, reader),
    submitTimeout: reader.read('submit.timeout', submit.timeout, 1_000),
    authGrace: reader.read('submit.authGrace', submit.authGrace, 0),
  };
}

export function pollTimes(given: Partial<PollSettings> | undefined, reader: DurationReader): PollTimes {
  const poll = { ...DEFAULT_POLL, ...given };
  const times: PollTimes = {
    pollMin: reader.read('poll.min', poll.min, QUICKEST_POLL_MS),
    pollMax: reader.read('poll.max', poll.max, QUICKEST_POLL_MS),
    deadline: reader.read('poll.deadline', poll.deadline, 0),
    giveUp: reader.read('poll.giveUp', poll.giveUp, 0),
  };
  if (times.pollMin > times.pollMax) reader.problems.push('poll.min is longer than poll.max');
  if (times.deadline > times.giveUp) reader.problems.push('poll.deadline is longer than poll.giveUp');
  return times;
}

export function validateJobTimes(given: JobSettings): string[] {
  const reader = new DurationReader();
  jobTimes(given, reader);
  return reader.problems;
}
