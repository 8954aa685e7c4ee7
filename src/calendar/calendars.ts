/** Cron expressions and calendars, as the Temporal server reads them: which times of a clock they mean. */
import { type DateTime } from 'luxon';
import { isRecord } from '../api/json';

/** Which values of each field match; a time matches when all of its fields do. */
export type Calendar = Record<FieldName, ReadonlySet<number>>;

type FieldName = keyof typeof FIELDS;

interface Field {
  least: number;
  most: number;
  /** What a field that is left out matches; default: everything. */
  leftOut?: number;
  /** From the first value on. */
  names?: readonly string[];
}

const MONTHS = [
  ...['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE'],
  ...['JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'],
];
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
const SUNDAY_AS_SEVEN = 7;

const FIELDS = {
  second: { least: 0, most: 59, leftOut: 0 },
  minute: { least: 0, most: 59, leftOut: 0 },
  hour: { least: 0, most: 23, leftOut: 0 },
  dayOfMonth: { least: 1, most: 31 },
  month: { least: 1, most: 12, names: MONTHS },
  dayOfWeek: { least: 0, most: 6, names: DAYS },
  year: { least: 2000, most: 2100 },
} as const satisfies Record<string, Field>;

const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

const BY_MINUTE: FieldName[] = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
/** Which fields a cron expression has, by how many there are. */
const CRON_FIELDS: Partial<Record<number, FieldName[]>> = {
  5: BY_MINUTE,
  6: [...BY_MINUTE, 'year'],
  7: ['second', ...BY_MINUTE, 'year'],
};
export const CRON_FORM =
  'a cron expression of 5 fields (minute, hour, day of the month, month, day of the week), like "0 2 * * *", or 6 with the year';

const SHORTHANDS: Partial<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Undefined for any other text. */
export function readCron(text: string): Calendar | undefined {
  const cron = text.trim();
  const parts = (SHORTHANDS[cron] ?? cron).split(/\s+/);
  const names = CRON_FIELDS[parts.length];
  if (!names || cron.startsWith('@every') || cron.includes('=') || cron.includes('#')) return undefined;
  return readFields((name) => parts[names.indexOf(name)]);
}

export const CALENDAR_FORM = `a calendar of Temporal, like { "hour": 2, "dayOfWeek": "MONDAY" }; it has ${FIELD_NAMES.join(', ')}`;

/** As Temporal's own calendars are written: a value, a range, a list of them, or `*`. Undefined for anything else. */
export function readCalendar(value: unknown): Calendar | undefined {
  if (!isRecord(value)) return undefined;
  const { comment = '', ...fields } = value;
  const isKnown = Object.keys(fields).every((name) => FIELD_NAMES.includes(name as FieldName));
  if (!isKnown || typeof comment !== 'string') return undefined;
  return readFields((name, field) =>
    fields[name] === undefined ? undefined : cronOfMember(fields[name], field),
  );
}

export function matches(calendar: Calendar, time: DateTime): boolean {
  const { year, month, day, weekday, hour, minute, second } = time;
  const shown = { year, month, dayOfMonth: day, dayOfWeek: weekday % 7, hour, minute, second };
  return FIELD_NAMES.every((name) => calendar[name].has(shown[name]));
}

/** Whether it fires in certain hours of the day only. */
export function isOfCertainHours({ hour }: Calendar): boolean {
  return hour.size < 24;
}

/** `cronOf` gives a field as a cron expression writes it; undefined where it is left out. */
function readFields(cronOf: (name: FieldName, field: Field) => string | undefined): Calendar | undefined {
  const read = FIELD_NAMES.map((name) => {
    const field: Field = FIELDS[name];
    const parts = (cronOf(name, field) ?? String(field.leftOut ?? '*')).split(',');
    return [name, parts.map((part) => valuesOf(part, field))] as const;
  });
  if (read.some(([, values]) => values.includes(undefined))) return undefined;
  return Object.fromEntries<ReadonlySet<number>>(
    read.map(([name, values]) => [name, new Set(values.flatMap((some) => some ?? []))]),
  ) as Calendar;
}

/** A member of a calendar as a cron expression writes it; an empty text where it is not understood. */
function cronOfMember(value: unknown, { names }: Field): string {
  if (value === '*') return value;
  // Names where there are names: the SDK takes only names.
  const isValue = (one: unknown): boolean => (names ? names.includes(one as string) : Number.isInteger(one));
  const ranges = [value].flat().map((item) => {
    const { start, end = start, step = 1, ...unknown } = isRecord(item) ? item : { start: item };
    const isUnderstood = isValue(start) && isValue(end) && Object.keys(unknown).length === 0;
    return isUnderstood ? `${String(start)}-${String(end)}/${String(step)}` : '';
  });
  return ranges.join(',');
}

/** `*`, `5`, `1-5`, `8-18/2` or `mon-fri`; with a step, a single value is the first one. Undefined for any other text. */
function valuesOf(text: string, field: Field): number[] | undefined {
  const [, from, to, every] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(text) ?? [];
  if (from === undefined || (from === '*' && to !== undefined)) return undefined;
  const isOpen = from === '*' || every !== undefined;
  const start = from === '*' ? field.least : valueOf(from, field);
  const end = to !== undefined ? valueOf(to, field) : isOpen ? field.most : start;
  const step = Number(every ?? 1);
  if (start === undefined || end === undefined || step < 1) return undefined;
  const isDay = field.names === DAYS;
  if (start < field.least || start > end || end > (isDay ? SUNDAY_AS_SEVEN : field.most)) return undefined;
  const length = Math.floor((end - start) / step) + 1;
  return Array.from({ length }, (_, n) => (isDay ? (start + n * step) % 7 : start + n * step));
}

/** A number, or a name or the first three letters of it. */
function valueOf(text: string, { least, names }: Field): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const index = text.length < 3 ? -1 : (names ?? []).findIndex((name) => name.startsWith(text.toUpperCase()));
  return index === -1 ? undefined : index + least;
}
