/**
 * What is wrong with what a workflow is asked for, whoever asks: clients check it before they start a run, and the run
 * itself, because other languages start it too, with whatever JSON they have. Part of the workflow bundle.
 */
import { endOf } from './api/endings';
import { isId } from './api/ids';
import { isPointer } from './api/pointer';
import { problemsOfScope } from './api/scope';
import {
  NOTIFY_EVENTS,
  RECORD_KINDS,
  type RecordKind,
  type RecordStatus,
  SUBTITLE_FORMATS,
} from './contract';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** An id makes a workflow id and a header, encoded; the longest that both take for certain. */
const LONGEST_RECORD_ID = 200;

export function problemsOfTranscriptInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { key, transcriptionId, format, poll, scope, write, notify } = input;
  return [
    ...(isText(key) ? [] : ['key: must be a text']),
    ...problemsOfTranscription({ transcriptionId, format }),
    ...problemsOfObjects({ poll, scope, write, notify }),
    ...(isRecord(scope) ? problemsOfScope(scope) : []),
    ...(isRecord(write) ? problemsOfWrite(write) : []),
    ...(isRecord(notify) ? problemsOfNotify(notify) : []),
  ];
}

export function problemsOfTranscription(asked: { transcriptionId?: unknown; format?: unknown }): string[] {
  const { transcriptionId, format } = asked;
  const isFormat = isLeftOut(format) || SUBTITLE_FORMATS.includes(format as never);
  return [
    ...(typeof transcriptionId === 'string' && UUID.test(transcriptionId)
      ? []
      : ['transcriptionId: must be the UUID of a transcription']),
    ...(isFormat ? [] : [`format: must be ${SUBTITLE_FORMATS.join(' or ')}`]),
  ];
}

export function problemsOfRecordInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { kind, id, failOn, poll, scope } = input;
  const known = RECORD_KINDS.find((name) => name === kind);
  const isGoodId = typeof id === 'string' && isId(id) && id.length <= LONGEST_RECORD_ID;
  return [
    ...(known ? [] : [`kind: must be ${RECORD_KINDS.join(' or ')}`]),
    ...(isGoodId
      ? []
      : [`id: must be an id: not empty, no blanks around it, at most ${LONGEST_RECORD_ID} long`]),
    ...(known && !isLeftOut(failOn) ? problemsOfFailOn(known, failOn) : []),
    ...problemsOfObjects({ poll, scope }),
    ...(isRecord(scope) ? problemsOfScope(scope) : []),
  ];
}

function problemsOfFailOn(kind: RecordKind, failOn: unknown): string[] {
  const isStatus = (value: unknown): value is RecordStatus => isText(value) || typeof value === 'number';
  if (!Array.isArray(failOn) || !failOn.every(isStatus)) return ['failOn: must be a list of statuses'];
  return failOn
    .filter((status) => endOf(kind, status) === 'done')
    .map((status) => `failOn: ${status} is the status of what is done`);
}

export function problemsOfObjects(optional: Record<string, unknown>): string[] {
  return Object.entries(optional).flatMap(([name, value]) =>
    isLeftOut(value) || isRecord(value) ? [] : [`${name}: must be an object`],
  );
}

export function problemsOfWrite({ project, at }: Record<string, unknown>): string[] {
  const isProject = isRecord(project) && isText(project.resourcetype) && isText(project.id);
  return [
    ...(isProject ? [] : ['write.project: must be { resourcetype, id }']),
    ...(typeof at === 'string' && isPointer(at)
      ? []
      : ['write.at: must be a JSON pointer, like /media/banner']),
  ];
}

export function problemsOfNotify(notify: Record<string, unknown>): string[] {
  const { userId, workspaceId, on } = notify;
  const events = Array.isArray(on) ? (on as unknown[]) : undefined;
  const known = events?.every((event) => NOTIFY_EVENTS.includes(event as never)) ?? on === undefined;
  return [
    ...(isText(userId) ? [] : ['notify.userId: must be a text']),
    ...(isText(workspaceId) ? [] : ['notify.workspaceId: must be a text']),
    ...(known ? [] : [`notify.on: must be a list of ${NOTIFY_EVENTS.join(', ')}`]),
  ];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null;
}
