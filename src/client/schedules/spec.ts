/** What a schedule is asked for, and everything that can be wrong with it. */
import { type ScheduleSpec } from '@temporalio/client';
import { readCalendar, type ReadCalendar, readCron } from '../../calendar/calendars';
import {
  DEFAULT_SCHEDULE,
  type ScheduleOverlap,
  type ScheduleTarget,
  type ScheduleTimes,
} from '../../contract';
import { digest } from '../../platform/digest';
import { type Duration, DURATION_FORM, parseDuration } from '../../contract/durations';
import { isRecord } from '../../validation/inputs';
import { isZone } from '../../calendar/zones';
import { problemsOfNote, problemsOfOverlap, problemsOfScheduleName } from './orders';
import { keyless, problemsOfTarget } from './targets';

export interface ScheduleOptions {
  /** At which times. */
  spec: ScheduleTimes;
  /** By whose clock; the workspace's, which a worker is asked for, when left out. */
  timezone?: string;
  /** What is started each time. */
  target: ScheduleTarget;
  /** What becomes of a firing while the one before it is open; it is skipped, unless told. */
  overlap?: ScheduleOverlap;
  /** How late a firing may be, after an outage of the Temporal server; an hour, unless told. */
  catchup?: Duration;
  /** For whoever looks at it. */
  note?: string;
}

/** The server looks at its schedules so often. */
const SHORTEST_INTERVAL_MS = 1_000;
const SHORTEST_CATCHUP_MS = 10_000;

/** All problems at once, before anything is sent. */
export function problemsOfSchedule(name: string, options: ScheduleOptions): string[] {
  const { spec, timezone, target, overlap, catchup, note } = options;
  return [
    ...problemsOfScheduleName(name),
    ...problemsOfTimes(spec),
    ...problemsOfZone(timezone),
    ...problemsOfOverlap(overlap),
    ...problemsOfCatchup(catchup),
    ...problemsOfNote(note),
    ...problemsOfTarget(target),
  ];
}

/** Exactly one of the three. */
function problemsOfTimes(spec: unknown): string[] {
  const given = isRecord(spec) ? Object.entries(spec).filter(([, value]) => value !== undefined) : [];
  const [[kind, value] = []] = given;
  if (given.length !== 1 || kind === undefined || !Object.hasOwn(TIMES, kind))
    return ['spec: must be one of { cron }, { every } and { calendar }'];
  return TIMES[kind as keyof typeof TIMES](value).map((problem) => `${kind}: ${problem}`);
}

const TIMES = {
  cron: (value: unknown) => (typeof value === 'string' ? problemsIn(readCron(value)) : ['must be a text']),
  every: problemsOfInterval,
  calendar: (value: unknown) => {
    const calendars = Array.isArray(value) ? (value as unknown[]) : [value];
    return calendars.length > 0
      ? calendars.flatMap((one) => problemsIn(readCalendar(one)))
      : ['must not be empty'];
  },
};

function problemsIn(read: ReadCalendar): string[] {
  return 'problems' in read ? read.problems : [];
}

function problemsOfInterval(value: unknown): string[] {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms === undefined) return [`${JSON.stringify(value)} is not ${DURATION_FORM}`];
  return ms >= SHORTEST_INTERVAL_MS && ms % 1_000 === 0 ? [] : ['must be whole seconds, at least one'];
}

function problemsOfZone(timezone: unknown): string[] {
  if (timezone === undefined) return [];
  return typeof timezone === 'string' && isZone(timezone)
    ? []
    : [`timezone: ${JSON.stringify(timezone)} is not the name of a time zone, like Europe/Berlin`];
}

function problemsOfCatchup(catchup: unknown): string[] {
  if (catchup === undefined) return [];
  const ms = typeof catchup === 'string' ? parseDuration(catchup) : undefined;
  if (ms === undefined) return [`catchup: ${JSON.stringify(catchup)} is not ${DURATION_FORM}`];
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
