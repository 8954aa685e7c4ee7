/**
 * Every setting of Segue, with its default, and how it is read from the environment. docs/settings.md says what each is
 * for. Every problem is kept until all settings have been read.
 */
import { z } from 'zod';
import { isPointer } from '../api/json';
import { PROJECT_PATH, type ServiceLayout } from '../api/operation';
import { fitsHeader } from '../api/scope';
import { DEFAULT_POLL, DEFAULT_SUBMIT } from '../contract';
import {
  DURATION_FORM,
  type Duration,
  formatDuration,
  isZonedTime,
  msOf,
  parseDuration,
} from '../contract/durations';
import { DEFAULT_LIMITS, DEFAULT_WRITES } from './limits';

/** What a worker process can do, so that each can be scaled alone: only `submit` and `batch` send POSTs that cost. */
export const WORKER_ROLES = ['workflows', 'submit', 'batch'] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];
const KNOWN_ROLES = `the roles are ${WORKER_ROLES.join(', ')}`;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const text = z.string();
const headerValue = text.refine(fitsHeader, 'holds what an HTTP header cannot carry');
/** The message must not repeat the value. */
const secret = text.regex(/^[\x21-\x7e]+$/, 'holds a blank or a character that an HTTP header cannot carry');

/** A text for which `isGood` holds; the message repeats any other. */
function textThat(isGood: (value: string) => boolean, problem: string) {
  return text.refine(isGood, { error: ({ input }) => `"${String(input)}" ${problem}`, abort: true });
}

const httpUrl = textThat(
  (value) => URL.canParse(value) && /^https?:/i.test(value),
  'is not an http or https address',
).transform((value) => new URL(value));

const apiUrl = httpUrl
  .refine(
    ({ username, password }) => username === '' && password === '',
    'holds a user name or password; credentials go into SEGUE_API_KEY or SEGUE_API_TOKEN',
  )
  .refine(
    ({ search, hash }) => search === '' && hash === '',
    'has a query or fragment; give only the base address',
  );

function duration(least: Duration) {
  return textThat(
    (value) => parseDuration(value) !== undefined,
    `is not a duration; write ${DURATION_FORM}`,
  ).refine((value) => msOf(value) >= msOf(least), {
    error: ({ input }) => `${String(input)} is too short; the least is ${least}`,
  });
}

function wholeNumber(most: number) {
  return textThat(
    (value) => /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= most,
    `is not a whole number from 1 to ${most}`,
  ).transform(Number);
}

const rate = textThat(
  (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) > 0,
  'is not a number over 0, like 20 or 0.5',
).transform(Number);

const time = textThat(isZonedTime, 'is not a time with its zone, like 2026-01-31T14:00:00Z').transform(
  (value) => new Date(value),
);

function pathTemplate(...parameters: string[]) {
  const form = `/api/v1/things/${parameters.map((parameter) => `{${parameter}}`).join('/')}`;
  return textThat(
    (value) => {
      const found = [...value.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const isComplete = parameters.every((parameter) => found.includes(parameter));
      return /^\/[^?#\s]*$/.test(value) && isComplete && found.length === parameters.length;
    },
    `is not a path with ${parameters.join(' and ')} in it, like ${form}`,
  );
}

/** `#` is the whole document: its own pointer is the empty text, which a setting cannot hold. */
const pointer = textThat(
  (value) => value === '#' || isPointer(value),
  'is not a JSON pointer, like /results/items',
).transform((value) => (value === '#' ? '' : value));

/** The user may be an email address, which has an @ too. */
const OPERATOR = /^(\S+)@([^\s@]+)$/;
const operator = textThat((value) => OPERATOR.test(value), 'is not USER@WORKSPACE, like u-1@42').transform(
  (value) => {
    const [, userId = '', workspaceId = ''] = OPERATOR.exec(value) ?? [];
    return { userId, workspaceId };
  },
);

const roles = z
  .array(
    z.enum(WORKER_ROLES, { error: ({ input }) => `no role is called "${String(input)}"; ${KNOWN_ROLES}` }),
  )
  .min(1, `names no role; ${KNOWN_ROLES}`);
const workerRoles = text.transform((value) => value.split(',').map((role) => role.trim())).pipe(roles);

export function validateRoles(name: string, given: readonly string[]): string[] {
  return (roles.safeParse(given).error?.issues ?? []).map(({ message }) => `${name}: ${message}`);
}

const logLevel = z.enum(LOG_LEVELS, {
  error: ({ input }) => `"${String(input)}" is not one of ${LOG_LEVELS.join(', ')}`,
});

/** The paths and pointers that the service's document publishes. */
export const PUBLISHED_LAYOUT: ServiceLayout = { projectPath: PROJECT_PATH, projectDataAt: '/data' };

const SETTINGS = {
  SEGUE_API_URL: apiUrl.optional(),
  SEGUE_API_KEY: secret.optional(),
  SEGUE_API_TOKEN: secret.optional(),
  SEGUE_ALLOW_HTTP: text.optional(),
  SEGUE_ORGANIZATION: headerValue.optional(),
  SEGUE_SPACE: headerValue.optional(),
  SEGUE_TASK_QUEUE: text.default('segue'),
  SEGUE_POLL_MIN: duration('50ms').default(DEFAULT_POLL.min),
  SEGUE_POLL_MAX: duration('50ms').default(DEFAULT_POLL.max),
  SEGUE_POLL_DEADLINE: duration('1s').default(DEFAULT_POLL.deadline),
  SEGUE_GIVE_UP: duration('1s').default(DEFAULT_POLL.giveUp),
  SEGUE_SUBMIT_TIMEOUT: duration('1s').default(DEFAULT_SUBMIT.timeout),
  SEGUE_AUTH_GRACE: duration('0s').default(DEFAULT_SUBMIT.authGrace),
  SEGUE_MAX_SUBMITS: wholeNumber(10_000).default(DEFAULT_LIMITS.maxSubmits),
  SEGUE_MAX_SUBMIT_RPS: rate.optional(),
  SEGUE_MAX_WRITES: wholeNumber(10_000).default(DEFAULT_WRITES.maxWrites),
  SEGUE_MAX_PROJECT_MIB: wholeNumber(256).default(DEFAULT_WRITES.maxProjectMiB),
  SEGUE_HOLD_SUBMITS_BEFORE: time.optional(),
  SEGUE_WORKER_ROLES: workerRoles.optional(),
  SEGUE_MAX_CACHED_WORKFLOWS: wholeNumber(100_000).optional(),
  SEGUE_OPERATOR: operator.optional(),
  SEGUE_LOG_LEVEL: logLevel.default('info'),
  SEGUE_PROJECT_PATH: pathTemplate('resourcetype', 'id').default(PUBLISHED_LAYOUT.projectPath),
  SEGUE_PROJECT_DATA_AT: pointer.default(PUBLISHED_LAYOUT.projectDataAt),
  SEGUE_DRAFTS_AT: pointer.optional(),
  SEGUE_ACTIVITY_AT: pointer.optional(),
  SEGUE_ASSET_PATH: pathTemplate('id').optional(),
  SEGUE_RUN_PATH: pathTemplate('id').optional(),
  SEGUE_VIDEO_PATH: pathTemplate('id').optional(),
  SEGUE_TEMPORAL_CLI: text.optional(),
};

type Table = typeof SETTINGS;

const FLAGS: Partial<Record<keyof Table, string>> = { SEGUE_WORKER_ROLES: '--roles' };

export type Environment = Record<string, string | undefined>;

/** Names that look like settings of Segue but are not, mostly typing errors. */
export function unknownSettings(env: Environment = process.env): string[] {
  return Object.keys(env).filter((name) => name.startsWith('SEGUE_') && !Object.hasOwn(SETTINGS, name));
}

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
  // A problem of a setting that two readers share is reported once.
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
  get<Name extends keyof Table>(name: Name): z.output<Table[Name]> {
    const schema: z.ZodType = SETTINGS[name];
    const read = schema.safeParse(this.text(name));
    const flag = FLAGS[name];
    for (const { message } of read.error?.issues ?? [])
      this.problem(`${name}${flag ? ` (${flag})` : ''}: ${message}`);
    return (read.success ? read.data : schema.parse(undefined)) as z.output<Table[Name]>;
  }

  requireOrder(less: [string, Duration], more: [string, Duration]): void {
    const [lessMs, moreMs] = [msOf(less[1]), msOf(more[1])];
    if (lessMs <= moreMs) return;
    this.problem(
      `${less[0]} (${formatDuration(lessMs)}) is longer than ${more[0]} (${formatDuration(moreMs)}); set both`,
    );
  }
}
