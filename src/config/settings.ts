/** Reads settings one by one, and keeps every problem it meets until all have been read. */
import { fitsHeader } from '../api/scope';
import { isPointer } from '../api/json';
import { DURATION_FORM, type Duration, formatDuration, parseDuration } from '../contract/durations';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

export type Environment = Record<string, string | undefined>;

/** Thrown before anything is started, with every problem found. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    const heading = problems.length === 1 ? 'A setting is wrong:' : `${problems.length} settings are wrong:`;
    super([heading, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/** What `read` makes of the environment, or an error with everything that is wrong in it. */
export function readSettings<T>(env: Environment, read: (settings: Settings) => T): T {
  const settings = new Settings(env);
  const value = read(settings);
  // A setting that two readers share is told once.
  if (settings.problems.length > 0) throw new ConfigError([...new Set(settings.problems)]);
  return value;
}

export class Settings {
  readonly problems: string[] = [];

  constructor(readonly env: Environment) {}

  problem(text: string): void {
    this.problems.push(text);
  }

  /** An empty value counts as not set: that is how compose files leave a setting out. */
  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  headerValue(name: string): string | undefined {
    const value = this.text(name);
    if (value !== undefined && !fitsHeader(value))
      this.problem(`${name}: holds what an HTTP header cannot carry`);
    return value;
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const text = this.text(name) ?? fallback;
    const choice = choices.find((known) => known === text);
    if (!choice) this.problem(`${name}: "${text}" is none of ${choices.join(', ')}`);
    return choice ?? fallback;
  }

  duration(name: string, fallback: Duration, least: Duration): Duration {
    const text = this.text(name) ?? fallback;
    const ms = parseDuration(text);
    if (ms === undefined) {
      this.problem(`${name}: "${text}" is not a duration; write ${DURATION_FORM}`);
      return fallback;
    }
    if (ms < milliseconds(least)) this.problem(`${name}: ${text} is too short; the least is ${least}`);
    return text;
  }

  /** Two durations of which the first may not be the longer one. */
  requireOrder(less: [string, Duration], more: [string, Duration]): void {
    const [lessMs, moreMs] = [milliseconds(less[1]), milliseconds(more[1])];
    if (lessMs <= moreMs) return;
    this.problem(
      `${less[0]} (${formatDuration(lessMs)}) is longer than ${more[0]} (${formatDuration(moreMs)}); set both`,
    );
  }

  wholeNumber<Fallback extends number | undefined>(
    name: string,
    fallback: Fallback,
    most: number,
  ): number | Fallback {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const number = /^\d+$/.test(text) ? Number(text) : 0;
    if (number < 1 || number > most) {
      this.problem(`${name}: "${text}" is not a whole number from 1 to ${most}`);
    }
    return number;
  }

  /** How often a second; less than once is possible. */
  rate(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
    if (number <= 0) this.problem(`${name}: "${text}" is not a number over 0, like 20 or 0.5`);
    return number;
  }

  /** A moment, with its zone: the same text must not mean two moments on two machines. */
  time(name: string): Date | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const isTime = TIME.test(text) && !Number.isNaN(Date.parse(text));
    if (!isTime) this.problem(`${name}: "${text}" is not a time with its zone, like 2026-01-31T14:00:00Z`);
    return new Date(text);
  }

  /** A path with each of the parameters in it, in braces. */
  pathTemplate(name: string, parameters: string[]): string | undefined {
    const template = this.text(name);
    if (template === undefined) return undefined;
    const found = [...template.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
    const complete =
      parameters.every((parameter) => found.includes(parameter)) && found.length === parameters.length;
    if (!template.startsWith('/') || !complete || /[?#\s]/.test(template)) {
      const form = `/api/v1/things/${parameters.map((parameter) => `{${parameter}}`).join('/')}`;
      this.problem(
        `${name}: "${template}" is not a path with ${parameters.join(' and ')} in it, like ${form}`,
      );
    }
    return template;
  }

  pointer(name: string): string | undefined {
    const pointer = this.text(name);
    // The pointer to the whole is the empty text, which a setting cannot hold; `#` is its other spelling.
    if (pointer === '#') return '';
    if (pointer !== undefined && !isPointer(pointer)) {
      this.problem(`${name}: "${pointer}" is not a JSON pointer, like /results/items`);
    }
    return pointer;
  }
}

function milliseconds(duration: Duration): number {
  return parseDuration(duration) ?? 0;
}
