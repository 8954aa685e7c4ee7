import { type Client } from '@temporalio/client';
import { type Command } from 'commander';
import { StatusError } from '../api/errors';
import {
  ConfigError,
  loadApiConfig,
  loadStarterConfig,
  loadTemporalConfig,
  loadWorkerConfig,
  type TemporalConfig,
} from '../config';
import { formatDuration } from '../contract/durations';
import { batchTaskQueue, pollTaskQueue, submitTaskQueue } from '../contract/ids';
import { isRecentServer, OLDEST_SERVER } from '../temporal/versions';
import { withApi, withTemporal } from './lib/connect';
import { EXIT } from './lib/exit';
import { env, io, print, printJson } from './lib/io';

const ENOUGH_RETENTION_DAYS = 30;
const MOST_CLOCK_SKEW_MS = 5_000;
/** What cannot be looked at without a server. */
const OF_TEMPORAL = ['namespace', 'search attributes', 'workers'];

interface Finding {
  check: string;
  result: 'ok' | 'warning' | 'missing' | 'unknown';
  detail: string;
  /** What to do about it. */
  advice?: string;
}

type Check = () => Promise<Omit<Finding, 'check'>>;

export function addTo(program: Command): void {
  program
    .command('doctor')
    .description('check settings, Temporal and the service; exit 4 when something is missing')
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      const findings: Finding[] = [];
      const add = (finding: Finding): void => {
        findings.push(finding);
        if (!json) print(line(finding));
      };
      add(await finding('settings', checkSettings, 'set them, then ask again'));
      for (const found of await checkTemporal()) add(found);
      for (const found of await checkService()) add(found);
      const complete = findings.every(({ result }) => result !== 'missing');
      if (json) printJson({ complete, findings });
      io().exitCode = complete ? EXIT.done : EXIT.unreachable;
    });
}

function line({ check, result, detail, advice }: Finding): string {
  return `${result.padEnd(8)} ${check.padEnd(18)} ${detail}${advice ? ` — ${advice}` : ''}`;
}

/** A check that fails to run is a finding too. */
async function finding(name: string, check: Check, advice?: string): Promise<Finding> {
  try {
    return { check: name, ...(await check()) };
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/\s*\n\s*/g, '; ') : String(error);
    return { check: name, result: 'missing', detail, advice };
  }
}

/** What cannot be looked at before something else is mended. */
function notChecked(...checks: string[]): Finding[] {
  return checks.map((check) => ({ check, result: 'unknown', detail: 'not checked: mend the above first' }));
}

const checkSettings: Check = async () => {
  loadWorkerConfig(env());
  loadTemporalConfig(env());
  return Promise.resolve({ result: 'ok', detail: 'complete for a worker' });
};

async function checkTemporal(): Promise<Finding[]> {
  try {
    const config = loadTemporalConfig(env());
    return await withTemporal(async ({ temporal }) => {
      const server = await finding('temporal', () => checkServer(temporal, config));
      if (server.result === 'missing') return [server, ...notChecked(...OF_TEMPORAL)];
      return [
        server,
        await finding('namespace', () => checkNamespace(temporal, config)),
        await finding('search attributes', () => checkSearchAttributes(temporal, config)),
        await finding('workers', () => checkWorkers(temporal)),
      ];
    }, config);
  } catch (error) {
    const failure: Check = async () => {
      await Promise.resolve();
      throw error;
    };
    return [await finding('temporal', failure), ...notChecked(...OF_TEMPORAL)];
  }
}

async function checkServer(temporal: Client, config: TemporalConfig): ReturnType<Check> {
  const { serverVersion } = await temporal.workflowService.getSystemInfo({});
  const detail = `server ${serverVersion} at ${config.address}`;
  if (isRecentServer(serverVersion)) return { result: 'ok', detail };
  return { result: 'missing', detail, advice: `use ${OLDEST_SERVER.major}.${OLDEST_SERVER.minor} or newer` };
}

async function checkNamespace(temporal: Client, { namespace }: TemporalConfig): ReturnType<Check> {
  const described = await temporal.workflowService.describeNamespace({ namespace });
  const seconds = Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  const detail = `${namespace}, closed runs are kept ${formatDuration(seconds * 1_000)}`;
  if (seconds >= ENOUGH_RETENTION_DAYS * 86_400) return { result: 'ok', detail };
  return {
    result: 'warning',
    detail,
    advice: `a key is remembered only that long; keep runs ${ENOUGH_RETENTION_DAYS} days: temporal operator namespace update --retention ${ENOUGH_RETENTION_DAYS}d ${namespace}`,
  };
}

async function checkSearchAttributes(temporal: Client, { namespace }: TemporalConfig): ReturnType<Check> {
  const { readRegistration } = await import('../runs/registration.js');
  const { missing, clashing } = await readRegistration(temporal.connection, namespace);
  if (clashing.length > 0)
    return {
      result: 'missing',
      detail: `${clashing.join(', ')} have another type`,
      advice: 'use a namespace without them',
    };
  if (missing.length > 0)
    return { result: 'missing', detail: `no ${missing.join(', ')}`, advice: 'run `segue setup`' };
  return { result: 'ok', detail: 'all registered' };
}

async function checkWorkers(temporal: Client): ReturnType<Check> {
  const { pollersOf } = await import('../runs/pollers.js');
  const { taskQueue } = loadStarterConfig(env());
  const workflows = await pollersOf(temporal, taskQueue, 'workflow');
  const advice = 'start one with `segue worker`';
  if (workflows.length === 0) return { result: 'missing', detail: `nobody polls ${taskQueue}`, advice };
  // Workers may have roles.
  for (const queue of [pollTaskQueue, submitTaskQueue, batchTaskQueue].map((nameOf) => nameOf(taskQueue)))
    if ((await pollersOf(temporal, queue, 'activity')).length === 0)
      return { result: 'missing', detail: `nobody polls ${queue}`, advice };
  return { result: 'ok', detail: `${new Set(workflows).size} on ${taskQueue}` };
}

async function checkService(): Promise<Finding[]> {
  try {
    loadApiConfig(env());
  } catch (error) {
    if (error instanceof ConfigError) return notChecked('service', 'clock');
    throw error;
  }
  return withApi({}, async (api, options) => {
    const service = await finding(
      'service',
      async () => {
        try {
          const { workspace } = await api.getWorkspace({}, options());
          return {
            result: 'ok',
            detail: `workspace ${workspace?.name ?? 'without a name'} (${workspace?.id ?? 'no id'})`,
          };
        } catch (error) {
          if (!(error instanceof StatusError) || ![401, 403].includes(error.status)) throw error;
          return {
            result: 'missing',
            detail: error.message,
            advice: 'check SEGUE_API_KEY or SEGUE_API_TOKEN',
          };
        }
      },
      'is SEGUE_API_URL right, and is the service up?',
    );
    if (service.result === 'missing') return [service, ...notChecked('clock')];
    const clock = await finding('clock', async () => {
      const skew = await api.clockSkew(options());
      if (skew === null) return { result: 'ok', detail: 'the service does not tell its time' };
      const detail = `${formatDuration(Math.abs(skew))} from the service's`;
      if (Math.abs(skew) <= MOST_CLOCK_SKEW_MS) return { result: 'ok', detail };
      return { result: 'missing', detail, advice: 'set this machine’s clock; deadlines depend on it' };
    });
    return [service, clock];
  });
}
