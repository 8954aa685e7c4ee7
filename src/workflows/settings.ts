import { ApplicationFailure } from '@temporalio/workflow';
import { problemsOfScope } from '../api/scope';
import { problemsOfPartitionInput } from '../rules/batch';
import {
  DEFAULT_OUTLOOK,
  DEFAULT_POLL,
  DEFAULT_SUBMIT,
  FAILURE,
  type MediaInput,
  type OutlookInput,
  type PartitionInput,
  type PollSettings,
  type RecordInput,
  type SubmitSettings,
  type TranscriptInput,
} from '../contract';
import { DURATION_FORM, formatDuration, parseDuration } from '../durations';
import {
  isRecord,
  isText,
  problemsOfListener,
  problemsOfObjects,
  problemsOfRecordInput,
  problemsOfRunKey,
  problemsOfTargets,
  problemsOfTaskId,
  problemsOfTranscriptInput,
} from '../rules/inputs';
import { problemsOfOutlookInput } from '../rules/outlook';

/** The durations of a run, in milliseconds. */
export interface PollTimes {
  pollMin: number;
  pollMax: number;
  deadline: number;
  giveUp: number;
}

export interface Settings extends PollTimes {
  submitTimeout: number;
  authGrace: number;
}

const QUICKEST_POLL_MS = 50;
const LONGEST_MS = 366 * 86_400_000;

type ReadDuration = (name: string, text: unknown, least: number) => number;

/** Fills what the starter left out and refuses what cannot be: all problems at once, before anything is sent. */
export function readSettings(input: MediaInput): Settings {
  return checked(problemsOfShape(input), (read, problems) => jobTimes(input, read, problems));
}

export function readPartitionSettings(input: PartitionInput): Settings {
  return checked(problemsOfPartitionInput(input), (read, problems) => jobTimes(input, read, problems));
}

function jobTimes(
  input: { poll?: Partial<PollSettings>; submit?: Partial<SubmitSettings> },
  read: ReadDuration,
  problems: string[],
): Settings {
  const submit = { ...DEFAULT_SUBMIT, ...input.submit };
  return {
    ...pollTimes(input.poll, read, problems),
    submitTimeout: read('submit.timeout', submit.timeout, 1_000),
    authGrace: read('submit.authGrace', submit.authGrace, 0),
  };
}

export function readTranscriptSettings(input: TranscriptInput): PollTimes {
  return checked(problemsOfTranscriptInput(input), (read, problems) => pollTimes(input.poll, read, problems));
}

export function readRecordSettings(input: RecordInput): PollTimes {
  return checked(problemsOfRecordInput(input), (read, problems) => pollTimes(input.poll, read, problems));
}

export function readOutlookSettings(input: OutlookInput): { silentAfter: number } {
  return checked(problemsOfOutlookInput(input), (read) => ({
    silentAfter: read('silentAfter', input.silentAfter ?? DEFAULT_OUTLOOK.silentAfter, 1_000),
  }));
}

/** What `make` makes of an input of the right shape, or a failure with everything that is wrong with it. */
function checked<T>(problems: string[], make: (read: ReadDuration, problems: string[]) => T): T {
  if (problems.length > 0) throw badInput(problems);
  const read: ReadDuration = (name, text, least) => {
    const ms = typeof text === 'string' ? parseDuration(text) : undefined;
    if (ms === undefined)
      problems.push(`${name}: ${JSON.stringify(text)} is not a duration; write ${DURATION_FORM}`);
    else if (ms < least) problems.push(`${name}: is under ${formatDuration(least)}`);
    else if (ms > LONGEST_MS) problems.push(`${name}: is over ${formatDuration(LONGEST_MS)}`);
    return ms ?? 0;
  };
  const settings = make(read, problems);
  if (problems.length > 0) throw badInput(problems);
  return settings;
}

function pollTimes(
  given: Partial<PollSettings> | undefined,
  read: ReadDuration,
  problems: string[],
): PollTimes {
  const poll = { ...DEFAULT_POLL, ...given };
  const times: PollTimes = {
    pollMin: read('poll.min', poll.min, QUICKEST_POLL_MS),
    pollMax: read('poll.max', poll.max, QUICKEST_POLL_MS),
    deadline: read('poll.deadline', poll.deadline, 0),
    giveUp: read('poll.giveUp', poll.giveUp, 0),
  };
  if (times.pollMin > times.pollMax) problems.push('poll.min is longer than poll.max');
  if (times.deadline > times.giveUp) problems.push('poll.deadline is longer than poll.giveUp');
  return times;
}

/** Other languages start this workflow too, with whatever JSON they have. */
function problemsOfShape(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { key, tool, request, poll, submit, scope, taskId, write, notify, reportTo, held } = input;
  return [
    ...problemsOfRunKey(key),
    ...(isText(tool) ? [] : ['tool: must be a text']),
    ...(isRecord(request) ? [] : ['request: must be an object']),
    ...problemsOfObjects({ poll, submit, scope }),
    ...(isRecord(scope) ? problemsOfScope(scope) : []),
    ...problemsOfTaskId(taskId),
    ...problemsOfTargets({ write, notify }),
    ...problemsOfListener(reportTo),
    ...problemsOfHeld(held, taskId),
  ];
}

/** Only a batch sets it; what is wrong here would be taken for a job that was never submitted. */
function problemsOfHeld(held: unknown, taskId: unknown): string[] {
  if (held === undefined || held === null) return [];
  const attempts = isRecord(held) ? held.attempts : undefined;
  const isAttempt = (attempt: unknown): boolean =>
    isRecord(attempt) && Number.isInteger(attempt.n) && Number(attempt.n) > 0 && isText(attempt.at);
  const isGood =
    Array.isArray(attempts) && attempts.every(isAttempt) && (attempts.length > 0 || isText(taskId));
  return isGood
    ? []
    : [
        'held: must be { attempts: [{ n, at, outcome, reason }] }, with at least one, or with a taskId beside it',
      ];
}

export function badInput(problems: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`The job was not started: ${problems.join('; ')}`, FAILURE.badInput);
}
