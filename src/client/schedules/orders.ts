/** What people order of a schedule that is there, and everything that can be wrong with it: its name, too. */
import { SCHEDULE_OVERLAPS, type ScheduleOverlap } from '../../contract';
import { isScheduleName, SCHEDULE_NAME_FORM } from '../../contract/ids';

const LONGEST_NOTE = 1_000;

export interface FiringOptions {
  /** Instead of the schedule's own, for this once. */
  overlap?: ScheduleOverlap;
}

export function problemsOfScheduleName(name: unknown): string[] {
  return typeof name === 'string' && isScheduleName(name)
    ? []
    : [`name: "${String(name)}" is not ${SCHEDULE_NAME_FORM}`];
}

export function problemsOfPause(name: unknown, note: unknown): string[] {
  return [
    ...problemsOfScheduleName(name),
    ...(note === undefined ? ['note: is required: it tells whoever resumes it why'] : problemsOfNote(note)),
  ];
}

export function problemsOfResume(name: unknown, note: unknown): string[] {
  return [...problemsOfScheduleName(name), ...problemsOfNote(note)];
}

export function problemsOfTrigger(name: unknown, { overlap }: { overlap?: unknown }): string[] {
  return [...problemsOfScheduleName(name), ...problemsOfOverlap(overlap)];
}

export function problemsOfBackfill(
  name: unknown,
  { from, to, overlap }: { from: unknown; to: unknown; overlap?: unknown },
): string[] {
  return [...problemsOfScheduleName(name), ...problemsOfStretch(from, to), ...problemsOfOverlap(overlap)];
}

export function problemsOfOverlap(overlap: unknown): string[] {
  if (overlap === undefined || SCHEDULE_OVERLAPS.includes(overlap as ScheduleOverlap)) return [];
  return [`overlap: ${JSON.stringify(overlap)} is none of ${SCHEDULE_OVERLAPS.join(', ')}`];
}

export function problemsOfNote(note: unknown): string[] {
  if (note === undefined) return [];
  return typeof note === 'string' && note.trim() !== '' && note.length <= LONGEST_NOTE
    ? []
    : [`note: must be a text of at most ${LONGEST_NOTE} characters`];
}

/** A stretch of time that is over, from its first moment to its last. */
function problemsOfStretch(from: unknown, to: unknown): string[] {
  const [first, last] = [momentOf(from), momentOf(to)];
  return [
    ...(first === undefined ? [`from: ${noTime(from)}`] : []),
    ...(last === undefined ? [`to: ${noTime(to)}`] : []),
    ...(first !== undefined && last !== undefined && first > last ? ['to: is before from'] : []),
    ...(last !== undefined && last > Date.now() ? ['to: is yet to come, and fires by itself'] : []),
  ];
}

const TIME_FORM = 'a time with its zone, like 2026-01-31T02:00:00Z or 2026-01-31T02:00:00+01:00';

function noTime(value: unknown): string {
  return value === undefined ? `is required: ${TIME_FORM}` : `${JSON.stringify(value)} is not ${TIME_FORM}`;
}

function momentOf(value: unknown): number | undefined {
  const isTime =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value));
  return isTime ? Date.parse(value) : undefined;
}
