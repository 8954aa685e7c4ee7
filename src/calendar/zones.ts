/**
 * Local times, and what schedules do on the two days of a year on which clocks change. Only for activities and clients: the
 * rules of time zones change with the version of Node.
 */
import { DateTime, IANAZone } from 'luxon';
import { type ScheduleTimes } from '../contract';
import { firedKey } from '../contract/ids';
import { type Calendar, isOfCertainHours, matches, readCalendar, readCron } from './calendars';

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

/**
 * The moment that a firing stands for. Where the clock is put back, the server fires for one time of the clock twice, an
 * hour apart: for the hour that comes twice or, east of Greenwich, for the one before it. A schedule for 01:00 means one of
 * them, so the second stands for the first. A schedule for every hour means both.
 */
export function meantMoment(moment: number, spec: ScheduleTimes, zone: string): number {
  const calendars = calendarsOf(spec);
  if (calendars.length === 0 || !calendars.every(isOfCertainHours)) return moment;
  const time = localTime(moment, zone);
  const before = time.minus({ hours: 1 });
  const isPutBack = time.plus({ hours: 1 }).offset < before.offset;
  const isMeant = (one: DateTime): boolean => calendars.some((calendar) => matches(calendar, one));
  if (!isPutBack || !isMeant(before)) return moment;
  const showsTheSame = before.offset - time.offset === 60;
  return showsTheSame || !isMeant(time) ? before.toMillis() : moment;
}

/** The key of what a firing starts: of the moment that it stands for. */
export function keyOfFiring(
  { schedule, time }: { schedule: string; time: string },
  { spec, timezone }: { spec: ScheduleTimes; timezone: string },
): string {
  return firedKey(schedule, new Date(meantMoment(Date.parse(time), spec, timezone)).toISOString());
}

/** None for an interval, which needs no clock. */
function calendarsOf(spec: ScheduleTimes): Calendar[] {
  if ('every' in spec) return [];
  const read = 'cron' in spec ? [readCron(spec.cron)] : [spec.calendar].flat().map(readCalendar);
  return read.flatMap((one) => one ?? []);
}
