import { ApplicationFailure } from '@temporalio/workflow';
import { isPointer } from '../api/pointer';
import { DEFAULT_POLL, DEFAULT_SUBMIT, FAILURE, type MediaInput, NOTIFY_EVENTS } from '../contract';
import { DURATION_FORM, formatDuration, parseDuration } from '../durations';

/** The durations of a run, in milliseconds. */
export interface Settings {
  pollMin: number;
  pollMax: number;
  deadline: number;
  giveUp: number;
  submitTimeout: number;
  authGrace: number;
}

const QUICKEST_POLL_MS = 50;
const LONGEST_MS = 366 * 86_400_000;

/** Fills what the starter left out and refuses what cannot be: all problems at once, before anything is sent. */
export function readSettings(input: MediaInput): Settings {
  const problems = problemsOfShape(input);
  if (problems.length > 0) throw badInput(problems);

  const duration = (name: string, text: unknown, least: number): number => {
    const ms = typeof text === 'string' ? parseDuration(text) : undefined;
    if (ms === undefined)
      problems.push(`${name}: ${JSON.stringify(text)} is not a duration; write ${DURATION_FORM}`);
    else if (ms < least) problems.push(`${name}: is under ${formatDuration(least)}`);
    else if (ms > LONGEST_MS) problems.push(`${name}: is over ${formatDuration(LONGEST_MS)}`);
    return ms ?? 0;
  };
  const poll = { ...DEFAULT_POLL, ...input.poll };
  const submit = { ...DEFAULT_SUBMIT, ...input.submit };
  const settings: Settings = {
    pollMin: duration('poll.min', poll.min, QUICKEST_POLL_MS),
    pollMax: duration('poll.max', poll.max, QUICKEST_POLL_MS),
    deadline: duration('poll.deadline', poll.deadline, 0),
    giveUp: duration('poll.giveUp', poll.giveUp, 0),
    submitTimeout: duration('submit.timeout', submit.timeout, 1_000),
    authGrace: duration('submit.authGrace', submit.authGrace, 0),
  };
  if (settings.pollMin > settings.pollMax) problems.push('poll.min is longer than poll.max');
  if (settings.deadline > settings.giveUp) problems.push('poll.deadline is longer than poll.giveUp');
  if (problems.length > 0) throw badInput(problems);
  return settings;
}

/** Other languages start this workflow too, with whatever JSON they have. */
function problemsOfShape(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { key, tool, request, poll, submit, scope, taskId, write, notify } = input;
  const optional = { poll, submit, scope, write, notify };
  return [
    ...Object.entries({ key, tool }).flatMap(([name, value]) =>
      isText(value) ? [] : [`${name}: must be a text`],
    ),
    ...(isRecord(request) ? [] : ['request: must be an object']),
    ...Object.entries(optional).flatMap(([name, value]) =>
      value === undefined || value === null || isRecord(value) ? [] : [`${name}: must be an object`],
    ),
    ...(taskId === undefined || taskId === null || isText(taskId) ? [] : ['taskId: must be a text']),
    ...(isRecord(write) ? problemsOfWrite(write) : []),
    ...(isRecord(notify) ? problemsOfNotify(notify) : []),
  ];
}

function problemsOfWrite({ project, at }: Record<string, unknown>): string[] {
  const isProject = isRecord(project) && isText(project.resourcetype) && isText(project.id);
  return [
    ...(isProject ? [] : ['write.project: must be { resourcetype, id }']),
    ...(typeof at === 'string' && isPointer(at)
      ? []
      : ['write.at: must be a JSON pointer, like /media/banner']),
  ];
}

function problemsOfNotify(notify: Record<string, unknown>): string[] {
  const { userId, workspaceId, on } = notify;
  const events = Array.isArray(on) ? (on as unknown[]) : undefined;
  const known = events?.every((event) => NOTIFY_EVENTS.includes(event as never)) ?? on === undefined;
  return [
    ...(isText(userId) ? [] : ['notify.userId: must be a text']),
    ...(isText(workspaceId) ? [] : ['notify.workspaceId: must be a text']),
    ...(known ? [] : [`notify.on: must be a list of ${NOTIFY_EVENTS.join(', ')}`]),
  ];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function badInput(problems: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`The job was not started: ${problems.join('; ')}`, FAILURE.badInput);
}
