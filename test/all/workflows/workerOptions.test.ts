/** What a team can give to its workers: roles, and options of the SDK. */
import { type WorkerOptions } from '@temporalio/worker';
import { cachedWorkflowsIn, createSegueWorker, type SegueWorkerOptions } from '../../../src/worker';
import { waitingJob } from '../../support/builders/waitingJob';
import { segue } from '../../support/servers/segueCommand';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { withSandbox } from '../../support/service/sandbox';

const temporal = useTemporal();

test.concurrent('interceptors and plugins are those of every queue', () =>
  withSandbox({ pace: { kind: 'instant' } }, async (url) => {
    const config = testConfig();
    const { taskQueue } = config;
    const done = new Set<string>();
    const queues: string[] = [];
    const cached: unknown[] = [];
    const sticky: unknown[] = [];
    const worker: Pick<WorkerOptions, 'interceptors' | 'plugins'> = {
      interceptors: {
        activity: [
          ({ info }) => ({
            inbound: {
              execute: (input, next) => {
                done.add(`${info.activityType} on ${info.taskQueue}`);
                return next(input);
              },
            },
          }),
        ],
      },
      plugins: [
        {
          name: 'a test',
          configureWorker: (options) => {
            queues.push(options.taskQueue);
            cached.push(options.maxCachedWorkflows);
            sticky.push(options.stickyQueueScheduleToStartTimeout);
            return options;
          },
        },
      ],
    };
    const work = async (): Promise<void> => {
      const report = await segueClient(temporal, config).media.run(waitingJob(url));
      expect(report).toMatchObject({ status: 'succeeded' });
    };
    await withWorker(temporal, config, url, work, { worker });
    expect([...done]).toEqual([`submit on ${taskQueue}-submit`, `getTask on ${taskQueue}-poll`]);
    expect(cached[0]).toBe(cachedWorkflowsIn());
    expect(sticky[0]).toBe('5s');
    const suffixes = ['', '-poll', '-write', '-submit', '-batch'];
    expect(queues).toEqual(suffixes.map((suffix) => `${taskQueue}${suffix}`));
  }),
);

/** What the SDK's workers are made with, one after the other, by a team that gives these options. */
async function optionsOf(
  given: SegueWorkerOptions['worker'],
  more: Pick<SegueWorkerOptions['config'], 'maxCachedWorkflows'> = {},
): Promise<WorkerOptions[]> {
  const made: WorkerOptions[] = [];
  const spy: NonNullable<WorkerOptions['plugins']>[number] = {
    name: 'a test',
    configureWorker: (options) => {
      made.push(options);
      return options;
    },
  };
  const config = { ...testConfig(), ...more };
  await withWorker(temporal, config, 'http://127.0.0.1:9', () => Promise.resolve(), {
    worker: { ...given, plugins: [spy] },
  });
  return made;
}

test.concurrent(
  'sinks and deployment options apply to every queue, the tuner not to the submit queues',
  async () => {
    const sinks = { log: { say: { fn: () => undefined } } };
    const workerDeploymentOptions = {
      version: { deploymentName: 'segue', buildId: '1' },
      useWorkerVersioning: false as const,
    };
    const fixed = { type: 'fixed-size' as const, numSlots: 7 };
    const tuner = {
      workflowTaskSlotSupplier: fixed,
      activityTaskSlotSupplier: fixed,
      localActivityTaskSlotSupplier: fixed,
      nexusTaskSlotSupplier: fixed,
    };
    const made = await optionsOf({ sinks, workerDeploymentOptions, tuner });
    expect(made).toHaveLength(5);
    for (const options of made) expect(options).toMatchObject({ sinks, workerDeploymentOptions });
    expect(made.map((options) => options.tuner)).toEqual([tuner, tuner, tuner, undefined, undefined]);
    expect(made[0]).not.toHaveProperty('maxConcurrentWorkflowTaskExecutions');
  },
);

test.concurrent(
  'heartbeats go out at once for chunks alone, and a worker keeps as many runs as it is told and replays few at once',
  async () => {
    const made = await optionsOf({}, { maxCachedWorkflows: 7 });
    const intervals = made.map((options) => options.maxHeartbeatThrottleInterval);
    expect(intervals).toEqual([3_000, 3_000, 3_000, 3_000, 100]);
    expect(made[0]).toMatchObject({ maxCachedWorkflows: 7, maxConcurrentWorkflowTaskExecutions: 16 });
  },
);

test('a worker keeps as many runs as its heap has room for: 400 open jobs fit into the image', () => {
  // `--max-old-space-size=512`, as V8 counts it.
  expect(cachedWorkflowsIn(560 * 2 ** 20)).toBe(766);
  expect(cachedWorkflowsIn(64 * 2 ** 20)).toBe(10);
});

test.concurrent('a worker polls the queues of its roles alone', async () => {
  const config = testConfig();
  const { taskQueue } = config;
  const queuesOf = (roles: ('workflows' | 'submit' | 'batch')[]): Promise<string[]> =>
    withWorker(temporal, config, 'http://127.0.0.1:9', ({ taskQueues }) => Promise.resolve(taskQueues), {
      roles,
    });
  expect(await queuesOf(['workflows'])).toEqual([taskQueue, `${taskQueue}-poll`, `${taskQueue}-write`]);
  expect(await queuesOf(['batch', 'submit'])).toEqual([`${taskQueue}-submit`, `${taskQueue}-batch`]);
});

test.concurrent('an unknown role is refused before anything connects', async () => {
  const api = { SEGUE_API_URL: 'http://127.0.0.1:9', SEGUE_API_KEY: 'k' };
  const words = 'no role is called "postman"; the roles are workflows, submit, batch';
  // Nobody is at this address.
  const settings = { ...api, TEMPORAL_ADDRESS: '127.0.0.1:9' };
  const refused = await segue(['worker', '--roles', 'submit,postman'], settings);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`(--roles): ${words}`) });
  const options = { config: { roles: ['postman'] }, connection: {}, namespace: 'default' };
  await expect(createSegueWorker(options as never)).rejects.toThrow(`roles: ${words}`);
});
