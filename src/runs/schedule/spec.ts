/** The rules of schedules and of commands to them. */
import { type ScheduleSpec } from '@temporalio/client';
import { readCalendar, type ReadCalendar, readCron } from '../../calendar/calendars';
import {
  DEFAULT_SCHEDULE,
  SCHEDULE_OVERLAPS,
  type ScheduleOverlap,
  type ScheduleTarget,
  type ScheduleTimes,
} from '../../contract';
import { isScheduleName, SCHEDULE_NAME_FORM } from '../../contract/ids';
import { digest } from '../../platform/digest';
import { type Duration, DURATION_FORM, parseDuration } from '../../contract/durations';
import { isRecord } from '../../validation/inputs';
import { isZone } from '../../calendar/zones';
import { keyless, validateTarget } from './targets';

export interface ScheduleOptions {
  spec: ScheduleTimes;
  /** Default: the time zone of the workspace, which a worker reads. */
  timezone?: string;
  target: ScheduleTarget;
  /** What becomes of a firing while the one before it is open. Default: it is skipped. */
  overlap?: ScheduleOverlap;
  /** How late a firing may be, after an outage of the Temporal server. Default: an hour. */
  catchup?: Duration;
  note?: string;
}

/** The server takes no shorter one. */
const SHORTEST_CATCHUP_MS = 10_000;

/** All problems at once, before anything is sent. */
export function validateSchedule(name: string, options: ScheduleOptions): string[] {
  const { spec, timezone, target, overlap, catchup, note } = options;
  return [
    ...validateScheduleName(name),
    ...validateTimes(spec),
    ...validateZone(timezone),
    ...validateOverlap(overlap),
    ...validateCatchup(catchup),
    ...validateNote(note),
    ...validateTarget(target),
  ];
}

/** Exactly one of the three. */
function validateTimes(spec: unknown): string[] {
  const given = isRecord(spec) ? Object.entries(spec).filter(([, value]) => value !== undefined) : [];
  const [[kind, value] = []] = given;
  if (given.length !== 1 || kind === undefined || !Object.hasOwn(TIMES, kind))
    return ['spec: must be one of { cron }, { every } and { calendar }'];
  return TIMES[kind as keyof typeof TIMES](value).map((problem) => `${kind}: ${problem}`);
}

const TIMES = {
  cron: (value: unknown) => (typeof value === 'string' ? problemsIn(readCron(value)) : ['must be a text']),
  every: (value: unknown) => {
    const ms = durationOf(value);
    if (ms === undefined) return [notDuration(value)];
    return ms >= 1_000 && ms % 1_000 === 0 ? [] : ['must be whole seconds, at least one'];
  },
  calendar: (value: unknown) => {
    const calendars = [value].flat();
    return calendars.length > 0
      ? calendars.flatMap((one) => problemsIn(readCalendar(one)))
      : ['must not be empty'];
  },
};

function problemsIn(read: ReadCalendar): string[] {
  return 'problems' in read ? read.problems : [];
}

function durationOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseDuration(value) : undefined;
}

function notDuration(value: unknown): string {
  return `${JSON.stringify(value)} is not ${DURATION_FORM}`;
}

function validateZone(timezone: unknown): string[] {
  if (timezone === undefined) return [];
  return typeof timezone === 'string' && isZone(timezone)
    ? []
    : [`timezone: ${JSON.stringify(timezone)} is not the name of a time zone, like Europe/Berlin`];
}

function validateCatchup(catchup: unknown): string[] {
  if (catchup === undefined) return [];
  const ms = durationOf(catchup);
  if (ms === undefined) return [`catchup: ${notDuration(catchup)}`];
  return ms >= SHORTEST_CATCHUP_MS ? [] : ['catchup: must be at least 10s'];
}

/** A digest of what makes two schedules the same. A note does not, nor how often tasks are polled. */
export function askOfSchedule({ spec, timezone, target, overlap, catchup }: ScheduleOptions): string {
  return digest({
    ...{ spec, timezone },
    target: keyless(target),
    overlap: overlap ?? DEFAULT_SCHEDULE.overlap,
    catchup: catchup ?? DEFAULT_SCHEDULE.catchup,
  });
}

/** The times as Temporal takes them. */
export function timesForTemporal(spec: ScheduleTimes): ScheduleSpec {
  if ('cron' in spec) return { cronExpressions: [spec.cron.trim()] };
  if ('every' in spec) return { intervals: [{ every: parseDuration(spec.every) ?? 0 }] };
  return { calendars: [spec.calendar].flat() };
}

/** The times as people read them. */
export function timesInWords(spec: ScheduleTimes): string {
  if ('cron' in spec) return spec.cron;
  return 'every' in spec ? `every ${spec.every}` : JSON.stringify(spec.calendar);
}

const LONGEST_NOTE = 1_000;

export interface FiringOptions {
  /** For this time only. Default: that of the schedule. */
  overlap?: ScheduleOverlap;
}

export function validateScheduleName(name: unknown): string[] {
  return typeof name === 'string' && isScheduleName(name)
    ? []
    : [`name: "${String(name)}" is not ${SCHEDULE_NAME_FORM}`];
}

export function validatePause(name: unknown, note: unknown): string[] {
  return [
    ...validateScheduleName(name),
    ...(note === undefined ? ['note: is required: it tells whoever resumes it why'] : validateNote(note)),
  ];
}

export function validateResume(name: unknown, note: unknown): string[] {
  return [...validateScheduleName(name), ...validateNote(note)];
}

export function validateTrigger(name: unknown, { overlap }: { overlap?: unknown }): string[] {
  return [...validateScheduleName(name), ...validateOverlap(overlap)];
}

export function validateBackfill(
  name: unknown,
  { from, to, overlap }: { from: unknown; to: unknown; overlap?: unknown },
): string[] {
  return [...validateScheduleName(name), ...validateStretch(from, to), ...validateOverlap(overlap)];
}

export function validateOverlap(overlap: unknown): string[] {
  if (overlap === undefined || SCHEDULE_OVERLAPS.includes(overlap as ScheduleOverlap)) return [];
  return [`overlap: ${JSON.stringify(overlap)} is none of ${SCHEDULE_OVERLAPS.join(', ')}`];
}

export function validateNote(note: unknown): string[] {
  if (note === undefined) return [];
  return typeof note === 'string' && note.trim() !== '' && note.length <= LONGEST_NOTE
    ? []
    : [`note: must be a text of at most ${LONGEST_NOTE} characters`];
}

/** The period must be over. */
function validateStretch(from: unknown, to: unknown): string[] {
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
