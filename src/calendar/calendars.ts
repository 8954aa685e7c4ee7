/**
 * Cron expressions and calendars, as the Temporal server reads them: what is wrong with one, and which times of a clock
 * it means.
 */
import { isRecord } from '../api/json';
import { localTime } from './zones';

/** Which values of each field match; a time matches when all of its fields do. */
export type Calendar = Record<FieldName, ReadonlySet<number>>;

type FieldName = keyof typeof FIELDS;

interface Field {
  /** As cron fields are spoken of. */
  words: string;
  least: number;
  most: number;
  /** What a field that is left out matches; everything where it says nothing. */
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

/** What was read, or everything that is wrong with it. */
export type ReadCalendar = { calendar: Calendar } | { problems: string[] };

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
  return readFields((name) => {
    const part = texts.get(name);
    return part === undefined ? undefined : rangesOfCron(part, FIELDS[name]);
  });
}

/** As Temporal's own calendars are written: a value, a range, a list of them, or `*`. */
export function readCalendar(value: unknown): ReadCalendar {
  if (!isRecord(value)) return { problems: ['must be an object, like { "hour": 2, "dayOfWeek": "MONDAY" }'] };
  const { comment, ...fields } = value;
  const unknown = Object.keys(fields).filter((name) => !FIELD_NAMES.includes(name as FieldName));
  const read = readFields((name) =>
    fields[name] === undefined ? undefined : rangesOfValue(fields[name], FIELDS[name]),
  );
  const problems = [
    ...unknown.map((name) => `${name}: is not known; a calendar has ${FIELD_NAMES.join(', ')}`),
    ...(comment === undefined || typeof comment === 'string' ? [] : ['comment: must be a text']),
    ...('problems' in read ? read.problems : []),
  ];
  return problems.length > 0 ? { problems } : read;
}

/** Whether a clock in this zone shows one of the calendar's times at that moment. */
export function matches(calendar: Calendar, moment: number, zone: string): boolean {
  const { date, weekday, timeOfDay } = localTime(moment, zone);
  const [year = 0, month = 0, dayOfMonth = 0] = date.split('-').map(Number);
  const seconds = Math.floor(timeOfDay / 1_000);
  const shown: Record<FieldName, number> = {
    ...{ year, month, dayOfMonth },
    dayOfWeek: weekday % 7,
    hour: Math.floor(seconds / 3_600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
  };
  return FIELD_NAMES.every((name) => calendar[name].has(shown[name]));
}

/** Whether it means times of a day, and not whatever hour it is. */
export function isOfCertainHours({ hour }: Calendar): boolean {
  return hour.size < 24;
}

interface Range {
  start: number;
  end: number;
  step: number;
}

/** Its ranges, undefined where it is left out, or null where it is not understood. */
function readFields(read: (name: FieldName) => Range[] | null | undefined): ReadCalendar {
  const problems: string[] = [];
  const calendar = Object.fromEntries(
    FIELD_NAMES.map((name): [FieldName, ReadonlySet<number>] => {
      const field: Field = FIELDS[name];
      const ranges = read(name);
      if (ranges === null) problems.push(`${field.words}: must be ${formOf(field)}`);
      return [name, valuesOf(ranges ?? [leftOut(field)], field)];
    }),
  ) as Calendar;
  return problems.length > 0 ? { problems } : { calendar };
}

function leftOut({ least, most, leftOut: value }: Field): Range {
  return value === undefined ? { start: least, end: most, step: 1 } : { start: value, end: value, step: 1 };
}

function valuesOf(ranges: Range[], { names }: Field): Set<number> {
  const values = new Set<number>();
  for (const { start, end, step } of ranges)
    for (let value = start; value <= end; value += step) values.add(names === DAYS ? value % 7 : value);
  return values;
}

function formOf({ least, most, names }: Field): string {
  const [first, second] = names ?? [];
  return `from ${least} to ${most}${names ? `, or a name like ${first} or ${second}` : ''}: a value, a range, a list or *`;
}

/** `5`, `1-5`, `8-18/2`, `mon,wed` or all of them; with a step, a single value is where it begins. */
function rangesOfCron(text: string, field: Field): Range[] | null {
  const ranges = text.split(',').map((part): Range | undefined => {
    const [, from = '', to, every] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
    if (from === '*')
      return to === undefined ? rangeOf(field.least, field.most, Number(every ?? 1), field) : undefined;
    const start = valueOf(from, field);
    const end = to !== undefined ? valueOf(to, field) : every === undefined ? start : field.most;
    return rangeOf(start, end, Number(every ?? 1), field);
  });
  return ranges.every((range) => range !== undefined) ? ranges : null;
}

function rangesOfValue(value: unknown, field: Field): Range[] | null {
  if (value === '*') return [{ start: field.least, end: field.most, step: 1 }];
  const ranges = (Array.isArray(value) ? (value as unknown[]) : [value]).map((item): Range | undefined => {
    const { start: from, end: to, step = 1, ...unknown } = isRecord(item) ? item : { start: item };
    const start = memberOf(from, field);
    const end = to === undefined ? start : memberOf(to, field);
    return Object.keys(unknown).length === 0 && typeof step === 'number'
      ? rangeOf(start, end, step, field)
      : undefined;
  });
  return ranges.length > 0 && ranges.every((range) => range !== undefined) ? ranges : null;
}

function rangeOf(
  start: number | undefined,
  end: number | undefined,
  step: number,
  { least, most, names }: Field,
): Range | undefined {
  if (start === undefined || end === undefined || !Number.isInteger(step) || step < 1) return undefined;
  const isWithin = start >= least && start <= end && end <= (names === DAYS ? SUNDAY_AS_SEVEN : most);
  return isWithin ? { start, end, step } : undefined;
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
