import { type ScheduleSpec } from '@temporalio/client';
import { CALENDAR_FORM, CRON_FORM, readCalendar, readCron } from '../../calendar/calendars';
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
const LONGEST_NOTE = 1_000;

export function validateSchedule(name: string, options: ScheduleOptions): string[] {
  const { spec, timezone, target, overlap, catchup, note } = options;
  return [
    ...validateScheduleName(name),
    ...validateTimes(spec),
    ...mustBe('timezone', timezone, isZone, 'the name of a time zone, like Europe/Berlin'),
    ...validateOverlap(overlap),
    ...mustBe('catchup', catchup, isCatchup, `${DURATION_FORM}, at least 10s`),
    ...validateNote(note),
    ...validateTarget(target),
  ];
}

/** For what may be left out. */
function mustBe(name: string, value: unknown, isGood: (text: string) => boolean, form: string): string[] {
  const isFine = value === undefined || (typeof value === 'string' && isGood(value));
  return isFine ? [] : [`${name}: ${JSON.stringify(value)} is not ${form}`];
}

function isCatchup(text: string): boolean {
  return (parseDuration(text) ?? 0) >= SHORTEST_CATCHUP_MS;
}

function isInterval(text: string): boolean {
  const ms = parseDuration(text) ?? 0;
  return ms >= 1_000 && ms % 1_000 === 0;
}

/** Exactly one of the three. */
function validateTimes(spec: unknown): string[] {
  const given = isRecord(spec) ? Object.entries(spec).filter(([, value]) => value !== undefined) : [];
  const [[kind, value] = []] = given;
  if (given.length === 1 && kind === 'every')
    return mustBe('every', value ?? null, isInterval, `${DURATION_FORM}, in whole seconds`);
  if (given.length === 1 && kind === 'cron')
    return mustBe('cron', value ?? null, (text) => readCron(text) !== undefined, CRON_FORM);
  const calendars = [value].flat();
  if (given.length === 1 && kind === 'calendar' && calendars.length > 0)
    return calendars
      .filter((one) => readCalendar(one) === undefined)
      .map((one) => `calendar: ${JSON.stringify(one)} is not ${CALENDAR_FORM}`);
  return ['spec: must be one of { cron }, { every } and { calendar }'];
}

/** A digest of what makes two schedules the same. A note does not, nor how often tasks are polled. */
export function identityOfSchedule({ spec, timezone, target, overlap, catchup }: ScheduleOptions): string {
  return digest({
    ...{ spec, timezone },
    target: keyless(target),
    overlap: overlap ?? DEFAULT_SCHEDULE.overlap,
    catchup: catchup ?? DEFAULT_SCHEDULE.catchup,
  });
}

export function timesForTemporal(spec: ScheduleTimes): ScheduleSpec {
  if ('cron' in spec) return { cronExpressions: [spec.cron.trim()] };
  if ('every' in spec) return { intervals: [{ every: parseDuration(spec.every) ?? 0 }] };
  return { calendars: [spec.calendar].flat() };
}

export function timesInWords(spec: ScheduleTimes): string {
  if ('cron' in spec) return spec.cron;
  return 'every' in spec ? `every ${spec.every}` : JSON.stringify(spec.calendar);
}

export interface FiringOptions {
  /** For this time only. Default: that of the schedule. */
  overlap?: ScheduleOverlap;
}

export function validateScheduleName(name: unknown): string[] {
  return mustBe('name', name ?? null, isScheduleName, SCHEDULE_NAME_FORM);
}

export function validatePause(name: unknown, note: unknown): string[] {
  const missing = note === undefined ? ['note: is required, so that others know why it is paused'] : [];
  return [...validateResume(name, note), ...missing];
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
  return [...validateScheduleName(name), ...validatePeriod(from, to), ...validateOverlap(overlap)];
}

function validateOverlap(overlap: unknown): string[] {
  if (overlap === undefined || SCHEDULE_OVERLAPS.includes(overlap as ScheduleOverlap)) return [];
  return [`overlap: ${JSON.stringify(overlap)} is not one of ${SCHEDULE_OVERLAPS.join(', ')}`];
}

function validateNote(note: unknown): string[] {
  if (note === undefined) return [];
  return typeof note === 'string' && note.trim() !== '' && note.length <= LONGEST_NOTE
    ? []
    : [`note: must be a text of at most ${LONGEST_NOTE} characters`];
}

const TIME_FORM = 'a time with its zone, like 2026-01-31T02:00:00Z or 2026-01-31T02:00:00+01:00';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The period must be over. */
function validatePeriod(from: unknown, to: unknown): string[] {
  const problems = Object.entries({ from, to }).flatMap(([name, value]) => {
    if (value === undefined) return [`${name}: is required: ${TIME_FORM}`];
    return mustBe(name, value, (text) => TIME.test(text) && !Number.isNaN(Date.parse(text)), TIME_FORM);
  });
  const [first, last] = [Date.parse(String(from)), Date.parse(String(to))];
  if (first > last) problems.push('to: is before from');
  if (last > Date.now()) problems.push('to: is in the future, and will fire by itself');
  return problems;
}
