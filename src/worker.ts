/** What a deployment runs: one process that polls the queues of Segue, or those of its roles. */
import { getHeapStatistics } from 'node:v8';
import { type DataConverter } from '@temporalio/common';
import { type NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { type ActivityOptions, createActivities } from './activities';
import { LARGEST_RESULT_BYTES } from './activities/lib/resultSize';
import { HEARTBEAT_EVERY_MS, type Operator, RECORDING_MARGIN_MS } from './contract';
import { createApi } from './api/client';
import { WORKFLOW_BUNDLE } from './temporal/bundle';
import {
  type ApiConfig,
  apiSettings,
  chunksOf,
  DEFAULT_LIMITS,
  validateRoles,
  type SendLimits,
  sharesOf,
  type StarterConfig,
  WORKER_ROLES,
  type WorkerRole,
  type WriteConfig,
} from './config';
import { msOf } from './contract/durations';
import { assertValid } from './errors';
import { batchTaskQueue, pollTaskQueue, submitTaskQueue, writeTaskQueue } from './contract/ids';
import { requireRegistration } from './runs/registration';
import { nexusHandler } from './activities/nexus';

/** Clocks and limits that only tests set. */
type TestOptions = Pick<ActivityOptions, 'checkScheduledTime' | 'now' | 'wallClock' | 'writeTimeoutMs'>;

export interface SegueWorkerOptions extends TestOptions {
  connection: NativeConnection;
  namespace: string;
  config: Pick<StarterConfig, 'taskQueue' | 'submit'> & {
    api: ApiConfig;
    limits?: SendLimits;
    writes?: Partial<WriteConfig>;
    operator?: Operator;
    /** What this process does. Default: everything. */
    roles?: readonly WorkerRole[];
    /** Default: as many as the heap has room for. */
    maxCachedWorkflows?: number;
  };
  /**
   * Options of the SDK's own workers. `tuner` gives the slots of workflows (at most 16, because they share a thread), activities and
   * polls; how many POSTs are sent is set by `config.limits` alone. Interceptors of workflows go into the bundle of `bundlePath`.
   */
  worker?: Pick<WorkerOptions, 'interceptors' | 'sinks' | 'tuner' | 'plugins' | 'workerDeploymentOptions'>;
  /** The workflow bundle; default: the one that the build made. */
  bundlePath?: string;
  /**
   * The team's own. With the SDK's external storage in it, texts over 1 MiB are kept there; the clients that read
   * results need the same one.
   */
  dataConverter?: DataConverter;
  /** Whether a namespace without Segue's search attributes is refused, before anything is polled. On by default. */
  checkSearchAttributes?: boolean;
}

export interface SegueWorker {
  identity: string;
  taskQueues: string[];
  /** Polls until `shutdown`, then drains: it waits for POSTs in flight. Rejects when a worker fails. */
  run(): Promise<void>;
  shutdown(): void;
  isRunning(): boolean;
}

export async function createSegueWorker(options: SegueWorkerOptions): Promise<SegueWorker> {
  const { queues, close } = await prepareQueues(options);
  const workers: Worker[] = [];
  for (const queue of queues) workers.push(await Worker.create(queue));
  return {
    identity: workers[0]?.options.identity ?? '',
    taskQueues: workers.map((worker) => worker.options.taskQueue),
    run: () => runTogether(workers, close),
    shutdown: () => {
      shutdown(workers);
    },
    isRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
  };
}

/** When one fails the others drain: a process that polls some of its queues looks healthy and is not. */
export async function runTogether(
  workers: readonly Worker[],
  close: () => Promise<void>,
  run = (worker: Worker): Promise<void> => worker.run(),
): Promise<void> {
  const runs = await Promise.allSettled(
    workers.map((worker) =>
      run(worker).finally(() => {
        shutdown(workers);
      }),
    ),
  );
  await close();
  for (const ended of runs) if (ended.status === 'rejected') throw ended.reason;
}

function shutdown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** The options of the SDK's worker for each task queue; the one with the workflows comes first. */
export async function prepareQueues(options: SegueWorkerOptions): Promise<{
  queues: WorkerOptions[];
  /** Closes the connections to the service. */
  close: () => Promise<void>;
}> {
  const { config, connection, namespace, checkSearchAttributes = true } = options;
  const { checkScheduledTime, now, wallClock, writeTimeoutMs } = options;
  const { taskQueue, roles = WORKER_ROLES, maxCachedWorkflows = cachedWorkflowsIn() } = config;
  assertValid(validateRoles('config.roles', roles), 'The worker was not started');
  const { logger } = Runtime.instance();
  if (checkSearchAttributes) {
    await requireRegistration(connection, namespace, (message) => {
      logger.warn(message, { namespace });
    });
  }
  const api = createApi(apiSettings(config.api));
  const limits = config.limits ?? DEFAULT_LIMITS;
  const { holdBefore } = limits;
  const { single, batch } = sharesOf(limits);
  const chunk = chunksOf(batch);
  // Logged at every start: until its time, the setting holds new jobs too.
  if (holdBefore)
    logger.warn(
      'SEGUE_HOLD_SUBMITS_BEFORE is set: submits scheduled before it are held. Remove it when the restored jobs are decided.',
      { before: holdBefore.toISOString() },
    );
  const activities = createActivities(api, {
    ...{ checkScheduledTime, now, wallClock, writeTimeoutMs },
    ...config.writes,
    organization: config.api.organization,
    proxy: config.api.proxy,
    authGrace: config.submit.authGrace,
    operator: config.operator,
    holdBefore,
    mostInChunk: chunk.items,
    keepLongTexts: storesLongTexts(options.dataConverter),
    meter: Runtime.instance().metricMeter,
  });
  const submitTimeout = msOf(config.submit.timeout);
  const { tuner, ...given } = options.worker ?? {};
  const shared = {
    ...given,
    connection,
    namespace,
    dataConverter: options.dataConverter,
    // By default a shutdown gives running activities no time, and a POST that is cut off has an unknown outcome.
    shutdownGraceTime: submitTimeout + RECORDING_MARGIN_MS,
    // By default heartbeats are held back until shortly before the server would give their activity up.
    maxHeartbeatThrottleInterval: HEARTBEAT_EVERY_MS,
  } satisfies Partial<WorkerOptions>;

  const queues: Record<WorkerRole, WorkerOptions[]> = {
    workflows: [
      {
        ...{ taskQueue, maxCachedWorkflows },
        ...(tuner ? { tuner } : { maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS }),
        workflowBundle: { codePath: options.bundlePath ?? WORKFLOW_BUNDLE },
        activities: activities.general,
        nexusServices: [nexusHandler],
        // How long a workflow task waits for the worker that has the run cached; then any worker replays the run.
        stickyQueueScheduleToStartTimeout: '5s',
      },
      { taskQueue: pollTaskQueue(taskQueue), tuner, activities: activities.polls },
      { taskQueue: writeTaskQueue(taskQueue), tuner, activities: activities.writes },
    ],
    submit: [
      {
        taskQueue: submitTaskQueue(taskQueue),
        activities: activities.submits,
        maxConcurrentActivityTaskExecutions: single.inFlight,
        maxTaskQueueActivitiesPerSecond: single.perSecond,
      },
    ],
    batch: [
      {
        taskQueue: batchTaskQueue(taskQueue),
        activities: activities.chunks,
        // Heartbeats carry the task ids of a chunk; ids that are not sent when the worker dies are unknown.
        maxHeartbeatThrottleInterval: 100,
        maxConcurrentActivityTaskExecutions: chunk.chunks,
        maxTaskQueueActivitiesPerSecond: chunk.perSecond,
      },
    ],
  };
  return {
    queues: WORKER_ROLES.filter((role) => roles.includes(role)).flatMap((role) =>
      queues[role].map((queue) => ({ ...shared, ...queue })),
    ),
    close: () => api.close(),
  };
}

/**
 * Workflow tasks at the same time, half of them for cached runs. They share one thread, and a task has ten seconds: with
 * many more, long replays would all time out, again and again.
 */
const WORKFLOW_TASKS = 16;

const MIB = 2 ** 20;
/** The part of the heap for code and running tasks. */
const NOT_FOR_CACHE = 100 * MIB;
/** Measured: a job that waits takes 50 KiB, a partition of 500 lines 250 to 600 KiB. Any run may be a partition. */
const LARGE_RUN = 0.6 * MIB;

/** How many runs a heap of this limit has room for. The SDK would keep a third as many: it counts 1.7 MiB for each. */
export function cachedWorkflowsIn(heapLimit = getHeapStatistics().heap_size_limit): number {
  return Math.max(10, Math.floor((heapLimit - NOT_FOR_CACHE) / LARGE_RUN));
}

/** Whether payloads that are too long for a history are kept in an external storage. */
function storesLongTexts(converter: DataConverter | undefined): boolean {
  const threshold = converter?.externalStorage?.payloadSizeThreshold;
  return threshold !== undefined && threshold <= LARGEST_RESULT_BYTES;
}

// `node dist/worker.js` is `segue worker`.
if (require.main === module)
  void import('./cli/main.js')
    .then(({ main }) => main([...process.argv.slice(0, 2), 'worker', ...process.argv.slice(2)]))
    .then((code) => process.exit(code));
