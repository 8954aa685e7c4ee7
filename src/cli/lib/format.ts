import { formatDuration } from '../../contract/durations';

/** Leaves out what is false, null or empty: `condition && line`. */
export function lines(...all: (string | string[] | false | null | undefined)[]): string[] {
  return all.flat().flatMap((line) => (line ? [line] : []));
}

export function counted(count: number, what: string, plural = `${what}s`): string {
  return `${count} ${count === 1 ? what : plural}`;
}

export function table(rows: string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((text, column) => Math.max(most[column] ?? 0, text.length)),
    [],
  );
  const lineOf = (row: string[]): string =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => lineOf(row).trimEnd());
}

export function inZone(time: string | null, zone: string): string {
  if (time === null) return '';
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hour12: false, timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat('en-GB', { ...day, ...clock, timeZone: zone }).format(new Date(time));
}

export function age(since: string): string {
  return formatDuration(Math.max(0, Date.now() - Date.parse(since)));
}
