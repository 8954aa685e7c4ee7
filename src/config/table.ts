/** Every setting of Segue: what it is for, how it is read, and its default. */
import { DEFAULT_POLL, DEFAULT_SUBMIT } from '../contract';
import { DEFAULT_LIMITS } from './limits';
import {
  anyText,
  duration,
  headerValue,
  httpUrl,
  LOG_LEVELS,
  oneOf,
  operator,
  type Parser,
  pathTemplate,
  pointer,
  rate,
  secret,
  time,
  wholeNumber,
  workerRoles,
} from './parsers';
import { PUBLISHED_LAYOUT } from './service';

export interface Setting {
  description: string;
  parse: Parser<unknown>;
  /** As it is written in the environment. */
  default?: string;
  /** The flag of a command that says the same. */
  flag?: string;
}

const MOST_SUBMITS = 10_000;
const MOST_CACHED = 100_000;

const pagePointer = {
  description: 'JSON pointer to the list in a page, for answers in which several fields are lists',
  parse: pointer,
};
const recordPath = {
  description: 'path that the API does not publish, like `/api/v1/assets/{id}`',
  parse: pathTemplate('id'),
};

export const SETTINGS = {
  SEGUE_API_URL: { description: 'base address of the service', parse: httpUrl },
  SEGUE_API_KEY: { description: 'the credential, sent as `Api-Key …`', parse: secret },
  SEGUE_API_TOKEN: { description: 'the credential, sent as `Bearer …`', parse: secret },
  SEGUE_ALLOW_HTTP: { description: '`1` allows plain http to other hosts than loopback', parse: anyText },
  SEGUE_ORGANIZATION: { description: 'default workspace of every call', parse: headerValue },
  SEGUE_SPACE: { description: 'default space of every call', parse: headerValue },
  SEGUE_TASK_QUEUE: {
    description: 'task queue; polls, submits and batches have their own: `<queue>-poll`, `-submit`, `-batch`',
    parse: anyText,
    default: 'segue',
  },
  SEGUE_POLL_MIN: {
    description: 'shortest pause between two polls',
    parse: duration('50ms'),
    default: DEFAULT_POLL.min,
  },
  SEGUE_POLL_MAX: {
    description: 'longest pause between two polls',
    parse: duration('50ms'),
    default: DEFAULT_POLL.max,
  },
  SEGUE_POLL_DEADLINE: {
    description: 'after this a job is `overdue` and polled more slowly',
    parse: duration('1s'),
    default: DEFAULT_POLL.deadline,
  },
  SEGUE_GIVE_UP: {
    description: 'after this a job fails, with its task id',
    parse: duration('1s'),
    default: DEFAULT_POLL.giveUp,
  },
  SEGUE_SUBMIT_TIMEOUT: {
    description: 'how long the service may take to answer a POST',
    parse: duration('1s'),
    default: DEFAULT_SUBMIT.timeout,
  },
  SEGUE_AUTH_GRACE: {
    description: 'how long 401 and 403 are waited out',
    parse: duration('0s'),
    default: DEFAULT_SUBMIT.authGrace,
  },
  SEGUE_MAX_SUBMITS: {
    description: 'POSTs of one worker on the wire at once; half of them for batches',
    parse: wholeNumber(MOST_SUBMITS),
    default: String(DEFAULT_LIMITS.maxSubmits),
  },
  SEGUE_MAX_SUBMIT_RPS: {
    description: 'POSTs a second of all workers together, like `20` or `0.5`; half of them for batches',
    parse: rate,
  },
  SEGUE_HOLD_SUBMITS_BEFORE: {
    description: 'after a restore or forced failover of Temporal: what was ordered before this is held',
    parse: time,
  },
  SEGUE_WORKER_ROLES: {
    description: 'what a worker does (by default everything): `workflows`, `submit`, `batch`',
    parse: workerRoles,
    flag: '--roles',
  },
  SEGUE_MAX_CACHED_WORKFLOWS: {
    description: 'workflows that a worker caches; by default as many as fit in the heap',
    parse: wholeNumber(MOST_CACHED),
  },
  SEGUE_OPERATOR: {
    description: '`USER@WORKSPACE`: who is told of held and overdue jobs and of a denied credential',
    parse: operator,
  },
  SEGUE_LOG_LEVEL: { description: LOG_LEVELS.join(', '), parse: oneOf(LOG_LEVELS), default: 'info' },
  SEGUE_PROJECT_PATH: {
    description: 'where a project is read, with `{resourcetype}` and `{id}`',
    parse: pathTemplate('resourcetype', 'id'),
    default: PUBLISHED_LAYOUT.projectPath,
  },
  SEGUE_PROJECT_DATA_AT: {
    description: "JSON pointer to the project's data in that answer; `#` is all of it",
    parse: pointer,
    default: PUBLISHED_LAYOUT.projectDataAt,
  },
  SEGUE_DRAFTS_AT: pagePointer,
  SEGUE_ACTIVITY_AT: pagePointer,
  SEGUE_ASSET_PATH: recordPath,
  SEGUE_RUN_PATH: recordPath,
  SEGUE_VIDEO_PATH: recordPath,
  SEGUE_TEMPORAL_CLI: { description: 'the `temporal` binary for `dev`, `demo` and tests', parse: anyText },
} satisfies Record<string, Setting>;
