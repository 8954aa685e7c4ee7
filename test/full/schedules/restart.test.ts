/** Schedules outlive the processes that serve them. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { type DevServer } from '@segue/devserver';
import { startDevServer } from '../../support/servers/devServer';
import { newCampaign } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { endedOf } from '../../support/builders/schedules';
import { shared } from '../../support/jest/shared';
import { connectTo, segueClient, testConfig, type TestTemporal } from '../../support/servers/temporal';

let temporal: TestTemporal;
const processes = useProcesses(() => temporal.address);

test('P2: kill -9 of the server and of the worker: the schedule fires on, and no time fires twice', async () => {
  const db = path.join(shared().scratch, `${randomUUID()}.db`);
  const first = await startDevServer(shared().temporalBinary, { uiPort: false, db });
  temporal = await connectTo(first.address);
  const sandboxUrl = await processes.sandbox();
  const config = testConfig();
  const worker = await processes.worker(config.taskQueue, sandboxUrl);
  const { schedules } = segueClient(temporal, config);
  const { project } = await newCampaign(sandboxUrl);
  await schedules.create('looks', {
    spec: { every: '2s' },
    target: { kind: 'outlook', spec: { project, boards: ['launch-board'] } },
  });
  await eventually('a firing', async () => endedOf(await schedules.show('looks')).length > 0);
  await Promise.all([kill(first), worker.end('SIGKILL')]);
  const port = Number(first.address.split(':').at(-1));
  const second = await startDevServer(shared().temporalBinary, { uiPort: false, db, port });
  try {
    const { fired } = await eventually('the schedule', () => schedules.show('looks'));
    await processes.worker(config.taskQueue, sandboxUrl);
    const report = await eventually('two more firings', async () => {
      const now = await schedules.show('looks');
      return now.fired >= fired + 2 && endedOf(now).length >= 2 ? now : undefined;
    });
    const keys = report.firings.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(endedOf(report).map(({ status }) => status)).toEqual(endedOf(report).map(() => 'succeeded'));
    await schedules.delete('looks');
  } finally {
    await temporal.close();
    await second.stop();
  }
});

async function kill(server: DevServer): Promise<void> {
  const ended = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await ended;
}
