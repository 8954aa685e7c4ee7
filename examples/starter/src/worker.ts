import { loadWorkerConfig } from '@segue/segue';
import { SeguePlugin } from '@segue/segue/plugin';
import { NativeConnection, Worker } from '@temporalio/worker';

/** Polls for the workflows of this project, and for those of Segue. */
export async function createWorker(env = process.env): Promise<Worker> {
  const config = loadWorkerConfig(env);
  return Worker.create({
    connection: await NativeConnection.connect(config.temporal.connection),
    namespace: config.temporal.namespace,
    taskQueue: config.taskQueue,
    workflowsPath: require.resolve('./workflows'),
    plugins: [new SeguePlugin({ config })],
  });
}

async function main(): Promise<void> {
  const worker = await createWorker();
  await worker.run();
}

if (require.main === module)
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
