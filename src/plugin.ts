/** Segue in a worker that a team already has. */
import { readFile } from 'node:fs/promises';
import {
  type BundleOptions,
  type BundlerPlugin,
  Worker,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import { loadWorkerConfig } from './config';
import { WORKFLOW_BUNDLE } from './temporal/bundle';
import { prepareQueues, runTogether, type SegueWorkerOptions } from './worker';

/** By this name `workflows/joined.ts` requires the workflows of the team; only bundles made with the plugin contain it. */
const TEAM_WORKFLOWS = 'segue-team-workflows';

export interface SeguePluginOptions {
  /** Default: from the environment. The task queue is always that of the team's worker. */
  config?: Omit<SegueWorkerOptions['config'], 'taskQueue'>;
  /** Whether a namespace without Segue's search attributes is refused. On by default. */
  checkSearchAttributes?: boolean;
}

/**
 * Adds Segue's workflows and activities to one worker, and runs the workers of Segue's other queues beside it. List it
 * last: then the workers of the other queues use the interceptors of the other plugins.
 */
export class SeguePlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'segue';
  /** Segue's other queues, once a worker has the plugin. */
  private otherQueues?: WorkerOptions[];
  private readonly others: Worker[] = [];
  private close = (): Promise<void> => Promise.resolve();

  constructor(private readonly options: SeguePluginOptions = {}) {}

  async configureWorker(team: WorkerOptions): Promise<WorkerOptions> {
    const { connection, taskQueue, namespace = 'default', dataConverter } = team;
    // A plugin of the connection also configures the workers of the other queues.
    if (this.otherQueues?.some((queue) => queue.taskQueue === taskQueue)) return team;
    if (this.otherQueues) throw new TypeError('A SeguePlugin is for one worker; create another one');
    if (!connection) throw new TypeError('SeguePlugin needs the worker option connection');
    const workflows = await workflowsBeside(team);
    const { config = loadWorkerConfig(), ...options } = this.options;
    const { interceptors, sinks, tuner, workerDeploymentOptions } = team;
    const { queues, close } = await prepareQueues({
      ...options,
      ...{ connection, namespace, dataConverter },
      config: { ...config, taskQueue },
      worker: { interceptors, sinks, tuner, workerDeploymentOptions },
    });
    const own = queues.find((queue) => queue.taskQueue === taskQueue);
    const activities = joined(team.activities, own?.activities);
    this.close = close;
    this.otherQueues = queues.filter((queue) => queue !== own);
    // Now, because `runUntil` stops only a worker that runs already.
    for (const queue of this.otherQueues) this.others.push(await Worker.create(queue));
    const nexusServices = [...(team.nexusServices ?? []), ...(own?.nexusServices ?? [])];
    // A process without the role "workflows" runs the workers of the other queues alone.
    return own ? { ...own, ...team, ...workflows, activities, nexusServices } : team;
  }

  configureBundler(team: BundleOptions): BundleOptions {
    return {
      ...team,
      workflowsPath: require.resolve('./workflows/joined'),
      preloadModules: [...(team.preloadModules ?? []), require.resolve('./workflows')],
      webpackConfigHook: (given) => {
        const config = team.webpackConfigHook?.(given) ?? given;
        const alias = { ...(config.resolve?.alias as object), [TEAM_WORKFLOWS]: team.workflowsPath };
        return { ...config, resolve: { ...config.resolve, alias } };
      },
    };
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    if (this.others.includes(worker)) return next(worker);
    await runTogether([worker, ...this.others], this.close, (one) =>
      one === worker ? next(worker) : one.run(),
    );
  }
}

/** Segue's own bundle, if the team has no workflows; otherwise `configureBundler` adds Segue's workflows to the team's. */
async function workflowsBeside({
  workflowBundle,
  workflowsPath,
}: WorkerOptions): Promise<Pick<WorkerOptions, 'workflowBundle'>> {
  if (!workflowBundle)
    return { workflowBundle: workflowsPath === undefined ? { codePath: WORKFLOW_BUNDLE } : undefined };
  const code =
    'code' in workflowBundle ? workflowBundle.code : await readFile(workflowBundle.codePath, 'utf8');
  if (code.includes(TEAM_WORKFLOWS)) return {};
  throw new TypeError(
    "workflowBundle lacks Segue's workflows; build it with bundleWorkflowCode({ ..., plugins: [new SeguePlugin()] }), or give workflowsPath",
  );
}

function joined(team: object = {}, own: object = {}): object {
  const clashing = Object.keys(own).filter((name) => name in team);
  if (clashing.length === 0) return { ...team, ...own };
  throw new TypeError(`Segue has activities of the same names; rename yours: ${clashing.join(', ')}`);
}
