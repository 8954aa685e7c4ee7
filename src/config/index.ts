/**
 * The only reader of the environment: one function for each kind of process, which tells every problem at once, by
 * the name of the setting, before anything is started.
 */
import { type Operator } from '../contract';
import { readLimits, type SendLimits } from './limits';
import { readOperator } from './operator';
import { readRoles, type WorkerRole } from './roles';
import { type ProxySettings } from '../platform/plainAgent';
import { type ApiConfig, readApi, readProxy } from './service';
import { type Environment, readSettings, type Settings } from './settings';
import { readStarter, type StarterConfig } from './starter';
import { type LocalTemporalConfig, readLocalTemporal, readTemporal, type TemporalConfig } from './temporal';

export { chunksOf, DEFAULT_LIMITS, type SendLimits, sharesOf } from './limits';
export { problemsOfRoles, WORKER_ROLES, type WorkerRole } from './roles';
export { type ProxySettings } from '../platform/plainAgent';
export { type ApiConfig, PUBLISHED_LAYOUT } from './service';
export { ConfigError, type Environment } from './settings';
export { type StarterConfig } from './starter';
export { type LocalTemporalConfig, type TemporalConfig } from './temporal';

const MOST_CACHED = 100_000;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface WorkerConfig extends StarterConfig {
  api: ApiConfig;
  limits: SendLimits;
  /** Whom alarms go to. */
  operator?: Operator;
  /** By default all. */
  roles?: WorkerRole[];
  /** By default as many as the heap has room for. */
  maxCachedWorkflows?: number;
  logLevel: LogLevel;
  temporal: TemporalConfig;
}

/** What `dev` and `demo` need: they bring their own service and credential. */
export interface LocalConfig {
  starter: StarterConfig;
  /** Whether somebody chose the queue. */
  taskQueueGiven: boolean;
  limits: SendLimits;
  temporal: LocalTemporalConfig;
  logLevel: LogLevel;
}

export function loadStarterConfig(env: Environment = process.env): StarterConfig {
  return readSettings(env, readStarter);
}

export function loadWorkerConfig(env: Environment = process.env): WorkerConfig {
  return readSettings(env, (settings) => ({
    ...readStarter(settings),
    api: readApi(settings),
    limits: readLimits(settings),
    operator: readOperator(settings),
    roles: readRoles(settings),
    maxCachedWorkflows: settings.wholeNumber('SEGUE_MAX_CACHED_WORKFLOWS', undefined, MOST_CACHED),
    logLevel: readLogLevel(settings),
    temporal: readTemporal(settings),
  }));
}

export function loadLocalConfig(env: Environment = process.env): LocalConfig {
  return readSettings(env, (settings) => ({
    starter: readStarter(settings),
    taskQueueGiven: settings.text('SEGUE_TASK_QUEUE') !== undefined,
    limits: readLimits(settings),
    temporal: readLocalTemporal(settings),
    logLevel: readLogLevel(settings),
  }));
}

/** For commands that ask the service themselves. */
export function loadApiConfig(env: Environment = process.env): ApiConfig {
  return readSettings(env, readApi);
}

/** For downloads from anywhere, which need no credential. */
export function loadProxySettings(env: Environment = process.env): ProxySettings {
  return readSettings(env, readProxy);
}

export function loadTemporalConfig(env: Environment = process.env): TemporalConfig {
  return readSettings(env, readTemporal);
}

export function loadLocalTemporalConfig(env: Environment = process.env): LocalTemporalConfig {
  return readSettings(env, readLocalTemporal);
}

function readLogLevel(settings: Settings): LogLevel {
  return settings.oneOf('SEGUE_LOG_LEVEL', LOG_LEVELS, 'info');
}

const KNOWN_SETTINGS = [
  'SEGUE_API_URL',
  'SEGUE_API_KEY',
  'SEGUE_API_TOKEN',
  'SEGUE_ALLOW_HTTP',
  'SEGUE_ORGANIZATION',
  'SEGUE_SPACE',
  'SEGUE_TASK_QUEUE',
  'SEGUE_POLL_MIN',
  'SEGUE_POLL_MAX',
  'SEGUE_POLL_DEADLINE',
  'SEGUE_GIVE_UP',
  'SEGUE_AUTH_GRACE',
  'SEGUE_SUBMIT_TIMEOUT',
  'SEGUE_MAX_SUBMITS',
  'SEGUE_MAX_SUBMIT_RPS',
  'SEGUE_HOLD_SUBMITS_BEFORE',
  'SEGUE_WORKER_ROLES',
  'SEGUE_MAX_CACHED_WORKFLOWS',
  'SEGUE_OPERATOR',
  'SEGUE_LOG_LEVEL',
  'SEGUE_PROJECT_PATH',
  'SEGUE_PROJECT_DATA_AT',
  'SEGUE_DRAFTS_AT',
  'SEGUE_ACTIVITY_AT',
  'SEGUE_ASSET_PATH',
  'SEGUE_RUN_PATH',
  'SEGUE_VIDEO_PATH',
  'SEGUE_TEMPORAL_CLI',
];

/** Names that look like settings of Segue and are none: most often a slip of the pen. */
export function unknownSettings(env: Environment = process.env): string[] {
  return Object.keys(env).filter((name) => name.startsWith('SEGUE_') && !KNOWN_SETTINGS.includes(name));
}

/** The environment of a child process that must not meet the caller's cluster. */
export function withoutTemporalSettings(env: Environment = process.env): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/** The environment for a build of pure Go code that uses the committed module file and nothing else. */
export function goBuildEnvironment(env: Environment = process.env): Environment {
  return { ...env, CGO_ENABLED: '0', GOWORK: 'off' };
}
