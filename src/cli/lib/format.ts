/** Values as text for people: tables, times, fields of a record. */
import { formatDuration } from '../../contract/durations';

/** Rows under aligned columns. */
export function table(rows: string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

const LONGEST_CELL = 60;

/** One value in one cell: a time in the given zone, anything structured as short JSON. */
export function cell(value: unknown, zone: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return oneLine(isTime(value) ? inZone(value, zone) : value);
  return oneLine(JSON.stringify(value));
}

/** Records of a shape that is not published: every field that some record has, a column each. */
export function recordTable(records: unknown[], zone: string): string[] {
  const objects = records.map((record) =>
    record !== null && typeof record === 'object' && !Array.isArray(record)
      ? (record as Record<string, unknown>)
      : { value: record },
  );
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return table([columns, ...objects.map((object) => columns.map((column) => cell(object[column], zone)))]);
}

/** Fields of one record, a line each; what has a structure is shown whole, below its name. */
export function fieldLines(record: Record<string, unknown>, zone: string): string[] {
  const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object';
  const plain = Object.entries(record).filter(([, value]) => isPlain(value));
  const structured = Object.entries(record).filter(([, value]) => !isPlain(value));
  return [
    ...table(plain.map(([name, value]) => [name, whole(value, zone)])),
    ...structured.flatMap(([name, value]) => [
      `${name}:`,
      JSON.stringify(value, null, 2).replace(/^/gm, '  '),
    ]),
  ];
}

function whole(value: unknown, zone: string): string {
  return typeof value === 'string' && !isTime(value) ? value.replace(/\s+/g, ' ') : cell(value, zone);
}

function isTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}

/** With the zone beside it: a time without one is a guess. */
function inZone(time: string, zone: string): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hour12: false, timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat('en-GB', { ...day, ...clock, timeZone: zone }).format(new Date(time));
}

function oneLine(text: string): string {
  return truncate(text.replace(/\s+/g, ' '), LONGEST_CELL);
}

export function truncate(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, Math.max(1, longest - 1))}…` : text;
}

/** How long ago that was. */
export function age(since: string): string {
  return formatDuration(Math.max(0, Date.now() - Date.parse(since)));
}
