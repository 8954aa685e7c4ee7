/** How settings are read from the environment: every problem is kept until all of them have been read. */
import { type Duration, formatDuration, parseDuration } from '../contract/durations';
import { type Parser } from './parsers';
import { type Setting, SETTINGS } from './table';

export type Environment = Record<string, string | undefined>;

/** Thrown before anything is started, with every problem found. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    const heading = problems.length === 1 ? 'A setting is wrong:' : `${problems.length} settings are wrong:`;
    super([heading, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

type Table = typeof SETTINGS;
type ParsedBy<S> = S extends { parse: Parser<infer T> } ? T : never;
type Value<Name extends keyof Table> = Table[Name] extends { default: string }
  ? ParsedBy<Table[Name]>
  : ParsedBy<Table[Name]> | undefined;

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

  /** The text of any variable. An empty one counts as not set: that is how compose files leave a setting out. */
  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  /** The value of a setting of the table. A wrong one is a problem, and its default is used to read on. */
  get<Name extends keyof Table>(name: Name): Value<Name> {
    const { parse, flag, default: fallback }: Setting = SETTINGS[name];
    const text = this.text(name);
    const given = text === undefined ? undefined : parse(text);
    if (given && 'problem' in given) this.problem(`${name}${flag ? ` (${flag})` : ''}: ${given.problem}`);
    const used = given && 'value' in given ? given : fallback === undefined ? undefined : parse(fallback);
    return (used && 'value' in used ? used.value : undefined) as Value<Name>;
  }

  /** Two durations of which the first may not be the longer one. */
  requireOrder(less: [string, Duration], more: [string, Duration]): void {
    const [lessMs, moreMs] = [milliseconds(less[1]), milliseconds(more[1])];
    if (lessMs <= moreMs) return;
    this.problem(
      `${less[0]} (${formatDuration(lessMs)}) is longer than ${more[0]} (${formatDuration(moreMs)}); set both`,
    );
  }
}

function milliseconds(duration: Duration): number {
  return parseDuration(duration) ?? 0;
}
