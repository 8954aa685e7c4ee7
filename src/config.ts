/** The only reader of the environment. Every problem in it is reported at once, by the name of the setting. */
import { homedir } from 'node:os';
import path from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { type NativeConnectionOptions } from '@temporalio/worker';
import { Credential } from './api/credential';
import { type ServiceLayout } from './api/operation';
import { PROJECT_PATH } from './api/operations/projects';
import { isPointer } from './api/pointer';
import { fitsHeader } from './api/scope';
import { DEFAULT_POLL, DEFAULT_SUBMIT, type PollSettings, type SubmitSettings } from './contract';
import { DURATION_FORM, type Duration, formatDuration, parseDuration } from './durations';
import { isLoopback } from './loopback';

export type Environment = Record<string, string | undefined>;

export interface ProxySettings {
  https?: string;
  /** Hosts that are reached directly, in the form of NO_PROXY. */
  none?: string;
}

export interface ApiConfig {
  url: string;
  credential: Credential;
  organization?: string;
  space?: string;
  proxy: ProxySettings;
  layout: ServiceLayout;
}

/** What a starter needs: it puts these settings into the workflow's input, since workflows have no environment. */
export interface StarterConfig {
  taskQueue: string;
  poll: PollSettings;
  submit: SubmitSettings;
}

export interface WorkerConfig extends StarterConfig {
  api: ApiConfig;
  logLevel: LogLevel;
  temporal: TemporalConfig;
}

/** What `dev` and `demo` need: they bring their own service and credential. */
export interface LocalConfig {
  starter: StarterConfig;
  /** Whether somebody chose the queue. */
  taskQueueGiven: boolean;
  temporal: LocalTemporalConfig;
  logLevel: LogLevel;
}

export interface TemporalConfig {
  connection: NativeConnectionOptions;
  address: string;
  namespace: string;
}

/** Where the document's own paths and places are taken as they are. */
export const PUBLISHED_LAYOUT: ServiceLayout = { projectPath: PROJECT_PATH, projectDataAt: '/data' };

/** What finding a Temporal server on this machine depends on. */
export interface LocalTemporalConfig {
  /** `TEMPORAL_ADDRESS`: a cluster that already runs. */
  existing?: TemporalConfig;
  /** `SEGUE_TEMPORAL_CLI`: the binary to use. */
  cli?: string;
  searchPath: string;
  cacheFolder: string;
  proxy: ProxySettings;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Thrown before anything is started, with every problem found. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(
      `${problems.length === 1 ? 'A setting is' : `${problems.length} settings are`} wrong:\n${problems.map((p) => `  ${p}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

export function loadStarterConfig(env: Environment = process.env): StarterConfig {
  return collectProblems((problems) => readStarter(env, problems));
}

export function loadWorkerConfig(env: Environment = process.env): WorkerConfig {
  return collectProblems((problems) => ({
    ...readStarter(env, problems),
    api: readApi(env, problems),
    logLevel: readLogLevel(env, problems),
    temporal: readTemporal(env, problems),
  }));
}

export function loadLocalConfig(env: Environment = process.env): LocalConfig {
  return collectProblems((problems) => ({
    starter: readStarter(env, problems),
    taskQueueGiven: setting(env, 'SEGUE_TASK_QUEUE') !== undefined,
    temporal: readLocalTemporal(env, problems),
    logLevel: readLogLevel(env, problems),
  }));
}

/** For commands that ask the service themselves. */
export function loadApiConfig(env: Environment = process.env): ApiConfig {
  return collectProblems((problems) => readApi(env, problems));
}

/** Address, namespace, API key, TLS and profiles, as every Temporal tool reads them. */
export function loadTemporalConfig(env: Environment = process.env): TemporalConfig {
  return collectProblems((problems) => readTemporal(env, problems));
}

export function loadLocalTemporalConfig(env: Environment = process.env): LocalTemporalConfig {
  return collectProblems((problems) => readLocalTemporal(env, problems));
}

function readLocalTemporal(env: Environment, problems: string[]): LocalTemporalConfig {
  return {
    // Only this variable, no profile: a demo must not run on a cluster that some file on this machine names.
    existing: setting(env, 'TEMPORAL_ADDRESS') ? readTemporal(env, problems) : undefined,
    cli: setting(env, 'SEGUE_TEMPORAL_CLI'),
    searchPath: env.PATH ?? '',
    cacheFolder: cacheFolder(env),
    proxy: readProxy(env, problems),
  };
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

function collectProblems<T>(read: (problems: string[]) => T): T {
  const problems: string[] = [];
  const value = read(problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return value;
}

/** An empty value counts as not set: that is how compose files leave a setting out. */
function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function readStarter(env: Environment, problems: string[]): StarterConfig {
  const duration = (name: string, fallback: Duration, atLeast: Duration): Duration =>
    readDuration(env, problems, name, fallback, atLeast);
  const poll: PollSettings = {
    min: duration('SEGUE_POLL_MIN', DEFAULT_POLL.min, '50ms'),
    max: duration('SEGUE_POLL_MAX', DEFAULT_POLL.max, '50ms'),
    deadline: duration('SEGUE_POLL_DEADLINE', DEFAULT_POLL.deadline, '1s'),
    giveUp: duration('SEGUE_GIVE_UP', DEFAULT_POLL.giveUp, '1s'),
  };
  requireOrder(problems, ['SEGUE_POLL_MIN', poll.min], ['SEGUE_POLL_MAX', poll.max]);
  requireOrder(problems, ['SEGUE_POLL_DEADLINE', poll.deadline], ['SEGUE_GIVE_UP', poll.giveUp]);
  return {
    taskQueue: setting(env, 'SEGUE_TASK_QUEUE') ?? 'segue',
    poll,
    submit: {
      timeout: duration('SEGUE_SUBMIT_TIMEOUT', DEFAULT_SUBMIT.timeout, '1s'),
      authGrace: duration('SEGUE_AUTH_GRACE', DEFAULT_SUBMIT.authGrace, '0s'),
    },
  };
}

function readDuration(
  env: Environment,
  problems: string[],
  name: string,
  fallback: Duration,
  atLeast: Duration,
): Duration {
  const text = setting(env, name) ?? fallback;
  const ms = parseDuration(text);
  if (ms === undefined) {
    problems.push(`${name}: "${text}" is not a duration; write ${DURATION_FORM}`);
    return fallback;
  }
  if (ms < milliseconds(atLeast)) problems.push(`${name}: ${text} is too short; the least is ${atLeast}`);
  return text;
}

function requireOrder(problems: string[], less: [string, Duration], more: [string, Duration]): void {
  const [lessMs, moreMs] = [milliseconds(less[1]), milliseconds(more[1])];
  if (lessMs <= moreMs) return;
  problems.push(
    `${less[0]} (${formatDuration(lessMs)}) is longer than ${more[0]} (${formatDuration(moreMs)}); set both`,
  );
}

function milliseconds(duration: Duration): number {
  return parseDuration(duration) ?? 0;
}

function readApi(env: Environment, problems: string[]): ApiConfig {
  return {
    url: readApiUrl(env, problems),
    credential: readCredential(env, problems),
    organization: readHeaderValue(env, problems, 'SEGUE_ORGANIZATION'),
    space: readHeaderValue(env, problems, 'SEGUE_SPACE'),
    proxy: readProxy(env, problems),
    layout: readLayout(env, problems),
  };
}

/** What the API's document leaves open. */
function readLayout(env: Environment, problems: string[]): ServiceLayout {
  return {
    projectPath: readTemplate(env, problems, 'SEGUE_PROJECT_PATH', ['resourcetype', 'id']) ?? PROJECT_PATH,
    projectDataAt: readPointer(env, problems, 'SEGUE_PROJECT_DATA_AT') ?? '/data',
    draftsAt: readPointer(env, problems, 'SEGUE_DRAFTS_AT'),
    activityAt: readPointer(env, problems, 'SEGUE_ACTIVITY_AT'),
    assetPath: readTemplate(env, problems, 'SEGUE_ASSET_PATH', ['id']),
    runPath: readTemplate(env, problems, 'SEGUE_RUN_PATH', ['id']),
    videoPath: readTemplate(env, problems, 'SEGUE_VIDEO_PATH', ['id']),
  };
}

function readTemplate(
  env: Environment,
  problems: string[],
  name: string,
  parameters: string[],
): string | undefined {
  const template = setting(env, name);
  if (template === undefined) return undefined;
  const found = [...template.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
  const complete =
    parameters.every((parameter) => found.includes(parameter)) && found.length === parameters.length;
  if (!template.startsWith('/') || !complete || /[?#\s]/.test(template)) {
    const form = `/api/v1/things/${parameters.map((parameter) => `{${parameter}}`).join('/')}`;
    problems.push(
      `${name}: "${template}" is not a path with ${parameters.join(' and ')} in it, like ${form}`,
    );
  }
  return template;
}

function readPointer(env: Environment, problems: string[], name: string): string | undefined {
  const pointer = setting(env, name);
  if (pointer !== undefined && !isPointer(pointer)) {
    problems.push(`${name}: "${pointer}" is not a JSON pointer, like /results/items`);
  }
  return pointer;
}

function readApiUrl(env: Environment, problems: string[]): string {
  const text = setting(env, 'SEGUE_API_URL');
  if (!text) {
    problems.push(
      'SEGUE_API_URL: not set; give the base address of the service, like https://api.example.com',
    );
    return '';
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    problems.push(`SEGUE_API_URL: "${text}" is not an http or https address`);
    return '';
  }
  if (url.username || url.password) {
    problems.push(
      'SEGUE_API_URL: holds a user name or password; credentials go into SEGUE_API_KEY or SEGUE_API_TOKEN',
    );
  }
  if (url.search || url.hash)
    problems.push('SEGUE_API_URL: has a query or fragment; give only the base address');
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && setting(env, 'SEGUE_ALLOW_HTTP') !== '1') {
    problems.push(
      `SEGUE_API_URL: ${url.origin} would send the credential unencrypted; use https, or set SEGUE_ALLOW_HTTP=1`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readCredential(env: Environment, problems: string[]): Credential {
  const key = setting(env, 'SEGUE_API_KEY');
  const token = setting(env, 'SEGUE_API_TOKEN');
  if (key && token) problems.push('SEGUE_API_KEY and SEGUE_API_TOKEN: both are set; keep one');
  if (!key && !token)
    problems.push('SEGUE_API_KEY or SEGUE_API_TOKEN: neither is set; the service needs one');
  for (const [name, secret] of Object.entries({ SEGUE_API_KEY: key, SEGUE_API_TOKEN: token })) {
    // The value itself must not be repeated in the message.
    if (secret && !/^[\x21-\x7e]+$/.test(secret)) {
      problems.push(`${name}: holds a blank or a character that an HTTP header cannot carry`);
    }
  }
  return token ? Credential.bearer(token) : Credential.apiKey(key ?? '');
}

function readHeaderValue(env: Environment, problems: string[], name: string): string | undefined {
  const value = setting(env, name);
  if (value !== undefined && !fitsHeader(value))
    problems.push(`${name}: holds what an HTTP header cannot carry`);
  return value;
}

function readProxy(env: Environment, problems: string[]): ProxySettings {
  const name = setting(env, 'HTTPS_PROXY') ? 'HTTPS_PROXY' : 'https_proxy';
  const proxy = setting(env, name);
  const isAddress = proxy !== undefined && URL.canParse(proxy) && /^https?:\/\/[^/]/.test(proxy);
  // Not repeated in the message: a proxy's address may hold its password.
  if (proxy !== undefined && !isAddress)
    problems.push(`${name}: is not an address, like http://proxy.example.com:3128`);
  return { https: isAddress ? proxy : undefined, none: setting(env, 'NO_PROXY') ?? setting(env, 'no_proxy') };
}

function readLogLevel(env: Environment, problems: string[]): LogLevel {
  const text = setting(env, 'SEGUE_LOG_LEVEL') ?? 'info';
  const level = LOG_LEVELS.find((known) => known === text);
  if (!level) problems.push(`SEGUE_LOG_LEVEL: "${text}" is none of ${LOG_LEVELS.join(', ')}`);
  return level ?? 'info';
}

function readTemporal(env: Environment, problems: string[]): TemporalConfig {
  try {
    const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const profile = loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(defined) });
    const address = profile.connectionOptions.address ?? 'localhost:7233';
    return {
      connection: { ...profile.connectionOptions, address },
      address,
      namespace: profile.namespace ?? 'default',
    };
  } catch (error) {
    problems.push(`TEMPORAL_*: ${error instanceof Error ? error.message : String(error)}`);
    return { connection: {}, address: '', namespace: '' };
  }
}

function cacheFolder(env: Environment): string {
  const base =
    setting(env, 'XDG_CACHE_HOME') ??
    (process.platform === 'darwin'
      ? path.join(homedir(), 'Library', 'Caches')
      : (setting(env, 'LOCALAPPDATA') ?? path.join(homedir(), '.cache')));
  return path.join(base, 'segue');
}
