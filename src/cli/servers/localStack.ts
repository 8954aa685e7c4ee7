/** Everything on one machine: Temporal server with its UI, sandbox and worker, started and stopped in order. */
import { once } from 'node:events';
import { hostname } from 'node:os';
import path from 'node:path';
import { claimFolder } from '@segue/devserver';
import { type Pace, RECORD_PATHS, type Sandbox, SANDBOX_KEY, startSandbox } from '@segue/sandbox';
import { Credential } from '../../api/credential';
import { type LocalConfig, PUBLISHED_LAYOUT, type StarterConfig, type TemporalConfig } from '../../config';
import { digest } from '../../platform/digest';
import { createSegueWorker, type SegueWorker } from '../../worker';
import { say, UnreachableError } from '../lib/io';
import { startTemporal } from './temporal';
import { connectWorker, untilPolling } from './worker';

/** Paths of the sandbox for records whose path the API does not publish. */
const SANDBOX_LAYOUT = {
  ...PUBLISHED_LAYOUT,
  assetPath: RECORD_PATHS.asset,
  runPath: RECORD_PATHS.run,
  videoPath: RECORD_PATHS.video,
};

interface LocalStackOptions {
  config: LocalConfig;
  /** The folder of the state, with which a restart continues. */
  state: string;
  ports: { temporal: number; ui: number; sandbox: number };
  pace?: Pace;
}

export interface LocalStack {
  temporal: TemporalConfig;
  /** Undefined for an existing cluster. */
  uiUrl: string | undefined;
  sandbox: Sandbox;
  /** The id of the sandbox's workspace. */
  workspace: number;
  worker: SegueWorker;
  config: StarterConfig;
  /** Resolves, with the reason, when a part ends by itself. */
  broken: Promise<string>;
  stop: () => Promise<void>;
}

export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const config = withOwnQueue(options);
  const cleanUp: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    cleanUp.push(await requireFolder(options.state));
    const server = await temporalFor(options);
    cleanUp.push(server.stop);

    const db = path.join(options.state, 'sandbox.ndjson');
    const workspace = ownWorkspace(options);
    const otherIds = new Map([[workspace, 1]]);
    const sandbox = await startSandbox({ port: options.ports.sandbox, pace: options.pace, db, otherIds });
    cleanUp.push(sandbox.stop);

    const connection = await connectWorker(server.temporal);
    cleanUp.push(() => connection.close());
    const credential = Credential.apiKey(SANDBOX_KEY);
    const worker = await createSegueWorker({
      connection,
      namespace: server.temporal.namespace,
      config: {
        ...config,
        limits: options.config.limits,
        writes: options.config.writes,
        api: { url: sandbox.url, credential, proxy: {}, layout: SANDBOX_LAYOUT },
      },
    });
    const ended = worker.run().then(
      () => 'the worker ended',
      (error: unknown) => `the worker failed: ${String(error)}`,
    );
    cleanUp.push(() => {
      worker.shutdown();
      return ended;
    });
    if (!(await untilPolling(worker, server.temporal))) throw new Error(await ended);
    return {
      ...server,
      sandbox,
      workspace,
      worker,
      config,
      stop,
      broken: Promise.race([server.broken, ended]),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Two servers on one file would destroy it. */
async function requireFolder(folder: string): Promise<() => Promise<void>> {
  const release = await claimFolder(folder);
  if (release) return release;
  throw new UnreachableError(
    `${folder} is in use by another segue; stop that one, or choose a folder with --state`,
  );
}

/** On an existing cluster, a separate task queue keeps jobs of the sandbox apart from real jobs. */
function withOwnQueue({
  config: { starter, taskQueueGiven, temporal },
  state,
}: LocalStackOptions): StarterConfig {
  if (temporal.existing === undefined || taskQueueGiven) return starter;
  return { ...starter, taskQueue: `segue-dev-${stateDigest(state).slice(0, 8)}` };
}

/** On an existing cluster, another sandbox or the service has a workspace 1, too, and its project writers. */
function ownWorkspace({ config: { temporal }, state }: LocalStackOptions): number {
  return temporal.existing === undefined ? 1 : 1_000 + parseInt(stateDigest(state).slice(0, 7), 16);
}

/** Another on each machine and for each folder, and the same after a restart. */
function stateDigest(state: string): string {
  return digest([hostname(), path.resolve(state)]);
}

async function temporalFor({
  config,
  state,
  ports,
}: LocalStackOptions): Promise<Pick<LocalStack, 'temporal' | 'uiUrl' | 'broken' | 'stop'>> {
  const { existing } = config.temporal;
  if (existing) {
    say(`Temporal: the cluster at ${existing.address} (TEMPORAL_ADDRESS)`);
    const never = new Promise<string>(() => undefined);
    return { temporal: existing, uiUrl: undefined, broken: never, stop: () => Promise.resolve() };
  }
  const server = await startTemporal(config.temporal, {
    ...{ port: ports.temporal, uiPort: ports.ui },
    db: path.join(state, 'temporal.db'),
  });
  const { address, namespace, uiUrl, stop } = server;
  const broken = once(server.process, 'exit').then(() => 'the Temporal server ended');
  return { temporal: { address, namespace, connection: { address } }, uiUrl, broken, stop };
}
