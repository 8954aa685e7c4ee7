/**
 * The only reader of the environment: one function for each kind of process, which reports all problems at once, by
 * the name of the setting, before anything is started.
 */
import { homedir } from 'node:os';
import path from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { type NativeConnectionOptions } from '@temporalio/worker';
import { type ApiSettings } from '../api/client';
import { Credential } from '../api/credential';
import { type ServiceLayout } from '../api/operation';
import { type PollSettings, type SubmitSettings } from '../contract';
import { reasonOf } from '../errors';
import { VERSION } from '../platform/package';
import { isLoopback, type ProxySettings } from '../platform/hosts';
import { type SendLimits, type WriteConfig } from './limits';
import { type Environment, type LogLevel, readSettings, type Settings } from './settings';

export { type ProxySettings };
export * from './limits';
export * from './settings';

/** What a starter needs: it puts these settings into the workflow's input, since workflows have no environment. */
export interface StarterConfig {
  taskQueue: string;
  poll: PollSettings;
  submit: SubmitSettings;
  /** The workspace whose projects are changed, where a change names none. */
  organization?: string;
}

function readStarter(settings: Settings): StarterConfig {
  const poll: PollSettings = {
    min: settings.get('SEGUE_POLL_MIN'),
    max: settings.get('SEGUE_POLL_MAX'),
    deadline: settings.get('SEGUE_POLL_DEADLINE'),
    giveUp: settings.get('SEGUE_GIVE_UP'),
  };
  settings.requireOrder(['SEGUE_POLL_MIN', poll.min], ['SEGUE_POLL_MAX', poll.max]);
  settings.requireOrder(['SEGUE_POLL_DEADLINE', poll.deadline], ['SEGUE_GIVE_UP', poll.giveUp]);
  return {
    taskQueue: settings.get('SEGUE_TASK_QUEUE'),
    poll,
    submit: { timeout: settings.get('SEGUE_SUBMIT_TIMEOUT'), authGrace: settings.get('SEGUE_AUTH_GRACE') },
    organization: settings.get('SEGUE_ORGANIZATION'),
  };
}

function readSending(settings: Settings): { limits: SendLimits; writes: WriteConfig; logLevel: LogLevel } {
  return {
    limits: {
      maxSubmits: settings.get('SEGUE_MAX_SUBMITS'),
      maxSubmitRate: settings.get('SEGUE_MAX_SUBMIT_RPS'),
      holdBefore: settings.get('SEGUE_HOLD_SUBMITS_BEFORE'),
    },
    writes: {
      maxWrites: settings.get('SEGUE_MAX_WRITES'),
      maxProjectMiB: settings.get('SEGUE_MAX_PROJECT_MIB'),
    },
    logLevel: settings.get('SEGUE_LOG_LEVEL'),
  };
}

function readWorker(settings: Settings) {
  return {
    ...readStarter(settings),
    ...readSending(settings),
    api: readApi(settings),
    operator: settings.get('SEGUE_OPERATOR'),
    roles: settings.get('SEGUE_WORKER_ROLES'),
    maxCachedWorkflows: settings.get('SEGUE_MAX_CACHED_WORKFLOWS'),
    temporal: readTemporal(settings),
  };
}

/** What `dev` and `demo` need: they bring their own service and credential. */
function readLocal(settings: Settings) {
  return {
    ...readSending(settings),
    starter: readStarter(settings),
    taskQueueGiven: settings.text('SEGUE_TASK_QUEUE') !== undefined,
    temporal: readLocalTemporal(settings),
  };
}

export interface ApiConfig {
  url: string;
  credential: Credential;
  organization?: string;
  space?: string;
  proxy: ProxySettings;
  layout: ServiceLayout;
}

export function apiSettings({ url, ...rest }: ApiConfig): ApiSettings {
  return { ...rest, baseUrl: url, userAgent: `segue/${VERSION}` };
}

function readApi(settings: Settings): ApiConfig {
  return {
    url: readApiUrl(settings),
    credential: readCredential(settings),
    organization: settings.get('SEGUE_ORGANIZATION'),
    space: settings.get('SEGUE_SPACE'),
    proxy: readProxy(settings),
    layout: {
      projectPath: settings.get('SEGUE_PROJECT_PATH'),
      projectDataAt: settings.get('SEGUE_PROJECT_DATA_AT'),
      draftsAt: settings.get('SEGUE_DRAFTS_AT'),
      activityAt: settings.get('SEGUE_ACTIVITY_AT'),
      assetPath: settings.get('SEGUE_ASSET_PATH'),
      runPath: settings.get('SEGUE_RUN_PATH'),
      videoPath: settings.get('SEGUE_VIDEO_PATH'),
    },
  };
}

function readApiUrl(settings: Settings): string {
  if (!settings.text('SEGUE_API_URL'))
    settings.problem(
      'SEGUE_API_URL: not set; give the base address of the service, like https://api.example.com',
    );
  const url = settings.get('SEGUE_API_URL');
  if (!url) return '';
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && settings.get('SEGUE_ALLOW_HTTP') !== '1') {
    settings.problem(
      `SEGUE_API_URL: ${url.origin} would send the credential unencrypted; use https, or set SEGUE_ALLOW_HTTP=1`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readCredential(settings: Settings): Credential {
  const isKeySet = settings.text('SEGUE_API_KEY') !== undefined;
  const isTokenSet = settings.text('SEGUE_API_TOKEN') !== undefined;
  if (isKeySet && isTokenSet) settings.problem('SEGUE_API_KEY and SEGUE_API_TOKEN: both are set; keep one');
  if (!isKeySet && !isTokenSet)
    settings.problem('SEGUE_API_KEY or SEGUE_API_TOKEN: neither is set; the service needs one');
  const [key = '', token = ''] = [settings.get('SEGUE_API_KEY'), settings.get('SEGUE_API_TOKEN')];
  return isTokenSet ? Credential.bearer(token) : Credential.apiKey(key);
}

function readProxy(settings: Settings): ProxySettings {
  const name = settings.text('HTTPS_PROXY') ? 'HTTPS_PROXY' : 'https_proxy';
  const proxy = settings.text(name);
  const isAddress = proxy !== undefined && URL.canParse(proxy) && /^https?:\/\/[^/]/.test(proxy);
  // Not repeated in the message: a proxy's address may hold its password.
  if (proxy !== undefined && !isAddress) {
    settings.problem(`${name}: is not an address, like http://proxy.example.com:3128`);
  }
  const none = settings.text('NO_PROXY') ?? settings.text('no_proxy');
  return { https: isAddress ? proxy : undefined, none };
}

export interface TemporalConfig {
  connection: NativeConnectionOptions;
  address: string;
  namespace: string;
}

export interface LocalTemporalConfig {
  /** `TEMPORAL_ADDRESS`: a cluster that already runs. */
  existing?: TemporalConfig;
  cli?: string;
  searchPath: string;
  cacheFolder: string;
  proxy: ProxySettings;
}

/** Address, namespace, API key, TLS and profiles, as every Temporal tool reads them. */
function readTemporal(settings: Settings): TemporalConfig {
  try {
    const defined = Object.entries(settings.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const profile = loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(defined) });
    const address = profile.connectionOptions.address ?? 'localhost:7233';
    return {
      connection: { ...profile.connectionOptions, address },
      address,
      namespace: profile.namespace ?? 'default',
    };
  } catch (error) {
    settings.problem(`TEMPORAL_*: ${reasonOf(error)}`);
    return { connection: {}, address: '', namespace: '' };
  }
}

const CACHE = process.platform === 'darwin' ? 'Library/Caches' : '.cache';

function readLocalTemporal(settings: Settings): LocalTemporalConfig {
  return {
    // Only this variable, no profile: a demo must not run on a cluster that some file on this machine names.
    existing: settings.text('TEMPORAL_ADDRESS') ? readTemporal(settings) : undefined,
    cli: settings.get('SEGUE_TEMPORAL_CLI'),
    searchPath: settings.env.PATH ?? '',
    cacheFolder: path.join(settings.text('XDG_CACHE_HOME') ?? path.join(homedir(), CACHE), 'segue'),
    proxy: readProxy(settings),
  };
}

export type WorkerConfig = ReturnType<typeof readWorker>;
export type LocalConfig = ReturnType<typeof readLocal>;

function loader<Config>(read: (settings: Settings) => Config): (env?: Environment) => Config {
  return (env = process.env) => readSettings(env, read);
}

export const loadStarterConfig = loader(readStarter);
export const loadWorkerConfig = loader(readWorker);
export const loadLocalConfig = loader(readLocal);
export const loadTemporalConfig = loader(readTemporal);
export const loadLocalTemporalConfig = loader(readLocalTemporal);
/** For commands that ask the service themselves. */
export const loadApiConfig = loader(readApi);
/** For downloads from anywhere, which need no credential. */
export const loadProxySettings = loader(readProxy);
