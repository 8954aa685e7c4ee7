/** The worker process of the hand-written workflow: `node worker.js ADDRESS QUEUE API_URL API_KEY`. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from './activities';

async function main([address = '', taskQueue = '', apiUrl = '', apiKey = '']: string[]): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    ...{ connection, taskQueue },
    workflowsPath: require.resolve('./workflow'),
    activities: createActivities(apiUrl, apiKey),
    // As the SDK's tuning guide recommends for activities that mostly wait for I/O.
    maxConcurrentActivityTaskExecutions: 200,
  });
  const running = worker.run();
  console.log('ready');
  await running;
  await connection.close();
}

void main(process.argv.slice(2)).finally(() => process.exit());
