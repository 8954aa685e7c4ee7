/** Segue in a team's own worker, by its plugin. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
// As a team gets it: with the bundle that the build made.
import { loadWorkerConfig } from '@segue/segue';
import { SeguePlugin } from '@segue/segue/plugin';
import { bundleWorkflowCode, Worker, type WorkerOptions } from '@temporalio/worker';
import { pollersOf } from '../../../src/runs/query';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { readProject, seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { resetRun } from '../../support/servers/reset';
import { useProcesses } from '../../support/servers/processes';
import { type SegueProcess } from '../../support/servers/segueProcess';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { readLedger } from '../../support/service/sandbox';

const EXAMPLE = path.resolve(__dirname, '../../../examples/starter/src');

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

test("P1 P2 P4: a team's own workflow whose worker is killed has one POST, its change and one notification", async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=1');
  const project = await seedProject(sandboxUrl);
  const taskQueue = `team-${randomUUID()}`;
  const worker = (): SegueProcess =>
    processes.script(path.join(EXAMPLE, 'worker.ts'), {
      TEMPORAL_ADDRESS: temporal.address,
      SEGUE_TASK_QUEUE: taskQueue,
      SEGUE_API_URL: sandboxUrl,
      SEGUE_API_KEY: SANDBOX_KEY,
    });
  const doomed = worker();
  const input = {
    sku: 'shoe',
    imageUrl: `${sandboxUrl}/samples/shoe.png`,
    project,
    notify: { userId: 'u-1', workspaceId: 'w-1' },
  };
  const options = { taskQueue, workflowId: `Größe 1 ${randomUUID()}` };
  const handle = await temporal.client.workflow.start('product', { ...options, args: [input] });
  const { media } = segueClient(temporal, testConfig({ taskQueue }));
  const job = await eventually('the job', () => media.get('product-shoe').catch(() => false as const));
  await eventually('the accepted POST', async () => (await job.state())?.stage === 'polling');
  await doomed.end('SIGKILL');

  worker();
  await job.pollNow();
  const taskId = await handle.result();
  const { summary } = await readLedger(sandboxUrl);
  expect(summary).toMatchObject({
    submissions: 1,
    duplicates: 0,
    notifications: 1,
    duplicateNotifications: 0,
  });
  // Nor when people repeat it.
  const runId = await resetRun(temporal, { workflowId: handle.workflowId });
  expect(await temporal.client.workflow.getHandle(handle.workflowId, runId).result()).toBe(taskId);
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, notifications: 1 });
  const { data } = await readProject(sandboxUrl, project);
  expect(data).toMatchObject({ products: { shoe: { cutout: taskId } } });
});

describe('a worker with the plugin', () => {
  const workflowsPath = path.join(EXAMPLE, 'workflows.ts');
  const settings = { SEGUE_API_URL: 'http://127.0.0.1:9', SEGUE_API_KEY: 'k' };

  function newPlugin(): SeguePlugin {
    return new SeguePlugin({ config: loadWorkerConfig(settings) });
  }

  function create(more: Partial<WorkerOptions>): Promise<Worker> {
    const { nativeConnection: connection } = temporal;
    return Worker.create({ connection, taskQueue: `team-${randomUUID()}`, plugins: [newPlugin()], ...more });
  }

  test('polls all queues of Segue as long as it runs', async () => {
    const worker = await create({});
    const { taskQueue } = worker.options;
    const polled = async (): Promise<boolean[]> =>
      Promise.all(
        ['', '-poll', '-write', '-submit', '-batch'].map(
          async (suffix) => (await pollersOf(temporal.client, taskQueue + suffix, 'activity')).length > 0,
        ),
      );
    await worker.runUntil(() => eventually('the pollers', async () => (await polled()).every(Boolean)));
  });

  test('takes a bundle that was built with the plugin', async () => {
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [new SeguePlugin()] });
    const worker = await create({ workflowBundle });
    await worker.runUntil(Promise.resolve());
  });

  test('refuses a bundle without the workflows of Segue, and says how it is built', async () => {
    const workflowBundle = await bundleWorkflowCode({ workflowsPath });
    await expect(create({ workflowBundle })).rejects.toThrow('build it with bundleWorkflowCode({');
  });

  test('refuses activities of the same names, and a second worker', async () => {
    const activities = { submit: () => undefined, notify: () => undefined };
    await expect(create({ activities })).rejects.toThrow('rename yours: notify');
    const plugins = [newPlugin()];
    const worker = await create({ plugins });
    const { taskQueue } = worker.options;
    for (const queue of ['another', taskQueue])
      await expect(create({ plugins, taskQueue: queue })).rejects.toThrow('create another one');
    await worker.runUntil(Promise.resolve());
  });
});
