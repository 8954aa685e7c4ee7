/** Everything on one machine: Temporal server with its UI, sandbox and worker, started and stopped in order. */
import { once } from 'node:events';
import path from 'node:path';
import { mkdir } from 'node:fs/promises';
import { lock } from 'proper-lockfile';
import { Credential } from '../api/credential';
import {
  loadLocalTemporalConfig,
  loadStarterConfig,
  PUBLISHED_LAYOUT,
  type StarterConfig,
  type TemporalConfig,
} from '../config';
import { type Pace } from '../sandbox/pace';
import { type Sandbox, SANDBOX_KEY, startSandbox } from '../sandbox/server';
import { startDevServer } from '../temporal/devServer';
import { findTemporal, type Say } from '../temporal/find';
import { createSegueWorker, type SegueWorker } from '../worker';
import { withTemporal } from './connect';
import { connectWorker } from './connectWorker';
import { UnreachableError } from './exit';
import { untilPolling } from './worker';

export interface LocalStackOptions {
  /** The folder that keeps the state, so that a restart goes on where it was. */
  state: string;
  ports: { temporal: number; ui: number; sandbox: number };
  pace?: Pace;
  say: Say;
  onRequest?: (line: string) => void;
}

export interface LocalStack {
  temporal: TemporalConfig;
  /** Undefined for a cluster that was there before. */
  uiUrl: string | undefined;
  sandbox: Sandbox;
  worker: SegueWorker;
  config: StarterConfig;
  /** Resolves, with the reason, when a part ends by itself. */
  broken: Promise<string>;
  stop: () => Promise<void>;
}

export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const config = loadStarterConfig();
  const cleanUp: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    cleanUp.push(await claim(options.state));
    const server = await startTemporal(options);
    cleanUp.push(server.stop);

    const db = path.join(options.state, 'sandbox.ndjson');
    const { pace, onRequest } = options;
    const sandbox = await startSandbox({ port: options.ports.sandbox, pace, db, onRequest });
    cleanUp.push(sandbox.stop);

    const connection = await connectWorker(server.temporal);
    cleanUp.push(() => connection.close());
    const api = {
      url: sandbox.url,
      credential: Credential.apiKey(SANDBOX_KEY),
      proxy: {},
      layout: PUBLISHED_LAYOUT,
    };
    const worker = await createSegueWorker({
      connection,
      namespace: server.temporal.namespace,
      config: { ...config, api },
    });
    const running = worker.run();
    cleanUp.push(() => {
      worker.shutdown();
      return running.catch(() => undefined);
    });
    const workerEnded = running.then(
      () => 'the worker ended',
      (error: unknown) => `the worker failed: ${String(error)}`,
    );
    await withTemporal(({ temporal }) => untilPolling(temporal, worker), server.temporal);
    return { ...server, sandbox, worker, config, stop, broken: Promise.race([server.broken, workerEnded]) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Two servers on one file would destroy it. */
async function claim(state: string): Promise<() => Promise<void>> {
  await mkdir(state, { recursive: true });
  try {
    return await lock(state, { stale: 10_000, update: 2_000 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    throw new UnreachableError(
      `${state} is in use by another segue; stop that one, or choose a folder with --state`,
    );
  }
}

interface RunningTemporal {
  temporal: TemporalConfig;
  uiUrl: string | undefined;
  broken: Promise<string>;
  stop: () => Promise<void>;
}

async function startTemporal({ state, ports, say }: LocalStackOptions): Promise<RunningTemporal> {
  const found = await findTemporal(loadLocalTemporalConfig(), say);
  if (found.kind === 'cluster') {
    const never = new Promise<string>(() => undefined);
    return { temporal: found.cluster, uiUrl: undefined, broken: never, stop: () => Promise.resolve() };
  }
  const server = await startDevServer(found.path, {
    port: ports.temporal || undefined,
    uiPort: ports.ui || undefined,
    db: path.join(state, 'temporal.db'),
  });
  const { address, namespace, uiUrl, stop } = server;
  const broken = once(server.process, 'exit').then(() => 'the Temporal server ended');
  return { temporal: { address, namespace, connection: { address } }, uiUrl, broken, stop };
}
