/** That a person is needed stands in log and metric of the worker, too: the service may be what is down. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { freePort } from '@segue/devserver';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { addFault } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

test('P2: a held job is in the log and the metrics of its worker, while nobody can be notified', async () => {
  const sandboxUrl = await processes.sandbox();
  for (const operation of ['remove-background', 'notify'])
    await addFault(sandboxUrl, { operation, match: { every: 1 }, fault: 'reset', when: 'after' });
  const config = testConfig();
  const metricsAddress = `127.0.0.1:${await freePort()}`;
  const worker = await processes.worker(config.taskQueue, sandboxUrl, {
    NODE_OPTIONS: `--require ${path.join(__dirname, '../../support/preload/showMetrics.js')}`,
    METRICS_ADDRESS: metricsAddress,
    SEGUE_OPERATOR: 'op@1',
  });
  const job = await segueClient(temporal, config).media.start({
    key: `job-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${sandboxUrl}/samples/shoe.png` },
  });
  await eventually('the hold', async () => (await job.state())?.stage === 'held');
  const alarms = await eventually('the metric', async () => {
    const metrics = await (await fetch(`http://${metricsAddress}/metrics`)).text();
    return metrics.split('\n').find((line) => line.startsWith('segue_alarms{'));
  });
  expect(alarms).toMatch(/why="unknown".* 1$/);
  const { stderr } = await worker.end('SIGTERM');
  expect(stderr).toContain('a person is needed');
  expect(stderr).toContain(job.key);
  await job.cancel();
});
