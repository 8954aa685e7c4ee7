/**
 * Rules of the inputs of jobs. Clients check an input before they start a run, and the run checks it again, because other
 * languages start it too. Part of the workflow bundle.
 */
import { isRecord } from '../api/json';
import { RECORD_KINDS, SUBTITLE_FORMATS } from '../contract';
import {
  anyObject,
  count,
  findRecordProblems,
  givenKey,
  id,
  listener,
  notify,
  project,
  runKey,
  scope,
  statuses,
  text,
  uuid,
  write,
} from './fields';
import { also, isText, listOf, must, oneOf, openObject, required, validate, withoutNulls } from './rules';

export { isRecord, isText, withoutNulls };

const targets = { scope, write, notify };
/** `times.ts` reads the durations. */
const settings = { poll: anyObject, submit: anyObject };
const runFields = { key: required(runKey), ...settings, ...targets, reportTo: listener };

/** What people say of a media job, except its request, which only the service's side knows. */
export const mediaSpecFields = { key: givenKey, ...targets, taskId: id };
const mediaSpec = openObject(mediaSpecFields);

const attempt = openObject({
  n: required(count),
  // A year of four digits: later dates are computed from this one, and dates have a limit.
  at: required(
    must(
      'a date',
      { type: 'string' },
      (value) => isText(value) && /^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value)),
    ),
  ),
  reason: text,
  taskId: id,
});

const mediaInput = also(
  openObject({
    ...runFields,
    tool: required(text),
    request: required(anyObject),
    taskId: id,
    // Without this check, a malformed one would count as a job that was never submitted.
    held: openObject({ attempts: required(listOf(attempt, { most: 1_000 })) }),
  }),
  ({ held, taskId }, path) =>
    isRecord(held) && Array.isArray(held.attempts) && held.attempts.length === 0 && !isText(taskId)
      ? [{ path: [...path, 'held', 'attempts'], words: 'must not be empty without a taskId' }]
      : [],
);

const transcription = { transcriptionId: required(uuid), format: oneOf(SUBTITLE_FORMATS) };
const transcriptSpec = openObject({ key: givenKey, ...transcription, ...targets });
const transcriptInput = openObject({ ...runFields, ...transcription });

const recordInput = also(
  openObject({
    ...{ kind: required(oneOf(RECORD_KINDS)), id: required(id), failOn: statuses, campaign: text },
    ...{ scope, poll: anyObject, reportTo: listener },
  }),
  ({ kind: given, id: recordId, failOn, campaign }, path) => {
    const kind = RECORD_KINDS.find((known) => known === given);
    return kind ? findRecordProblems(kind, { id: recordId, failOn, campaign }, path) : [];
  },
);

export const validateMediaSpec = (spec: unknown): string[] => validate(mediaSpec, spec);
export const validateMediaInput = (input: unknown): string[] => validate(mediaInput, input);
export const validateTranscriptSpec = (spec: unknown): string[] => validate(transcriptSpec, spec);
export const validateTranscriptInput = (input: unknown): string[] => validate(transcriptInput, input);
export const validateRecordInput = (input: unknown): string[] => validate(recordInput, input);

const oneTask = openObject({ taskId: id });
const oneProject = openObject({ project: required(project) });

export const validateTaskId = (taskId: unknown): string[] => validate(oneTask, { taskId });
export const validateProject = (ref: unknown): string[] => validate(oneProject, { project: ref });
