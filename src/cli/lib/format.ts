/** Values as text for people: lines, tables, times, fields of a record. */
import { formatDuration } from '../../contract/durations';
import { truncate } from '../../api/json';
import { isRecord } from '../../validation/inputs';

/** Leaves out what is false, null or empty: `condition && line`. */
export function lines(...all: (string | string[] | false | null | undefined)[]): string[] {
  return all.flat().flatMap((line) => (line ? [line] : []));
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Rows under aligned columns. */
export function table(rows: string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((text, column) => Math.max(most[column] ?? 0, text.length)),
    [],
  );
  const lineOf = (row: string[]): string =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => lineOf(row).trimEnd());
}

const LONGEST_CELL = 60;

/** One value on one line; anything structured is JSON. */
function cell(value: unknown, longest = LONGEST_CELL): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return truncate(text.replace(/\s+/g, ' '), longest);
}

/** The shape of these records is not published: every field is a column. */
export function recordTable(records: unknown[]): string[] {
  const objects = records.map((record) => (isRecord(record) ? record : { value: record }));
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return table([columns, ...objects.map((object) => columns.map((column) => cell(object[column])))]);
}

/** One line for each plain field; objects and lists follow as JSON. */
export function fieldLines(record: Record<string, unknown>): string[] {
  const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object';
  const plain = Object.entries(record).filter(([, value]) => isPlain(value));
  const structured = Object.entries(record).filter(([, value]) => !isPlain(value));
  return [
    ...table(plain.map(([name, value]) => [name, cell(value, Infinity)])),
    ...structured.flatMap(([name, value]) => [
      `${name}:`,
      JSON.stringify(value, null, 2).replace(/^/gm, '  '),
    ]),
  ];
}

/** The time with its zone. */
export function inZone(time: string | null, zone: string): string {
  if (time === null) return '';
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hour12: false, timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat('en-GB', { ...day, ...clock, timeZone: zone }).format(new Date(time));
}

export function age(since: string): string {
  return formatDuration(Math.max(0, Date.now() - Date.parse(since)));
}
