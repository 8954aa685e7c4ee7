/** Whether workspaces share fairly is told where the server tells it, and it does as soon as something waited. */
import { randomUUID } from 'node:crypto';
import { FAIRNESS_SETTING } from '../../../src/temporal/fairness';
import { batchTaskQueue } from '../../../src/contract/ids';
import { eventually } from '../../support/eventually';
import { segue } from '../../support/servers/segueCommand';
import { SegueProcess, type Settings } from '../../support/servers/segueProcess';
import {
  connectDevServer,
  startOwnDevServer,
  testConfig,
  type TestTemporal,
} from '../../support/servers/temporal';

const SWITCHED_ON = { dynamicConfig: { [FAIRNESS_SETTING]: true } };

test.each([
  {
    server: 'has it on',
    open: () => startOwnDevServer(SWITCHED_ON),
    told: /^ok +fairness +workspaces share/m,
  },
  {
    server: 'has it off',
    open: connectDevServer,
    told: /^warning +fairness +the server has it switched off.*matching\.enableFairness/m,
  },
])('segue doctor says whether workspaces share fairly: a server that $server', async ({ open, told }) => {
  const temporal = await open();
  try {
    const settings = settingsOf(temporal);
    expect((await segue(['doctor'], settings)).stdout).toMatch(
      /^unknown +fairness +the server does not tell.*matching\.enableFairness/m,
    );
    await leaveWaiting(temporal, settings);
    await eventually('the server to tell', async () => told.test((await segue(['doctor'], settings)).stdout));
  } finally {
    await temporal.close();
  }
});

test('a worker says at its start that the server has it off', async () => {
  const temporal = await connectDevServer();
  try {
    const settings = settingsOf(temporal);
    await leaveWaiting(temporal, settings);
    const worker = new SegueProcess(['worker'], settings);
    try {
      await eventually('the line', () => worker.stderr.some((line) => line.includes(FAIRNESS_SETTING)));
    } finally {
      await worker.end();
    }
  } finally {
    await temporal.close();
  }
});

function settingsOf({ address }: TestTemporal): Settings & { SEGUE_TASK_QUEUE: string } {
  return {
    TEMPORAL_ADDRESS: address,
    SEGUE_TASK_QUEUE: testConfig().taskQueue,
    SEGUE_API_URL: 'http://127.0.0.1:9',
    SEGUE_API_KEY: 'k',
  };
}

/** Activities that nobody does, on the queue of batches; several, for a queue in several parts. */
async function leaveWaiting(temporal: TestTemporal, settings: { SEGUE_TASK_QUEUE: string }): Promise<void> {
  const { workflowService } = temporal.client;
  for (let n = 1; n <= 4; n += 1) {
    await workflowService.startActivityExecution({
      namespace: 'default',
      requestId: randomUUID(),
      activityId: `${settings.SEGUE_TASK_QUEUE}-${n}`,
      activityType: { name: 'nobodyDoesThis' },
      taskQueue: { name: batchTaskQueue(settings.SEGUE_TASK_QUEUE) },
      scheduleToCloseTimeout: { seconds: 600 as never },
      retryPolicy: { maximumAttempts: 1 },
      priority: { priorityKey: 4, fairnessKey: `workspace-${n}` },
    });
  }
}
