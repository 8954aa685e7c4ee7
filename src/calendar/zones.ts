/**
 * Local times, and what schedules do on the two days of a year on which clocks change. Only for activities and clients: the
 * rules of time zones change with the version of Node.
 */
import { type ScheduleDescription } from '@temporalio/client';
import { DateTime, IANAZone } from 'luxon';
import { firedKey } from '../contract/ids';

export function isZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

export function localTime(moment: number, zone: string): DateTime {
  return DateTime.fromMillis(moment, { zone });
}

/** `2026-03-02` */
export function dateOf(time: DateTime): string {
  return time.toISODate() ?? '';
}

/** Whether the zone puts its clock back close to this moment: only then a time of day comes twice. */
export function isPutBack(moment: number, zone: string): boolean {
  const time = localTime(moment, zone);
  return time.plus({ hours: 1 }).offset < time.minus({ hours: 1 }).offset;
}

/** What fires a schedule, as the server has read it: its cron expression or calendars. None for an interval. */
export type Calendar = ReturnType<typeof calendarsOf>[number];

export function calendarsOf({ raw }: Pick<ScheduleDescription, 'raw'>) {
  return raw.schedule?.spec?.structuredCalendar ?? [];
}

/**
 * The moment that a firing stands for. Where the clock is put back, the server fires for one time of the clock twice, an
 * hour apart: for the hour that comes twice or, east of Greenwich, for the one before it. A schedule for 01:00 means one of
 * them, so the second stands for the first. A schedule for every hour means both.
 */
export function meantMoment(moment: number, calendars: Calendar[], zone: string): number {
  const time = localTime(moment, zone);
  const before = time.minus({ hours: 1 });
  const isMeant = (one: DateTime): boolean => calendars.some((calendar) => matches(calendar, one));
  if (!isPutBack(moment, zone) || calendars.some(isOfEveryHour) || !isMeant(before)) return moment;
  const showsTheSame = before.offset - time.offset === 60;
  return showsTheSame || !isMeant(time) ? before.toMillis() : moment;
}

function isOfEveryHour({ hour }: Calendar): boolean {
  return Array.from({ length: 24 }, (_, n) => n).every((n) => isIn(hour, n));
}

function matches(calendar: Calendar, time: DateTime): boolean {
  const { year, month, day, weekday, hour, minute, second } = time;
  const isOf = isIn(calendar.hour, hour) && isIn(calendar.minute, minute) && isIn(calendar.second, second);
  const isDay = isIn(calendar.dayOfMonth, day) && isIn(calendar.dayOfWeek, weekday % 7);
  return (
    isOf && isDay && isIn(calendar.month, month) && (!calendar.year?.length || isIn(calendar.year, year))
  );
}

function isIn(ranges: Calendar['hour'], value: number): boolean {
  return (ranges ?? []).some(({ start, end, step }) => {
    const first = start ?? 0;
    return (
      value >= first && value <= Math.max(first, end ?? 0) && (value - first) % Math.max(step ?? 1, 1) === 0
    );
  });
}

/** The key of what a firing starts: of the moment that it stands for. */
export function keyOfFiring(
  { schedule, time }: { schedule: string; time: string },
  calendars: Calendar[],
  timezone: string,
): string {
  return firedKey(schedule, new Date(meantMoment(Date.parse(time), calendars, timezone)).toISOString());
}
