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
  words: string;
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
  second: { words: 'second', least: 0, most: 59, leftOut: 0 },
  minute: { words: 'minute', least: 0, most: 59, leftOut: 0 },
  hour: { words: 'hour', least: 0, most: 23, leftOut: 0 },
  dayOfMonth: { words: 'day of the month', least: 1, most: 31 },
  month: { words: 'month', least: 1, most: 12, names: MONTHS },
  dayOfWeek: { words: 'day of the week', least: 0, most: 6, names: DAYS },
  year: { words: 'year', least: 2000, most: 2100 },
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
  const texts = new Map(names.map((name, place) => [name, parts[place] ?? '']));
  return readFields((name, field) => {
    const part = texts.get(name);
    return part === undefined ? undefined : valuesOfCron(part, field);
  });
}

/** As Temporal's own calendars are written: a value, a range, a list of them, or `*`. */
export function readCalendar(value: unknown): ReadCalendar {
  if (!isRecord(value)) return { problems: ['must be an object, like { "hour": 2, "dayOfWeek": "MONDAY" }'] };
  const { comment, ...fields } = value;
  const unknown = Object.keys(fields).filter((name) => !FIELD_NAMES.includes(name as FieldName));
  const read = readFields((name, field) =>
    fields[name] === undefined ? undefined : valuesOfMember(fields[name], field),
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

/** Whether it means times of a day, and not whatever hour it is. */
export function isOfCertainHours({ hour }: Calendar): boolean {
  return hour.size < 24;
}

/** `read` gives the values of a field, undefined where it is left out, and null where it is not understood. */
function readFields(read: (name: FieldName, field: Field) => number[] | null | undefined): ReadCalendar {
  const problems: string[] = [];
  const calendar = Object.fromEntries(
    FIELD_NAMES.map((name): [FieldName, ReadonlySet<number>] => {
      const field: Field = FIELDS[name];
      const values = read(name, field);
      if (values === null) problems.push(`${field.words}: must be ${formOf(field)}`);
      const { least, most, leftOut } = field;
      return [name, new Set(values ?? range(leftOut ?? least, leftOut ?? most, 1, field))];
    }),
  ) as Calendar;
  return problems.length > 0 ? { problems } : { calendar };
}

function formOf({ least, most, names }: Field): string {
  const [first, second] = names ?? [];
  return `from ${least} to ${most}${names ? `, or a name like ${first} or ${second}` : ''}: a value, a range, a list or *`;
}

/** `5`, `1-5`, `8-18/2`, `mon,wed` or all of them; with a step, a single value is where it begins. */
function valuesOfCron(text: string, field: Field): number[] | null {
  return together(
    text.split(',').map((part) => {
      const [, from = '', to, every] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
      const step = Number(every ?? 1);
      if (from === '*') return to === undefined ? range(field.least, field.most, step, field) : undefined;
      const start = valueOf(from, field);
      const end = to !== undefined ? valueOf(to, field) : every === undefined ? start : field.most;
      return range(start, end, step, field);
    }),
  );
}

function valuesOfMember(value: unknown, field: Field): number[] | null {
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  return together(
    items.map((item) => {
      if (value === '*') return range(field.least, field.most, 1, field);
      const { start, end = start, step = 1, ...unknown } = isRecord(item) ? item : { start: item };
      if (Object.keys(unknown).length > 0 || typeof step !== 'number') return undefined;
      return range(memberOf(start, field), memberOf(end, field), step, field);
    }),
  );
}

/** Null where one of them is not understood, or there is none. */
function together(parts: (number[] | undefined)[]): number[] | null {
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts.flat() : null;
}

function range(
  start: number | undefined,
  end: number | undefined,
  step: number,
  { least, most, names }: Field,
): number[] | undefined {
  if (start === undefined || end === undefined || !Number.isInteger(step) || step < 1) return undefined;
  const isDay = names === DAYS;
  if (start < least || start > end || end > (isDay ? SUNDAY_AS_SEVEN : most)) return undefined;
  const length = Math.floor((end - start) / step) + 1;
  return Array.from({ length }, (_, n) => (isDay ? (start + n * step) % 7 : start + n * step));
}

/** A number, or a name or the first three letters of it. */
function valueOf(text: string, { least, names }: Field): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const index = text.length < 3 ? -1 : (names ?? []).findIndex((name) => name.startsWith(text.toUpperCase()));
  return index === -1 ? undefined : index + least;
}

/** Names where there are names: the SDK takes nothing else. */
function memberOf(value: unknown, { least, names }: Field): number | undefined {
  if (!names) return Number.isInteger(value) ? (value as number) : undefined;
  const index = names.indexOf(value as string);
  return index === -1 ? undefined : index + least;
}
