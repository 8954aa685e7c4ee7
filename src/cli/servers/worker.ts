import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import {
  DefaultLogger,
  type LogEntry,
  type LogLevel as SdkLogLevel,
  makeTelemetryFilterString,
  NativeConnection,
  type NativeConnectionOptions,
  Runtime,
} from '@temporalio/worker';
import pino from 'pino';
import { organizationProblem, organizationResolver } from '../../api/client';
import { pollersOf } from '../../runs/query';
import { type LogLevel, type TemporalConfig, type WorkerConfig } from '../../config';
import { createSegueWorker, type SegueWorker } from '../../worker';
import { reach } from '../../temporal/connection';
import { withApi, withTemporal } from '../lib/connect';
import { print, say } from '../lib/io';
import { untilAskedToStop } from './process';

export async function runWorker(config: WorkerConfig): Promise<void> {
  installRuntime(config.logLevel);
  const connection = await connectWorker(config.temporal);
  try {
    const worker = await createSegueWorker({ connection, namespace: config.temporal.namespace, config });
    void warnWithoutWorkspace(config);
    await runUntilStopped(worker, config);
  } finally {
    await connection.close();
  }
}

/** Logged at the start: jobs that write to projects are not sent. A configured workspace is read before the first of them. */
async function warnWithoutWorkspace({ api: { organization } }: WorkerConfig): Promise<void> {
  if (organization !== undefined) return;
  const problem = await withApi({}, (api, options) =>
    organizationProblem(organizationResolver(api), undefined, options()),
  );
  if (problem === null) return;
  const effect = problem.isTemporary ? 'wait' : 'are refused';
  const message = `jobs and batches that write to projects ${effect} unless they name an organization`;
  Runtime.instance().logger.warn(message, { problem: problem.reason });
}

async function runUntilStopped(worker: SegueWorker, { temporal }: WorkerConfig): Promise<void> {
  const stopped = untilAskedToStop(() => {
    say('stopped at once; POSTs in flight have an unknown outcome');
  });
  const running = worker.run();
  void stopped.then(() => {
    say('draining: finishing what is in flight');
    worker.shutdown();
  });
  void untilPolling(worker, temporal).then((polling) => {
    if (polling) print(`ready: polling ${worker.taskQueues.join(', ')} as ${worker.identity}`);
  });
  await running;
}

/** What a process that runs a worker needs once: its logs, and no signal handlers of the SDK's own. */
export function installRuntime(level: LogLevel): void {
  const log = process.stderr.isTTY ? linesFor(level) : jsonFor(level);
  Runtime.install({
    logger: new DefaultLogger('TRACE', (entry) => {
      if (!entry.message.startsWith(USUAL_WARNING)) log(entry);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    // The command decides the order in which worker and connection stop.
    shutdownSignals: [],
  });
}

/** The queues for submits and polls have activities only. */
const USUAL_WARNING = 'No workflows registered';

type Log = (entry: Pick<LogEntry, 'level' | 'message' | 'meta'>) => void;

/** For people. */
function linesFor(level: LogLevel): Log {
  const logger = new DefaultLogger(level.toUpperCase() as SdkLogLevel);
  return ({ level: sdkLevel, message, meta }) => {
    logger.log(sdkLevel, message, meta);
  };
}

function jsonFor(level: LogLevel): Log {
  const logger = pino({ level }, pino.destination({ fd: 2, sync: true }));
  return ({ level: sdkLevel, message, meta }) => {
    logger[sdkLevel.toLowerCase() as LogLevel](meta ?? {}, message);
  };
}

/** Waits until the server has seen this worker poll each of its queues; false when the worker ended before that. */
export async function untilPolling(worker: SegueWorker, config: TemporalConfig): Promise<boolean> {
  while (worker.isRunning()) {
    // The worker survives a server that is away for a while, and so does this check.
    const polling = await withTemporal(({ temporal }) => isPolling(temporal, worker), config).catch(
      () => false,
    );
    if (polling) return true;
    await sleep(100);
  }
  return false;
}

async function isPolling(temporal: Client, worker: SegueWorker): Promise<boolean> {
  const polled = await Promise.all(worker.taskQueues.map((queue) => pollersOf(temporal, queue, 'activity')));
  return polled.every((identities) => identities.includes(worker.identity));
}

export async function connectWorker(config: TemporalConfig): Promise<NativeConnection> {
  return reach(config, () => NativeConnection.connect({ ...compressionFor(config), ...config.connection }));
}

/** A server without TLS is near: there, compression costs more than the bytes. */
function compressionFor({ connection }: TemporalConfig): Pick<NativeConnectionOptions, 'grpcCompression'> {
  const isNear = !connection.tls && !connection.apiKey;
  return isNear ? { grpcCompression: { codec: 'none' } } : {};
}
