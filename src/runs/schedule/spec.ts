import { DAYS_OF_WEEK, MONTHS, type ScheduleDescription, type ScheduleSpec } from '@temporalio/client';
import {
  DEFAULT_SCHEDULE,
  SCHEDULE_OVERLAPS,
  type ScheduleOverlap,
  type ScheduleTarget,
  type ScheduleTimes,
  type SkippedFirings,
} from '../../contract';
import { isScheduleName, SCHEDULE_NAME_FORM } from '../../contract/ids';
import { digest } from '../../platform/digest';
import { type Duration, DURATION_FORM, isZonedTime, msOf } from '../../contract/durations';
import { durationFrom } from '../../validation/fields';
import { isRecord } from '../../validation/inputs';
import { must, oneOf, openObject, required, type Rule, validate } from '../../validation/rules';
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

const LONGEST_NOTE = 1_000;
/** The server takes no shorter one. */
const SHORTEST_CATCHUP_MS = 10_000;

function textThat(be: string, isGood: (text: string) => boolean): Rule {
  return must(be, { type: 'string' }, (value) => typeof value === 'string' && isGood(value));
}

const name = required(textThat(SCHEDULE_NAME_FORM, isScheduleName));
const overlap = oneOf(SCHEDULE_OVERLAPS);
const note = textThat(
  `a text of at most ${LONGEST_NOTE} characters`,
  (value) => value.trim() !== '' && value.length <= LONGEST_NOTE,
);
const time = textThat(
  'a time with its zone, like 2026-01-31T02:00:00Z or 2026-01-31T02:00:00+01:00',
  isZonedTime,
);
const orders = {
  show: openObject({ name }),
  pause: openObject({ name, note: required(note) }),
  resume: openObject({ name, note }),
  trigger: openObject({ name, overlap }),
  backfill: openObject({ name, from: required(time), to: required(time), overlap }),
  delete: openObject({ name }),
};
const ofSchedule = openObject({
  ...{ name, overlap, note },
  timezone: textThat('the name of a time zone, like Europe/Berlin', isZone),
  catchup: durationFrom(SHORTEST_CATCHUP_MS),
});

export function validateSchedule(scheduleName: string, options: ScheduleOptions): string[] {
  return [
    ...validate(ofSchedule, { ...options, name: scheduleName }),
    ...validateTimes(options.spec),
    ...validateTarget(options.target),
  ];
}

export interface ScheduleOrder extends FiringOptions {
  name: string;
  note?: string;
  /** Of a backfill. */
  from?: string;
  to?: string;
}

/** Of an order to a schedule that exists. */
export function validateScheduleOrder(verb: keyof typeof orders, order: ScheduleOrder): string[] {
  const [first, last] = [Date.parse(String(order.from)), Date.parse(String(order.to))];
  return [
    ...validate(orders[verb], order),
    ...(first > last ? ['to: is before from'] : []),
    ...(last > Date.now() ? ['to: is in the future, and will fire by itself'] : []),
  ];
}

function isInterval(value: unknown): boolean {
  const ms = typeof value === 'string' ? msOf(value) : 0;
  return ms >= 1_000 && ms % 1_000 === 0;
}

/** The greatest value of each member of a calendar, or all its values. */
const CALENDAR: Partial<Record<string, number | readonly unknown[]>> = {
  ...{ second: 59, minute: 59, hour: 23, dayOfMonth: 31 },
  ...{ month: MONTHS, dayOfWeek: DAYS_OF_WEEK, year: 2100 },
};
const CALENDAR_FORM = `a calendar of Temporal, like { "hour": 2, "dayOfWeek": "MONDAY" }; it has ${Object.keys(CALENDAR).join(', ')}`;

/** Checks only what the SDK ignores instead of refusing it: other members, no values at all, and bad ends and steps. */
function isCalendar(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { comment: _comment, ...members } = value;
  return Object.entries(members).every(([name, member]) => {
    const ranges = [member].flat();
    return ranges.length > 0 && ranges.every((range) => isRange(range, CALENDAR[name]));
  });
}

function isRange(range: unknown, values: number | readonly unknown[] | undefined): boolean {
  if (values === undefined || !isRecord(range)) return values !== undefined;
  const { start, end = start, step = 1, ...unknown } = range;
  const place = (value: unknown): number =>
    typeof values === 'number' ? Number(value) : values.indexOf(value);
  const last = typeof values === 'number' ? values : values.length - 1;
  const isInBounds = place(end) >= place(start) && place(end) <= last;
  return isInBounds && Number.isInteger(step) && Number(step) > 0 && Object.keys(unknown).length === 0;
}

/** Exactly one of the three. The server reads cron expressions and calendars; the time zone is separate. */
function validateTimes(spec: unknown): string[] {
  const given = isRecord(spec) ? Object.entries(spec).filter(([, value]) => value !== undefined) : [];
  const [[kind, value] = []] = given.length === 1 ? given : [];
  if (kind === 'every') return isInterval(value) ? [] : [`every: must be ${DURATION_FORM}, in whole seconds`];
  if (kind === 'cron')
    return typeof value === 'string' && !/@every|[=#]/.test(value)
      ? []
      : [`cron: ${JSON.stringify(value)} is not a cron expression, like "0 2 * * *"`];
  const calendars = [value].flat();
  if (kind === 'calendar' && calendars.length > 0)
    return calendars
      .filter((one) => !isCalendar(one))
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
  if ('every' in spec) return { intervals: [{ every: msOf(spec.every) }] };
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

export function skippedFirings({ info, raw }: ScheduleDescription): SkippedFirings {
  return {
    overlap: info.numActionsSkippedOverlap,
    catchup: info.numActionsMissedCatchupWindow,
    buffer: Number(raw.info?.bufferDropped ?? 0),
  };
}
