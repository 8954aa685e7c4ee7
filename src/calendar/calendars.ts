/**
 * Cron expressions and calendars, as the Temporal server reads them: what is wrong with one, and which times of a clock
 * it means.
 */
import { type DateTime } from 'luxon';
import { isRecord } from '../api/json';

/** Which values of each field match; a time matches when all of its fields do. */
export type Calendar = Record<FieldName, ReadonlySet<number>>;

/** What was read, or everything that is wrong with it. */
export type ReadCalendar = { calendar: Calendar } | { problems: string[] };

type FieldName = keyof typeof FIELDS;

interface Field {
  label: string;
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
  second: { label: 'second', least: 0, most: 59, leftOut: 0 },
  minute: { label: 'minute', least: 0, most: 59, leftOut: 0 },
  hour: { label: 'hour', least: 0, most: 23, leftOut: 0 },
  dayOfMonth: { label: 'day of the month', least: 1, most: 31 },
  month: { label: 'month', least: 1, most: 12, names: MONTHS },
  dayOfWeek: { label: 'day of the week', least: 0, most: 6, names: DAYS },
  year: { label: 'year', least: 2000, most: 2100 },
} as const satisfies Record<string, Field>;

const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

const BY_MINUTE: FieldName[] = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
/** Which fields a cron expression has, by how many there are. */
const CRON_FIELDS: Partial<Record<number, FieldName[]>> = {
  5: BY_MINUTE,
  6: [...BY_MINUTE, 'year'],
  7: ['second', ...BY_MINUTE, 'year'],
};
const CRON_FORM =
  '5 fields (minute, hour, day of the month, month, day of the week), like "0 2 * * *", or 6 with the year';

const SHORTHANDS: Partial<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
};

export function readCron(text: string): ReadCalendar {
  const cron = text.trim();
  const parts = (SHORTHANDS[cron] ?? cron).split(/\s+/);
  const names = CRON_FIELDS[parts.length];
  if (!names || cron.startsWith('@every') || cron.includes('=') || cron.includes('#'))
    return { problems: [`"${text}" is not ${CRON_FORM}`] };
  return readFields((name) => parts[names.indexOf(name)]);
}

/** As Temporal's own calendars are written: a value, a range, a list of them, or `*`. */
export function readCalendar(value: unknown): ReadCalendar {
  if (!isRecord(value)) return { problems: ['must be an object, like { "hour": 2, "dayOfWeek": "MONDAY" }'] };
  const { comment, ...fields } = value;
  const unknown = Object.keys(fields).filter((name) => !FIELD_NAMES.includes(name as FieldName));
  const read = readFields((name, field) =>
    fields[name] === undefined ? undefined : cronOfMember(fields[name], field),
  );
  const problems = [
    ...unknown.map((name) => `${name}: is not known; a calendar has ${FIELD_NAMES.join(', ')}`),
    ...(comment === undefined || typeof comment === 'string' ? [] : ['comment: must be a text']),
    ...('problems' in read ? read.problems : []),
  ];
  return problems.length > 0 ? { problems } : read;
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
function readFields(cronOf: (name: FieldName, field: Field) => string | undefined): ReadCalendar {
  const problems: string[] = [];
  const calendar = Object.fromEntries(
    FIELD_NAMES.map((name): [FieldName, ReadonlySet<number>] => {
      const field: Field = FIELDS[name];
      const parts = (cronOf(name, field) ?? String(field.leftOut ?? '*')).split(',');
      const values = parts.map((part) => valuesOf(part, field));
      if (values.includes(undefined)) problems.push(`${field.label}: must be ${formOf(field)}`);
      return [name, new Set(values.flatMap((some) => some ?? []))];
    }),
  ) as Calendar;
  return problems.length > 0 ? { problems } : { calendar };
}

function formOf({ least, most, names }: Field): string {
  const [first, second] = names ?? [];
  return `from ${least} to ${most}${names ? `, or a name like ${first} or ${second}` : ''}: a value, a range, a list or *`;
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
