/** Clocks on walls. Only for activities and clients: what a zone's clock shows changes with the version of Node. */

/** What a clock shows. */
export interface LocalTime {
  /** `2026-03-02` */
  date: string;
  /** 1 is Monday, 7 Sunday. */
  weekday: number;
  /** Milliseconds since its midnight, as the clock counts them. */
  timeOfDay: number;
}

export const DAY_MS = 86_400_000;

export function isZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

export function localTime(moment: number, zone: string): LocalTime {
  const shown = moment + offsetAt(moment, zone);
  const date = new Date(shown).toISOString().slice(0, 10);
  return { date, weekday: weekdayOf(date), timeOfDay: shown - Date.parse(date) };
}

/** How far the clock is ahead of UTC, in milliseconds. */
export function offsetAt(moment: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(moment);
  const part = (name: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find(({ type }) => type === name)?.value);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  // The parts tell whole seconds.
  return shown - Math.floor(moment / 1_000) * 1_000;
}

/** The first moment after `from`, up to `until`, at which the clock is put forward or back; undefined if it is not. */
export function clockChange(from: number, until: number, zone: string): number | undefined {
  const before = offsetAt(from, zone);
  for (let unchanged = from; unchanged < until;) {
    const next = Math.min(unchanged + LOOK_EVERY_MS, until);
    if (offsetAt(next, zone) !== before) return firstChanged(unchanged, next, zone);
    unchanged = next;
  }
  return undefined;
}

/** No clock was ever put forward and back again within this time. */
const LOOK_EVERY_MS = 3_600_000;

function firstChanged(unchanged: number, changed: number, zone: string): number {
  const before = offsetAt(unchanged, zone);
  let [low, high] = [unchanged, changed];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, zone) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** 1 is Monday, 7 Sunday. */
export function weekdayOf(date: string): number {
  return new Date(date).getUTCDay() || 7;
}

/** The date so many days later, or earlier. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making one takes longer than using it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}
