/** Segue in a worker that a team already has. */
import { readFile } from 'node:fs/promises';
import { type BundleOptions, type BundlerPlugin } from '@temporalio/worker';
import { Worker, type WorkerOptions, type WorkerPlugin } from '@temporalio/worker';
import { loadWorkerConfig } from './config';
import { WORKFLOW_BUNDLE } from './temporal/bundle';
import { prepareQueues, runTogether, type SegueWorkerOptions } from './worker';

/** The module of a bundle that `configureBundler` joined. */
const JOINED = 'joinedWorkflows';

export interface SeguePluginOptions {
  /** Default: from the environment. The task queue is always that of the team's worker. */
  config?: Omit<SegueWorkerOptions['config'], 'taskQueue'>;
  /** Whether a namespace without Segue's search attributes is refused. On by default. */
  checkSearchAttributes?: boolean;
}

/**
 * Adds Segue's workflows and activities to one worker, and runs the workers of Segue's other queues beside it. Listed
 * last, it passes on the interceptors of the other plugins.
 */
export class SeguePlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'segue';
  private taskQueue?: string;
  private prepared?: Awaited<ReturnType<typeof prepareQueues>>;

  constructor(private readonly options: SeguePluginOptions = {}) {}

  async configureWorker(team: WorkerOptions): Promise<WorkerOptions> {
    const { connection, taskQueue, namespace = 'default', dataConverter } = team;
    // A connection gives its plugins to every worker on it, so to the other queues' workers as well.
    if (this.prepared?.queues.some((queue) => queue.taskQueue === taskQueue)) return team;
    if (this.prepared) throw new TypeError('A SeguePlugin is for one worker; make another one');
    if (!connection) throw new TypeError('SeguePlugin needs the worker option connection');
    const workflows = await workflowsBeside(team);
    const { config = loadWorkerConfig(), ...options } = this.options;
    const { interceptors, sinks, tuner, workerDeploymentOptions } = team;
    this.taskQueue = taskQueue;
    this.prepared = await prepareQueues({
      ...options,
      ...{ connection, namespace, dataConverter },
      config: { ...config, taskQueue },
      worker: { interceptors, sinks, tuner, workerDeploymentOptions },
    });
    const own = this.prepared.queues.find((queue) => queue.taskQueue === taskQueue);
    // A process without the role "workflows" runs the other queues' workers alone.
    if (!own) return team;
    return {
      ...own,
      ...team,
      ...workflows,
      activities: joined(team.activities, own.activities),
      nexusServices: [...(team.nexusServices ?? []), ...(own.nexusServices ?? [])],
    };
  }

  configureBundler(team: BundleOptions): BundleOptions {
    return {
      ...team,
      workflowsPath: require.resolve('./temporal/joinedWorkflows'),
      preloadModules: [...(team.preloadModules ?? []), require.resolve('./workflows')],
      webpackConfigHook: (given) => {
        const config = team.webpackConfigHook?.(given) ?? given;
        const alias = { ...config.resolve?.alias, 'segue-team-workflows': team.workflowsPath };
        return { ...config, resolve: { ...config.resolve, alias } };
      },
    };
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const { taskQueue } = worker.options;
    if (!this.prepared || taskQueue !== this.taskQueue) return next(worker);
    const { queues, close } = this.prepared;
    const workers = [worker];
    for (const queue of queues) if (queue.taskQueue !== taskQueue) workers.push(await Worker.create(queue));
    await runTogether(workers, close, (one) => (one === worker ? next(worker) : one.run()));
  }
}

/** The bundle, if the team gives none: one that it builds is joined by `configureBundler`. */
async function workflowsBeside({
  workflowBundle,
  workflowsPath,
}: WorkerOptions): Promise<Pick<WorkerOptions, 'workflowBundle'>> {
  if (!workflowBundle) return workflowsPath ? {} : { workflowBundle: { codePath: WORKFLOW_BUNDLE } };
  const code = 'code' in workflowBundle ? workflowBundle.code : await readFile(workflowBundle.codePath, 'utf8');
  if (code.includes(JOINED)) return {};
  throw new TypeError(
    "workflowBundle lacks Segue's workflows; build it with bundleWorkflowCode({ ..., plugins: [new SeguePlugin()] }), or give workflowsPath",
  );
}

function joined(team: WorkerOptions['activities'], own: WorkerOptions['activities']): Map<string, unknown> {
  const [given, added] = [entries(team), entries(own)];
  const clashing = added.map(([name]) => name).filter((name) => given.some(([other]) => other === name));
  if (clashing.length > 0)
    throw new TypeError(`Segue has activities of the same names; name yours otherwise: ${clashing.join(', ')}`);
  return new Map([...given, ...added]);
}

function entries(activities: WorkerOptions['activities'] = {}): [string, unknown][] {
  return activities instanceof Map ? [...activities] : Object.entries(activities);
}
