/** Temporal for one test file: the dev server that all files share, or its own server; and its workers. */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection';
import { TimeSkippingClient } from '@temporalio/testing/lib/client';
import { NativeConnection } from '@temporalio/worker';
import { type DevServerOptions } from '@segue/devserver';
import { startDevServer } from './devServer';
import { type Operator } from '../../../src/contract';
import { Credential } from '../../../src/api/credential';
import { type ServiceLayout } from '../../../src/api/operation';
import { SegueClient } from '../../../src/client';
import {
  loadLocalTemporalConfig,
  PUBLISHED_LAYOUT,
  type SendLimits,
  type StarterConfig,
} from '../../../src/config';
import { openConnection } from '../../../src/temporal/connection';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { register } from '../../../src/runs/registration';
import { findTestServer, startTestServer } from './testServer';
import { createSegueWorker, type SegueWorker, type SegueWorkerOptions } from '../../../src/worker';
import './runtime';
import { FOR_MANY_SMALL_TESTS } from './serverSettings';
import { shared } from '../jest/shared';

export interface TestTemporal {
  client: Client;
  nativeConnection: NativeConnection;
  address: string;
  /** Waits until no run is open. */
  settle?: () => Promise<void>;
  close: () => Promise<void>;
}

/** A server where hours pass in seconds. */
export interface SkippingTemporal extends TestTemporal {
  /** The time of its clock. */
  now: () => Promise<number>;
  /** Moves its clock forward. */
  skip: (ms: number) => Promise<void>;
}

async function connectDevServer(): Promise<TestTemporal> {
  return connectTo(shared().devServerAddress);
}

/** A dev server for one file: for other settings, or a list that has only the file's own runs. */
export async function startOwnDevServer(options: DevServerOptions = {}): Promise<TestTemporal> {
  const dynamicConfig = { ...FOR_MANY_SMALL_TESTS, ...options.dynamicConfig };
  const server = await startDevServer(shared().temporalBinary, { uiPort: false, ...options, dynamicConfig });
  const { close, ...temporal } = await connectTo(server.address);
  return { ...temporal, close: () => close().finally(server.stop) };
}

export async function connectTo(address: string): Promise<TestTemporal> {
  const opened = await openConnection({ address });
  return open(address, opened, new Client({ connection: opened.connection }));
}

/**
 * A server whose clock stops until a result is awaited; then it jumps to the next timer. Each file has its own:
 * there is one clock in a server, and the jumps of one test would be the timeouts of another. For the same reason a
 * worker there stops only when no run is open: the clock waits for the task of any run, and a run that a later jump
 * wakes without a worker would stop it for good.
 */
export async function startTimeSkippingServer(): Promise<SkippingTemporal> {
  const server = await startTestServer(await findTestServer(loadLocalTemporalConfig(), () => undefined));
  const { address } = server;
  const options = { address, [InternalConnectionOptionsSymbol]: { supportsTestService: true } };
  const opened = await openConnection(options);
  const { connection } = opened;
  await register(connection, 'default');
  const { close, ...temporal } = await open(address, opened, new TimeSkippingClient({ connection }));
  const skip = async (ms: number): Promise<void> => {
    await connection.testService?.unlockTimeSkippingWithSleep({ duration: msToTs(ms) });
  };
  const now = async (): Promise<number> => {
    const { time } = (await connection.testService?.getCurrentTime({})) ?? {};
    return tsToMs(time);
  };
  return {
    ...{ ...temporal, now, skip },
    settle: () => settle(temporal.client),
    close: () => close().finally(server.stop),
  };
}

/** One after the other, because the clock moves only while a result is awaited. */
async function settle(client: Client): Promise<void> {
  const { executions } = await client.workflowService.listOpenWorkflowExecutions({ namespace: 'default' });
  for (const { execution } of executions) {
    await client.workflow
      .getHandle(execution?.workflowId ?? '')
      .result()
      .catch(() => undefined);
  }
}

async function open(
  address: string,
  connected: { close: () => Promise<void> },
  client: Client,
): Promise<TestTemporal> {
  const nativeConnection = await NativeConnection.connect({ address });
  const close = async (): Promise<void> => {
    const left = [...running].filter(([, connection]) => connection === nativeConnection);
    await Promise.allSettled(left.map(([stop]) => stop()));
    await nativeConnection.close();
    await connected.close();
  };
  return { client, nativeConnection, address, close };
}

/**
 * Called at the top of a test file or a `describe`: the server runs from the first test to the last. The returned
 * object is filled in before the first test.
 */
export function useTemporal<T extends TestTemporal>(open: () => Promise<T>): T;
export function useTemporal(open?: () => Promise<TestTemporal>): TestTemporal;
export function useTemporal(open: () => Promise<TestTemporal> = connectDevServer): TestTemporal {
  const temporal = {} as TestTemporal;
  beforeAll(async () => {
    Object.assign(temporal, await open());
    // A first run may have to install the time-skipping server.
  }, 600_000);
  afterAll(async () => {
    // If the start failed there is nothing to close, and jest must report that failure.
    if ('close' in temporal) await temporal.close();
  });
  return temporal;
}

export function useTimeSkipping(): SkippingTemporal {
  return useTemporal(startTimeSkippingServer);
}

/** A server for the time of `work`: concurrent tests cannot share a clock. */
export async function withTimeSkipping<T>(work: (temporal: SkippingTemporal) => Promise<T>): Promise<T> {
  const temporal = await startTimeSkippingServer();
  return work(temporal).finally(temporal.close);
}

/** Running workers and their servers: those of a test that timed out are stopped at the end of the file. */
const running = new Map<() => Promise<void>, NativeConnection>();

/** Short intervals and a separate task queue, so that test files do not get each other's tasks. */
export function testConfig(overrides: Partial<StarterConfig> = {}): StarterConfig {
  return {
    taskQueue: `test-${randomUUID()}`,
    poll: { min: '50ms', max: '100ms', deadline: '1h', giveUp: '7d' },
    // Longer than a POST takes on a busy machine.
    submit: { timeout: '60s', authGrace: '1h' },
    ...overrides,
  };
}

export function segueClient(temporal: TestTemporal, config: StarterConfig): SegueClient {
  return new SegueClient(temporal.client, config);
}

/** On the time-skipping server a minute may pass between any two submits; the machine's clock does not see it. */
function skippedTime(): () => number {
  let now = Date.now();
  return () => (now += 60_000);
}

export interface TestWorkerOptions extends Pick<
  SegueWorkerOptions,
  'checkScheduledTime' | 'bundlePath' | 'dataConverter' | 'now' | 'wallClock' | 'writeTimeoutMs' | 'worker'
> {
  roles?: SegueWorkerOptions['config']['roles'];
  writes?: SegueWorkerOptions['config']['writes'];
  limits?: SendLimits;
  layout?: Partial<ServiceLayout>;
  operator?: Operator;
}

/** Runs `work` while a worker polls, and drains the worker afterwards. */
export async function withWorker<T>(
  temporal: TestTemporal,
  config: StarterConfig,
  apiUrl: string,
  work: (worker: SegueWorker) => Promise<T>,
  options: TestWorkerOptions = {},
): Promise<T> {
  const { worker, stop } = await startWorker(temporal, config, apiUrl, options);
  try {
    const done = await work(worker);
    await temporal.settle?.();
    return done;
  } finally {
    await stop();
  }
}

/** A worker that polls from the first test to the last. */
export function useWorker(
  temporal: TestTemporal,
  config: StarterConfig,
  service: { url: string; keepsWorkspace?: boolean },
  options: TestWorkerOptions = {},
): void {
  service.keepsWorkspace = true;
  beforeAll(async () => {
    await startWorker(temporal, config, service.url, options);
  });
  // `useTemporal` stops it at the end of the file.
}

async function startWorker(
  temporal: TestTemporal,
  config: StarterConfig,
  apiUrl: string,
  { limits, layout, operator, roles, writes, ...options }: TestWorkerOptions,
): Promise<{ worker: SegueWorker; stop: () => Promise<void> }> {
  const worker = await createSegueWorker({
    connection: temporal.nativeConnection,
    namespace: 'default',
    config: {
      ...config,
      ...{ limits, roles, writes },
      // A test may also give it with its config.
      ...(operator ? { operator } : {}),
      api: {
        url: apiUrl,
        credential: Credential.apiKey(SANDBOX_KEY),
        proxy: {},
        layout: { ...PUBLISHED_LAYOUT, ...layout },
      },
    },
    bundlePath: shared().bundlePath,
    // The time-skipping server accepts them (they were registered at its start), but does not list them.
    checkSearchAttributes: options.checkScheduledTime,
    now: options.checkScheduledTime === false ? skippedTime() : undefined,
    ...options,
  });
  const run = worker.run();
  const stop = async (): Promise<void> => {
    running.delete(stop);
    worker.shutdown();
    await run;
  };
  running.set(stop, temporal.nativeConnection);
  return { worker, stop };
}
