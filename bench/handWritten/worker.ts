/** The worker of the hand-written workflow, a process of its own: `node worker.js ADDRESS QUEUE API_URL API_KEY`. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from './activities';

async function main([address = '', taskQueue = '', apiUrl = '', apiKey = '']: string[]): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    ...{ connection, taskQueue },
    workflowsPath: require.resolve('./workflow'),
    activities: createActivities(apiUrl, apiKey),
    // What the SDK's guide to tuning says for activities that only wait for somebody else.
    maxConcurrentActivityTaskExecutions: 200,
  });
  const running = worker.run();
  console.log('ready');
  await running;
  await connection.close();
}

void main(process.argv.slice(2)).finally(() => process.exit());
