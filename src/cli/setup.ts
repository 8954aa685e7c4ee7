/** `segue setup` and `segue doctor`: whether all that Segue needs is there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command } from 'commander';
import { type Api, type CallOptions } from '../api/client';
import { StatusError } from '../api/errors';
import { ConfigError, loadStarterConfig, loadTemporalConfig, loadWorkerConfig } from '../config';
import { formatDuration } from '../contract/durations';
import { batchTaskQueue, pollTaskQueue, submitTaskQueue, writeTaskQueue } from '../contract/ids';
import { isAccessDenied, PROJECT_WRITER_WORKFLOW } from '../contract';
import { type Connected, withApi, withTemporal } from './lib/connect';
import { env, EXIT, io, print, printJson, reasonOf, UnreachableError, UsageError } from './lib/io';

export function addTo(program: Command): void {
  program
    .command('doctor')
    .description('check settings, Temporal and the service; exit 4 when something is missing')
    .option('--json', 'print one JSON object')
    .action(diagnose);
  program
    .command('setup')
    .description(
      'register the search attributes that Segue needs in the namespace; harmless when done before',
    )
    .option('--nexus [endpoint]', 'also create the Nexus endpoint of the task queue; default name: segue')
    .action(setUp);
}

const REGISTRATION_TIMEOUT_MS = 30_000;

async function setUp({ nexus }: { nexus?: string | true }): Promise<void> {
  await withTemporal(async ({ temporal: { connection }, config: { namespace } }) => {
    const { clashingError, readRegistration, register } = await import('../runs/registration.js');
    const { missing, clashing } = await readRegistration(connection, namespace);
    if (clashing.length > 0) throw clashingError(namespace, clashing);
    if (missing.length > 0) await register(connection, namespace, missing);
    // The server shows them only after it has refreshed its cache.
    const giveUpAt = Date.now() + REGISTRATION_TIMEOUT_MS;
    while ((await readRegistration(connection, namespace)).missing.length > 0) {
      if (Date.now() > giveUpAt)
        throw new UnreachableError('The server took the search attributes, but does not show them.');
      await sleep(200);
    }
    print(missing.length > 0 ? `registered ${missing.join(', ')} in ${namespace}` : 'nothing to do');
    if (nexus === undefined) return;
    const { taskQueue } = loadStarterConfig(env());
    const name = nexus === true ? 'segue' : nexus;
    const isNew = await createEndpoint(connection, name, { namespace, taskQueue });
    print(
      `the Nexus endpoint ${name} ${isNew ? 'is created' : 'exists'}: its target is ${taskQueue} in ${namespace}`,
    );
  });
}

/** False if it exists. */
async function createEndpoint(
  { operatorService }: Connected['temporal']['connection'],
  name: string,
  worker: { namespace: string; taskQueue: string },
): Promise<boolean> {
  const { endpoints } = await operatorService.listNexusEndpoints({ name });
  const [found] = endpoints;
  if (!found) {
    await operatorService.createNexusEndpoint({ spec: { name, target: { worker } } });
    return true;
  }
  const target = found.spec?.target?.worker;
  if (target?.namespace === worker.namespace && target.taskQueue === worker.taskQueue) return false;
  throw new UsageError(
    `The Nexus endpoint ${name} has another target, ${target?.taskQueue ?? 'an address'}; choose another name, or delete it`,
  );
}

interface Result {
  result: 'ok' | 'warning' | 'missing' | 'unknown';
  detail: string;
  advice?: string;
}

interface Check {
  check: string;
  needs?: string;
  look: () => Result | Promise<Result>;
  /** For a look that throws. */
  advice?: string;
}

const ok = (detail: string): Result => ({ result: 'ok', detail });
const missing = (detail: string, advice?: string): Result => ({ result: 'missing', detail, advice });
const NOT_CHECKED: Result = { result: 'unknown', detail: 'not checked: fix the above first' };

const CHECKS: Check[] = [
  { check: 'settings', look: checkSettings, advice: 'set them, then run this again' },
  { check: 'temporal', look: () => withTemporal(checkServer) },
  { check: 'namespace', needs: 'temporal', look: () => withTemporal(checkNamespace) },
  { check: 'search attributes', needs: 'temporal', look: () => withTemporal(checkSearchAttributes) },
  { check: 'workers', needs: 'temporal', look: () => withTemporal(checkWorkers) },
  { check: 'project writers', needs: 'temporal', look: () => withTemporal(checkWriters) },
  {
    check: 'service',
    look: () => withApi({}, checkWorkspace),
    advice: 'is SEGUE_API_URL right, and is the service up?',
  },
  { check: 'clock', needs: 'service', look: () => withApi({}, checkClock) },
];

async function diagnose({ json }: { json?: boolean }): Promise<void> {
  const findings: (Result & { check: string })[] = [];
  for (const { check, needs, look, advice } of CHECKS) {
    const before = findings.find((found) => found.check === needs)?.result;
    const isPossible = before !== 'missing' && before !== 'unknown';
    const found = isPossible ? await resultOf(look, advice) : NOT_CHECKED;
    findings.push({ check, ...found });
    const todo = found.advice ? ` — ${found.advice}` : '';
    if (!json) print(`${found.result.padEnd(8)} ${check.padEnd(18)} ${found.detail}${todo}`);
  }
  const complete = findings.every(({ result }) => result !== 'missing');
  if (json) printJson({ complete, findings });
  io().exitCode = complete ? EXIT.done : EXIT.unreachable;
}

/** A check that throws is a finding too; wrong settings are the finding of the first check. */
async function resultOf(look: Check['look'], advice?: string): Promise<Result> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ConfigError && look !== checkSettings) return NOT_CHECKED;
    return missing(reasonOf(error).replace(/\s*\n\s*/g, '; '), advice);
  }
}

function checkSettings(): Result {
  loadWorkerConfig(env());
  loadTemporalConfig(env());
  return ok('complete for a worker');
}

/** The oldest server that has all that Segue uses. */
const OLDEST_SERVER = '1.29';

async function checkServer({ temporal, config }: Connected): Promise<Result> {
  const { serverVersion } = await temporal.workflowService.getSystemInfo({});
  const detail = `server ${serverVersion} at ${config.address}`;
  if (serverVersion.localeCompare(OLDEST_SERVER, 'en', { numeric: true }) >= 0) return ok(detail);
  return missing(detail, `use ${OLDEST_SERVER} or newer`);
}

const ENOUGH_RETENTION_DAYS = 30;

async function checkNamespace({ temporal, config: { namespace } }: Connected): Promise<Result> {
  const described = await temporal.workflowService.describeNamespace({ namespace });
  const seconds = Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  const detail = `${namespace}, closed runs are kept ${formatDuration(seconds * 1_000)}`;
  if (seconds >= ENOUGH_RETENTION_DAYS * 86_400) return ok(detail);
  const advice = `a key is remembered only that long; keep runs ${ENOUGH_RETENTION_DAYS} days: temporal operator namespace update --retention ${ENOUGH_RETENTION_DAYS}d ${namespace}`;
  return { result: 'warning', detail, advice };
}

async function checkSearchAttributes({ temporal, config: { namespace } }: Connected): Promise<Result> {
  const { readRegistration } = await import('../runs/registration.js');
  const found = await readRegistration(temporal.connection, namespace);
  if (found.clashing.length > 0)
    return missing(`${found.clashing.join(', ')} have another type`, 'use a namespace without them');
  if (found.missing.length > 0) return missing(`no ${found.missing.join(', ')}`, 'run `segue setup`');
  return ok('all registered');
}

async function checkWorkers({ temporal }: Connected): Promise<Result> {
  const { pollersOf } = await import('../runs/query.js');
  const { taskQueue } = loadStarterConfig(env());
  const workflows = await pollersOf(temporal, taskQueue, 'workflow');
  const unpolled = (queue: string): Result =>
    missing(`no worker polls ${queue}`, 'start one with `segue worker`');
  if (workflows.length === 0) return unpolled(taskQueue);
  // Workers may have different roles.
  const queues = [pollTaskQueue, writeTaskQueue, submitTaskQueue, batchTaskQueue];
  for (const queue of queues.map((nameOf) => nameOf(taskQueue)))
    if ((await pollersOf(temporal, queue, 'activity')).length === 0) return unpolled(queue);
  return ok(`${new Set(workflows).size} on ${taskQueue}`);
}

/** A writer stays on its task queue, with its shard of all projects, also when its workers are gone. */
async function checkWriters({ temporal }: Connected): Promise<Result> {
  const { pollersOf } = await import('../runs/query.js');
  const ofQueue = new Map<string, string[]>();
  const query = `WorkflowType = '${PROJECT_WRITER_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, taskQueue } of temporal.workflow.list({ query }))
    ofQueue.set(taskQueue, [...(ofQueue.get(taskQueue) ?? []), workflowId]);
  for (const [queue, [first = '', ...others]] of ofQueue) {
    if ((await pollersOf(temporal, queue, 'workflow')).length > 0) continue;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return missing(
      `no worker polls ${queue}, the task queue of ${first}${more}`,
      'start a worker there, or terminate these runs: what waits is asked for again',
    );
  }
  return ok(`${[...ofQueue.values()].flat().length} open`);
}

async function checkWorkspace(api: Api, options: () => CallOptions): Promise<Result> {
  try {
    const { workspace } = await api.getWorkspace({}, options());
    return ok(`workspace ${workspace?.name ?? 'without a name'} (${workspace?.id ?? 'no id'})`);
  } catch (error) {
    if (!(error instanceof StatusError) || !isAccessDenied(error.status)) throw error;
    return missing(error.message, 'check SEGUE_API_KEY or SEGUE_API_TOKEN');
  }
}

const MOST_CLOCK_SKEW_MS = 5_000;

async function checkClock(api: Api, options: () => CallOptions): Promise<Result> {
  const skew = await api.clockSkew(options());
  if (skew === null) return ok('the service sends no time (header Date)');
  const detail = `${formatDuration(Math.abs(skew))} from the service's`;
  if (Math.abs(skew) <= MOST_CLOCK_SKEW_MS) return ok(detail);
  return missing(detail, "set this machine's clock; deadlines depend on it");
}
