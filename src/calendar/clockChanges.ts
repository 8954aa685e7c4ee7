/** What schedules meet on the two days of a year on which clocks are changed. */
import { type Calendar, isOfCertainHours, matches, readCalendar, readCron } from './calendars';
import { type ScheduleTimes } from '../contract';
import { firedKey } from '../contract/ids';
import { clockChange, DAY_MS, offsetAt } from './zones';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const YEAR_MS = 366 * DAY_MS;

/**
 * The moment that a firing stands for. Where the clock is put back, the server fires for one time of the clock twice, an
 * hour apart: for the hour that comes twice or, east of Greenwich, for the one before it. Whoever asked for 01:00 means one
 * of them, so the second stands for the first. Whoever asked for every hour means both.
 */
export function meantMoment(moment: number, spec: ScheduleTimes, zone: string): number {
  const calendars = calendarsOf(spec);
  if (calendars.length === 0 || !calendars.every(isOfCertainHours)) return moment;
  const before = moment - HOUR_MS;
  const isPutBack = offsetAt(moment + HOUR_MS, zone) < offsetAt(before, zone);
  const isMeant = (time: number): boolean => calendars.some((calendar) => matches(calendar, time, zone));
  if (!isPutBack || !isMeant(before)) return moment;
  const showsTheSame = before + offsetAt(before, zone) === moment + offsetAt(moment, zone);
  return showsTheSame || !isMeant(moment) ? before : moment;
}

/** The key of what a firing starts: of the moment that it stands for. */
export function keyOfFiring(
  { schedule, time }: { schedule: string; time: string },
  { spec, timezone }: { spec: ScheduleTimes; timezone: string },
): string {
  return firedKey(schedule, new Date(meantMoment(Date.parse(time), spec, timezone)).toISOString());
}

/** In words, the times within a year that no clock of this zone shows: nothing fires then. */
export function missingTimes(spec: ScheduleTimes, zone: string, from: number): string[] {
  const calendars = calendarsOf(spec).filter(isOfCertainHours);
  if (calendars.length === 0) return [];
  return clockChanges(zone, from, from + YEAR_MS).flatMap((change) => {
    const [before, after] = [offsetAt(change - 1, zone), offsetAt(change, zone)];
    // What a clock would have shown, were it not changed; read as UTC, which never is.
    const shown = change + before;
    const minutes = Array.from(
      { length: Math.max(0, after - before) / MINUTE_MS },
      (_, n) => shown + n * MINUTE_MS,
    );
    const isMissing = (minute: number): boolean =>
      calendars.some((calendar) =>
        [...calendar.second].some((second) => matches(calendar, minute + second * 1_000, 'UTC')),
      );
    const missing = minutes.filter(isMissing).map((minute) => new Date(minute).toISOString());
    return missing
      .slice(0, 1)
      .map(
        (time) =>
          `${time.slice(0, 10)} has no ${time.slice(11, 16)} in ${zone}, where clocks are put forward: nothing fires for it`,
      );
  });
}

function clockChanges(zone: string, from: number, until: number): number[] {
  const next = clockChange(from, until, zone);
  return next === undefined ? [] : [next, ...clockChanges(zone, next, until)];
}

/** None for an interval, which no clock matters to. */
function calendarsOf(spec: ScheduleTimes): Calendar[] {
  if ('every' in spec) return [];
  const read = 'cron' in spec ? [readCron(spec.cron)] : [spec.calendar].flat().map(readCalendar);
  return read.flatMap((one) => ('calendar' in one ? [one.calendar] : []));
}
