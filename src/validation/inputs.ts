/**
 * What is wrong with what a workflow is asked for, whoever asks: clients check it before they start a run, and the run
 * itself, because other languages start it too, with whatever JSON they have. Part of the workflow bundle.
 */
import { endOf } from '../api/endings';
import { isInnerPointer } from '../api/json';
import { ID_FORM, isId, isIdText, isPrintable, validateScope } from '../api/scope';
import {
  NOTIFY_EVENTS,
  type ProjectRef,
  RECORD_KINDS,
  type RecordKind,
  type RecordStatus,
  SUBTITLE_FORMATS,
} from '../contract';
import {
  ANY_KEY_FORM,
  isKey,
  isWorkflowId,
  LONGEST_KEY,
  projectName,
  recordKey,
} from '../contract/ids';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LONGEST_ID = 200;
/** Of a project's type and id, percent-encoded. */
const LONGEST_PROJECT_NAME = 700;

export function validateTranscriptInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { key, transcriptionId, format, poll, scope, write, notify, reportTo } = input;
  return [
    ...validateRunKey(key),
    ...validateTranscription({ transcriptionId, format }),
    ...validateObjects({ poll, scope }),
    ...(isRecord(scope) ? validateScope(scope) : []),
    ...validateTargets({ write, notify }),
    ...validateListener(reportTo),
  ];
}

export function validateTranscription(asked: { transcriptionId?: unknown; format?: unknown }): string[] {
  const { transcriptionId, format } = asked;
  const isFormat = isLeftOut(format) || SUBTITLE_FORMATS.includes(format as never);
  return [
    ...(typeof transcriptionId === 'string' && UUID.test(transcriptionId)
      ? []
      : ['transcriptionId: must be the UUID of a transcription']),
    ...(isFormat ? [] : [`format: must be ${SUBTITLE_FORMATS.join(' or ')}`]),
  ];
}

export function validateRecordInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { kind, id, failOn, poll, scope, campaign, reportTo } = input;
  const known = RECORD_KINDS.find((name) => name === kind);
  // Its key is the id, encoded.
  const owner = isText(campaign) ? campaign : undefined;
  const isGoodId = typeof id === 'string' && isId(id) && isKey(recordKey(known ?? '', id, owner));
  return [
    ...(known ? [] : [`kind: must be ${RECORD_KINDS.join(' or ')}`]),
    ...(isGoodId
      ? []
      : [
          `id: must be an id: not empty, no blanks around it, with its kind and the key of its campaign at most ${LONGEST_KEY} long`,
        ]),
    ...(isLeftOut(campaign) || isText(campaign) ? [] : ['campaign: must be a text']),
    ...(known && !isLeftOut(failOn) ? validateFailOn(known, failOn) : []),
    ...validateObjects({ poll, scope }),
    ...(isRecord(scope) ? validateScope(scope) : []),
    ...validateListener(reportTo),
  ];
}

function validateFailOn(kind: RecordKind, failOn: unknown): string[] {
  const isStatus = (value: unknown): value is RecordStatus => isText(value) || typeof value === 'number';
  if (!Array.isArray(failOn) || !failOn.every(isStatus)) return ['failOn: must be a list of statuses'];
  return failOn
    .filter((status) => endOf(kind, status) === 'done')
    .map((status) => `failOn: ${status} is the status of what is done`);
}

export function validateObjects(optional: Record<string, unknown>): string[] {
  return Object.entries(optional).flatMap(([name, value]) =>
    isLeftOut(value) || isRecord(value) ? [] : [`${name}: must be an object`],
  );
}

/** Of the key of any run, given or derived. */
export function validateRunKey(key: unknown): string[] {
  return typeof key === 'string' && isKey(key) ? [] : [`key: must be ${ANY_KEY_FORM}`];
}

export function validateTaskId(taskId: unknown): string[] {
  return isLeftOut(taskId) || isIdText(taskId) ? [] : [`taskId: must be ${ID_FORM}`];
}

/** Of the run that is told of each stage. */
export function validateListener(reportTo: unknown): string[] {
  return isLeftOut(reportTo) || isWorkflowId(reportTo) ? [] : ['reportTo: must be a workflow id'];
}

/** Of where a result goes, and who is told. */
export function validateTargets({ write, notify }: { write?: unknown; notify?: unknown }): string[] {
  return [
    ...validateObjects({ write, notify }),
    ...(isRecord(write) ? validateWrite(write) : []),
    ...(isRecord(notify) ? validateNotify(notify) : []),
  ];
}

function validateWrite({ project, at, failedAt }: Record<string, unknown>): string[] {
  return [
    ...(isRecord(project)
      ? validateProject(project).map((problem) => `write.${problem}`)
      : ['write.project: must be { resourcetype, id }']),
    ...(isInnerPointer(at)
      ? []
      : ['write.at: must be a JSON pointer to a place in the project, like /media/banner']),
    ...(isLeftOut(failedAt) || isInnerPointer(failedAt)
      ? []
      : ['write.failedAt: must be a JSON pointer to a place in the project, like /media/banner/repeat']),
  ];
}

export function validateProject({ resourcetype, id }: { [Name in keyof ProjectRef]?: unknown }): string[] {
  const problems = Object.entries({ resourcetype, id }).flatMap(([name, value]) =>
    typeof value === 'string' && isId(value)
      ? []
      : [`${name}: must be an id: not empty, no blanks around it`],
  );
  const project = { resourcetype, id } as ProjectRef;
  const isTooLong = problems.length === 0 && projectName(project).length > LONGEST_PROJECT_NAME;
  return isTooLong ? ['project: its type and id are too long'] : problems;
}

function validateNotify({ on, ...notify }: Record<string, unknown>): string[] {
  const events = Array.isArray(on) ? (on as unknown[]) : undefined;
  const known = events?.every((event) => NOTIFY_EVENTS.includes(event as never)) ?? isLeftOut(on);
  return [
    ...['userId', 'workspaceId'].flatMap((name) =>
      isPrintable(notify[name], LONGEST_ID) ? [] : [`notify.${name}: must be an id without blanks`],
    ),
    ...(known ? [] : [`notify.on: must be a list of ${NOTIFY_EVENTS.join(', ')}`]),
  ];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Other languages write null for what they leave out. */
export function isLeftOut(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** At the top level only: a request keeps its own nulls. */
export function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => !isLeftOut(member))) as T;
}
