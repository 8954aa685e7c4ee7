const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** A time with its zone: the same text must mean the same moment on every machine. */
export function isZonedTime(text: string): boolean {
  return TIME.test(text) && !Number.isNaN(Date.parse(text));
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time as people write it: `50ms`, `15s`, `1.5h`, `7d`. A bare number has no unit and is refused. */
export type Duration = string;

export const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
export const DURATION_FORM = 'a number with a unit, like 50ms, 15s, 10m, 1h or 7d';

export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  return Math.round(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]);
}

/** 0 for a text that is no duration. */
export function msOf(duration: Duration): number {
  return parseDuration(duration) ?? 0;
}

/** In the largest unit that gives a whole number. */
export function toDuration(ms: number): Duration {
  const units = Object.keys(UNITS).reverse() as (keyof typeof UNITS)[];
  const largest = units.find((unit) => ms >= UNITS[unit] && ms % UNITS[unit] === 0) ?? 'ms';
  return `${ms / UNITS[largest]}${largest}`;
}

/** For people: `1h 5m`, `15s`. */
export function formatDuration(ms: number): string {
  if (ms < UNITS.s) return `${Math.round(ms)}ms`;
  if (ms < UNITS.m) return `${Number((ms / UNITS.s).toFixed(1))}s`;
  const [larger, smaller] =
    ms < UNITS.h ? (['m', 's'] as const) : ms < UNITS.d ? (['h', 'm'] as const) : (['d', 'h'] as const);
  const wholeSmaller = Math.floor(ms / UNITS[smaller]);
  const perLarger = UNITS[larger] / UNITS[smaller];
  const rest = wholeSmaller % perLarger;
  return `${Math.floor(wholeSmaller / perLarger)}${larger}${rest ? ` ${rest}${smaller}` : ''}`;
}
