import { ApplicationFailure } from '@temporalio/workflow';
import { problemsOfScope } from '../../api/scope';
import { problemsOfPartitionInput } from '../../validation/batch';
import {
  DEFAULT_OUTLOOK,
  FAILURE,
  type MediaInput,
  type MediaRequestInput,
  type OutlookInput,
  type PartitionInput,
  type RecordInput,
  type TranscriptInput,
} from '../../contract';
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
} from '../../validation/inputs';
import { problemsOfOutlookInput } from '../../validation/outlook';
import { DurationReader, jobTimes, type JobTimes, pollTimes, type PollTimes } from '../../validation/times';

export type Settings = JobTimes;

/** Fills what the starter left out and refuses what cannot be: all problems at once, before anything is sent. */
export function readSettings(input: MediaInput): Settings {
  return checked(problemsOfShape(input), (reader) => jobTimes(input, reader));
}

/** The same of a request, whose key may be left out. */
export function requireGoodRequest(input: MediaRequestInput): void {
  readSettings(isRecord(input) ? { ...input, key: input.key ?? 'none' } : input);
}

export function readPartitionSettings(input: PartitionInput): Settings {
  return checked(problemsOfPartitionInput(input), (reader) => jobTimes(input, reader));
}

export function readTranscriptSettings(input: TranscriptInput): PollTimes {
  return checked(problemsOfTranscriptInput(input), (reader) => pollTimes(input.poll, reader));
}

export function readRecordSettings(input: RecordInput): PollTimes {
  return checked(problemsOfRecordInput(input), (reader) => pollTimes(input.poll, reader));
}

export function readOutlookSettings(input: OutlookInput): { silentAfter: number } {
  return checked(problemsOfOutlookInput(input), (reader) => ({
    silentAfter: reader.read('silentAfter', input.silentAfter ?? DEFAULT_OUTLOOK.silentAfter, 1_000),
  }));
}

/** What `make` makes of an input of the right shape, or a failure with everything that is wrong with it. */
function checked<T>(problems: string[], make: (reader: DurationReader) => T): T {
  if (problems.length > 0) throw badInput(problems);
  const reader = new DurationReader();
  const settings = make(reader);
  if (reader.problems.length > 0) throw badInput(reader.problems);
  return settings;
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
