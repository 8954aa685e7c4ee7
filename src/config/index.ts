/**
 * The only reader of the environment: one function for each kind of process, which reports all problems at once, by
 * the name of the setting, before anything is started.
 */
import { type PollSettings, type SubmitSettings } from '../contract';
import { type SendLimits, type WriteConfig } from './limits';
import { readApi, readProxy } from './service';
import { type Environment, readSettings, type Settings } from './settings';
import { readLocalTemporal, readTemporal } from './temporal';

export { type ProxySettings } from '../platform/plainAgent';
export {
  chunksOf,
  DEFAULT_LIMITS,
  DEFAULT_WRITES,
  type SendLimits,
  sharesOf,
  type WriteConfig,
} from './limits';
export { type ApiConfig, apiSettings } from './service';
export * from './settings';
export { type LocalTemporalConfig, type TemporalConfig } from './temporal';

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

function readLimits(settings: Settings): SendLimits {
  return {
    maxSubmits: settings.get('SEGUE_MAX_SUBMITS'),
    maxSubmitRate: settings.get('SEGUE_MAX_SUBMIT_RPS'),
    holdBefore: settings.get('SEGUE_HOLD_SUBMITS_BEFORE'),
  };
}

function readWrites(settings: Settings): WriteConfig {
  return {
    maxWrites: settings.get('SEGUE_MAX_WRITES'),
    maxProjectMiB: settings.get('SEGUE_MAX_PROJECT_MIB'),
  };
}

function readWorker(settings: Settings) {
  return {
    ...readStarter(settings),
    api: readApi(settings),
    limits: readLimits(settings),
    writes: readWrites(settings),
    operator: settings.get('SEGUE_OPERATOR'),
    roles: settings.get('SEGUE_WORKER_ROLES'),
    maxCachedWorkflows: settings.get('SEGUE_MAX_CACHED_WORKFLOWS'),
    logLevel: settings.get('SEGUE_LOG_LEVEL'),
    temporal: readTemporal(settings),
  };
}

/** What `dev` and `demo` need: they bring their own service and credential. */
function readLocal(settings: Settings) {
  return {
    starter: readStarter(settings),
    taskQueueGiven: settings.text('SEGUE_TASK_QUEUE') !== undefined,
    limits: readLimits(settings),
    writes: readWrites(settings),
    temporal: readLocalTemporal(settings),
    logLevel: settings.get('SEGUE_LOG_LEVEL'),
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
