import { ApplicationFailure } from '@temporalio/workflow';
import { DEFAULT_POLL, DEFAULT_SUBMIT, FAILURE, type MediaInput } from '../contract';
import { DURATION_FORM, parseDuration } from '../durations';

/** The durations of a run, in milliseconds. */
export interface Settings {
  pollMin: number;
  pollMax: number;
  deadline: number;
  giveUp: number;
  submitTimeout: number;
  authGrace: number;
}

/** Fills what the starter left out and refuses what cannot be: all problems at once, before anything is sent. */
export function readSettings(input: MediaInput): Settings {
  const problems: string[] = [];
  const duration = (name: string, text: string): number => {
    const ms = typeof text === 'string' ? parseDuration(text) : undefined;
    if (ms === undefined)
      problems.push(`${name}: ${JSON.stringify(text)} is not a duration; write ${DURATION_FORM}`);
    return ms ?? 0;
  };
  const poll = { ...DEFAULT_POLL, ...input.poll };
  const submit = { ...DEFAULT_SUBMIT, ...input.submit };
  const settings: Settings = {
    pollMin: duration('poll.min', poll.min),
    pollMax: duration('poll.max', poll.max),
    deadline: duration('poll.deadline', poll.deadline),
    giveUp: duration('poll.giveUp', poll.giveUp),
    submitTimeout: duration('submit.timeout', submit.timeout),
    authGrace: duration('submit.authGrace', submit.authGrace),
  };
  if (settings.pollMin > settings.pollMax) problems.push('poll.min is longer than poll.max');
  if (settings.deadline > settings.giveUp) problems.push('poll.deadline is longer than poll.giveUp');
  if (problems.length === 0) return settings;
  throw ApplicationFailure.nonRetryable(
    `Job ${input.key} was not started: ${problems.join('; ')}`,
    FAILURE.badInput,
  );
}
