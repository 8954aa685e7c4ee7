/**
 * Rules of the inputs of runs, campaigns aside, and of orders to batches. Clients check an input before they start a run,
 * and the run checks it again, because other languages start it too. Part of the workflow bundle.
 */
import { isRecord } from '../api/json';
import {
  DEFAULT_CAMPAIGN_AT,
  DEFAULT_OUTLOOK,
  MOST_BATCH_CONCURRENCY,
  MOST_OUTLOOK_WEEKS,
  MOST_PARTITION_ITEMS,
  MOST_PARTITIONS,
  RECORD_KINDS,
  SUBTITLE_FORMATS,
} from '../contract';
import {
  anyObject,
  by,
  comment,
  count,
  durationFrom,
  findRecordProblems,
  givenKey,
  givenPoll,
  id,
  isCount,
  listener,
  notify,
  notifyFields,
  order,
  pointerIntoProject,
  poll,
  project,
  researchFields,
  runKey,
  scope,
  statuses,
  submit,
  text,
  uuid,
  write,
} from './fields';
import {
  also,
  described,
  hasMember,
  isLeftOut,
  isText,
  listOf,
  matching,
  must,
  object,
  oneOf,
  openObject,
  required,
  validate,
  wholeNumber,
  withoutNulls,
} from './rules';

export { isRecord, isText, withoutNulls };

const targets = { scope, write, notify };
const settings = { poll, submit };
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

export const mediaInput = also(
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
      ? [{ path: [...path, 'held', 'attempts'], message: 'must not be empty without a taskId' }]
      : [],
);

const transcription = { transcriptionId: required(uuid), format: oneOf(SUBTITLE_FORMATS) };
const transcriptSpec = openObject({ key: givenKey, ...transcription, ...targets });
export const transcriptInput = openObject({ ...runFields, ...transcription });

export const recordInput = also(
  openObject({
    ...{ kind: required(oneOf(RECORD_KINDS)), id: required(id), failOn: statuses, campaign: runKey },
    ...{ scope, poll, reportTo: listener },
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
const onePoll = openObject({ poll: givenPoll });
const oneProject = openObject({ project: required(project) });

export const validateTaskId = (taskId: unknown): string[] => validate(oneTask, { taskId });
const bothSettings = openObject(settings);

export const validatePoll = (given: unknown): string[] => validate(onePoll, { poll: given });

export const validateSettings = (given: unknown): string[] => validate(bothSettings, given);
export const validateProject = (ref: unknown): string[] => validate(oneProject, { project: ref });

/** Given or derived; the keys of its items are longer. */
const batchKey = matching(/^[A-Za-z0-9._~+-]{1,200}$/, '1 to 200 letters, digits or any of . _ ~ + -');
export const concurrency = wholeNumber(MOST_BATCH_CONCURRENCY);

const item = openObject({
  ...{ key: required(text), tool: required(text), request: required(anyObject) },
  ...{ ...targets, taskId: id },
});

const partition = openObject({
  ...{ batch: required(batchKey), n: required(count), first: required(count), ...settings },
  items: required(listOf(item, { least: 1, most: MOST_PARTITION_ITEMS })),
});

const manifest = also(
  openObject({
    digest: required(text),
    items: required(count),
    partitions: required(listOf(openObject({ items: required(count) }), { least: 1, most: MOST_PARTITIONS })),
  }),
  ({ items, partitions }, path) => {
    const counts = (Array.isArray(partitions) ? partitions : []).map((one) => isRecord(one) && one.items);
    if (!isCount(items) || counts.length === 0 || !counts.every(isCount)) return [];
    return counts.reduce((a, b) => a + b) === items
      ? []
      : [{ path: [...path, 'items'], message: 'must be the number of items in its partitions' }];
  },
);

const batchFields = { source: text, concurrency, ...settings, scope, notify };
const batchInput = openObject({ key: required(batchKey), manifest: required(manifest), ...batchFields });
const givenBatch = openObject({ key: required(givenKey), ...batchFields, manifest });
const concurrencyOrder = object({ by, reason: comment, concurrency: required(concurrency) });

export const validatePartitionInput = (input: unknown): string[] => validate(partition, input);
export const validateOrder = (asked: unknown): string[] => validate(order, asked);
export const validateConcurrencyOrder = (asked: unknown): string[] => validate(concurrencyOrder, asked);

export const validateBatchInput = (input: unknown): string[] => validate(batchInput, input);
/** A spec from a caller; without `manifest` before that is read. */
export const validateGivenBatch = (spec: unknown): string[] => validate(givenBatch, spec);

const LOOKED_AT = ['drafts', 'activity', 'boards'];

export const outlookSpec = also(
  object({
    key: required(described('names this one look; the next one has another', givenKey)),
    scope,
    project: required(described('the project that keeps the outlook', project)),
    at: described(
      `JSON pointer to the campaign in the project's data; ${DEFAULT_CAMPAIGN_AT} when left out`,
      pointerIntoProject,
    ),
    ...researchFields,
    weeks: described(
      `how many weeks are kept; ${DEFAULT_OUTLOOK.weeks} when left out`,
      wholeNumber(MOST_OUTLOOK_WEEKS),
    ),
    silentAfter: described(
      `after how long without a change a board is silent; ${DEFAULT_OUTLOOK.silentAfter} when left out`,
      durationFrom(1_000),
    ),
    notify: described('who is nudged; nobody when left out', object(notifyFields)),
  }),
  (spec, path) =>
    LOOKED_AT.every((part) => isLeftOut(spec[part]))
      ? [{ path, message: 'has nothing to look at; give drafts, activity or boards' }]
      : [],
  { anyOf: LOOKED_AT.map(hasMember) },
);

export const validateOutlook = (spec: unknown): string[] => validate(outlookSpec, spec);

const nudge = must(
  '{ about: "approval" } or { about: "board", board, since }',
  { type: 'object' },
  (value) => isRecord(value) && (value.about === 'approval' || (isText(value.board) && isText(value.since))),
);

const nudgeInput = openObject({
  ...{ to: required(notify), nudge: required(nudge), project: required(project) },
  ...{ week: required(text), timezone: required(text), place: required(text) },
});

export const validateNudge = (input: unknown): string[] => validate(nudgeInput, input);
