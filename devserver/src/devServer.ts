import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { type ChildProcess } from 'node:child_process';
import { withoutTemporalSettings } from './environment';
import { freePort } from './ports';
import { EndedAtStartError, spawnTethered, stopProcess, untilServing } from './process';

export interface DevServerOptions {
  /** A free port when left out, or 0. */
  port?: number;
  /** `false`: no UI. A free port when left out, or 0. */
  uiPort?: number | false;
  /** The port where Prometheus reads its metrics. */
  metricsPort?: number;
  /** The file for its state. Default: in memory. */
  db?: string;
  dynamicConfig?: Record<string, string | number | boolean>;
  /** Registered when it starts. */
  searchAttributes?: readonly { name: string; type: string }[];
}

export interface DevServer {
  address: string;
  namespace: string;
  uiUrl: string | undefined;
  process: ChildProcess;
  stop: () => Promise<void>;
}

/** The server's dynamic config that lets workspaces share a task queue fairly; off by default. */
export const FAIRNESS_SETTING = 'matching.enableFairness';

const NAMESPACE = 'default';
const RETENTION_DAYS = 30;

const CLI_TYPES: Partial<Record<string, string>> = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' };

/** The server chooses ports for its internal services, and exits if another process takes one first. */
const MOST_STARTS = 3;

/** Starts the server and waits until it serves its namespace. */
export async function startDevServer(binary: string, options: DevServerOptions = {}): Promise<DevServer> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startOnce(binary, options);
    } catch (error) {
      if (starts === MOST_STARTS || !(error instanceof EndedAtStartError)) throw error;
    }
  }
}

async function startOnce(binary: string, options: DevServerOptions): Promise<DevServer> {
  const { port: given = 0, uiPort: uiGiven = 0 } = options;
  const port = given || (await freePort());
  const uiPort = uiGiven === false ? undefined : uiGiven || (await freePort());
  if (options.db) await mkdir(path.dirname(path.resolve(options.db)), { recursive: true });
  const child = spawnTethered(binary, serverArguments(port, uiPort, options), {
    env: withoutTemporalSettings(),
  });
  const server: DevServer = {
    address: `127.0.0.1:${port}`,
    namespace: NAMESPACE,
    uiUrl: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`,
    process: child,
    stop: () => stopProcess(child),
  };
  await untilServing(child, `The Temporal server at ${server.address}`, () => keepClosedRuns(server.address));
  return server;
}

function serverArguments(port: number, uiPort: number | undefined, options: DevServerOptions): string[] {
  const dynamicConfig = {
    // The default lets timers fire up to a second late: too coarse for development with short polls.
    'history.timerProcessorMaxTimeShift': '"50ms"',
    ...options.dynamicConfig,
  };
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', NAMESPACE],
    ...['--log-level', 'error'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(options.metricsPort === undefined ? [] : ['--metrics-port', String(options.metricsPort)]),
    ...(options.db ? ['--db-filename', options.db] : []),
    ...(options.searchAttributes ?? []).flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${CLI_TYPES[type]}`,
    ]),
    ...Object.entries(dynamicConfig).flatMap(([name, value]) => [
      '--dynamic-config-value',
      `${name}=${value}`,
    ]),
  ];
}

/** Temporal remembers a closed key for the retention. The dev server's default of a day is too short. */
async function keepClosedRuns(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 });
  try {
    await connection.workflowService.updateNamespace({
      namespace: NAMESPACE,
      config: { workflowExecutionRetentionTtl: { seconds: RETENTION_DAYS * 86_400 } as never },
    });
    // A server that starts with a file can update a namespace a moment before it can read it.
    await connection.workflowService.countWorkflowExecutions({ namespace: NAMESPACE });
  } finally {
    await connection.close();
  }
}
