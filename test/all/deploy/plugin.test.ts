/** Segue in a team's own worker, by its plugin. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { bundleWorkflowCode, Worker, type WorkerOptions } from '@temporalio/worker';
import { loadWorkerConfig } from '../../../src/config';
import { SeguePlugin } from '../../../src/plugin';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { readProject, seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { type SegueProcess } from '../../support/servers/segueProcess';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { readLedger } from '../../support/service/sandbox';

const EXAMPLE = path.resolve(__dirname, '../../../examples/own-workflow');

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
  const options = { taskQueue, workflowId: `product-${randomUUID()}` };
  const handle = await temporal.client.workflow.start('product', { ...options, args: [input] });
  const job = segueClient(temporal, testConfig({ taskQueue })).media.get('product-shoe');
  await eventually('the accepted POST', async () => (await job.state())?.stage === 'polling');
  await doomed.end('SIGKILL');

  worker();
  await job.pollNow();
  const taskId = await handle.result();
  const { summary } = await readLedger(sandboxUrl);
  expect(summary).toMatchObject({ submissions: 1, duplicates: 0, notifications: 1, duplicateNotifications: 0 });
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

  test('polls the queues of Segue besides its own, with one worker for each, and stops them when it is stopped', async () => {
    const worker = await create({});
    const { taskQueue } = worker.options;
    const client = segueClient(temporal, testConfig({ taskQueue }));
    await worker.runUntil(async () => {
      await eventually('the pollers', async () => (await client.temporal) !== undefined);
    });
  });

  test.each(['code', 'codePath'])('takes a bundle that was built with the plugin', async () => {
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [new SeguePlugin()] });
    await expect(create({ workflowBundle })).resolves.toBeInstanceOf(Worker);
  });

  test('refuses a bundle without the workflows of Segue, and says how it is built', async () => {
    const workflowBundle = await bundleWorkflowCode({ workflowsPath });
    await expect(create({ workflowBundle })).rejects.toThrow('build it with bundleWorkflowCode({');
  });

  test('refuses activities of the same names, and a second worker', async () => {
    const activities = { submit: () => undefined, notify: () => undefined };
    await expect(create({ activities })).rejects.toThrow('name yours otherwise: notify');
    const plugins = [newPlugin()];
    await create({ plugins });
    await expect(create({ plugins })).rejects.toThrow('make another one');
  });
});
