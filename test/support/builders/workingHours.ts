/** Working hours in Berlin, the time zone of the sandbox's workspace. */
import { firstWorkingMoment } from '../../../src/activities/clock';
import { dateOf, localTime } from '../../../src/calendar/zones';

const BERLIN = 'Europe/Berlin';
const HOUR_MS = 3_600_000;

export interface BerlinTime {
  day: string;
  hour: number;
  offset: string;
}

export function inBerlin(time: Date): BerlinTime {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: BERLIN,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(time);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return { day: part('weekday'), hour: Number(part('hour')), offset: part('timeZoneName') };
}

export function isWorkingTime({ day, hour }: BerlinTime): boolean {
  return !['Sat', 'Sun'].includes(day) && hour >= 9 && hour < 18;
}

/** The first full hour from then on for which `wanted` holds in Berlin. */
export function hourInBerlin(from: number, wanted: (time: BerlinTime) => boolean): number {
  let hour = Math.ceil(from / HOUR_MS) * HOUR_MS;
  while (!wanted(inBerlin(new Date(hour)))) hour += HOUR_MS;
  return hour;
}

/** The first day of the week in which a nudge of that moment is sent in Berlin. */
export function nudgeWeekInBerlin(from: number): string {
  return dateOf(localTime(firstWorkingMoment(from, BERLIN), BERLIN).startOf('week'));
}

/** A clock for a worker that starts at this time. */
function since(time: string): () => number {
  const ahead = Date.parse(time) - Date.now();
  return () => Date.now() + ahead;
}

export const onAWednesday = since('2026-03-04T10:00:00Z');
/** A clock that does not move: working hours always end in two seconds. */
export const onAFridayEvening = (): number => Date.parse('2026-03-06T16:59:58Z');
export const onASaturday = since('2026-03-07T10:00:00Z');
