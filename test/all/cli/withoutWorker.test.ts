/** Runs that are over, and no worker any more: what they did is read from what the server keeps. */
import { type MediaJob } from '../../../src/client/jobs/job';
import { type StarterConfig } from '../../../src/config';
import { batchOf, cutouts, startBatch } from '../../support/builders/batch';
import { heldRow, newKey, tasksOf } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { segue } from '../../support/servers/segueCommand';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';
import { addFault, answering, useSandboxEach } from '../../support/service/sandbox';

// The list shows a whole namespace, and what other files left in it would be asked one by one.
const temporal = useTemporal(startOwnDevServer);
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 20 } });

const settings = () => ({ TEMPORAL_ADDRESS: temporal.address });
/** Nothing is polled while a test lasts. */
const SLOW = { poll: { min: '1h', max: '1h', deadline: '2h', giveUp: '7d' } } as const;

/** Runs a job for as long as a worker is there. */
async function begun(
  more: Partial<StarterConfig>,
  work: (job: MediaJob) => Promise<unknown>,
): Promise<MediaJob> {
  const config = testConfig(more);
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  return withWorker(temporal, config, sandbox.url, async () => {
    const spec = { key: newKey(), tool: 'remove-background', request };
    const job = await segueClient(temporal, config).media.start(spec);
    await work(job);
    return job;
  });
}

const isAt = (job: MediaJob, stage: string): Promise<unknown> =>
  eventually(stage, async () => (await job.state())?.stage === stage);

test('P1 P2: a terminated job with an unknown POST is listed with its X-Request-Id, and retry refuses it', async () => {
  const lost = {
    operation: 'remove-background',
    match: { every: 1 },
    fault: 'reset',
    when: 'after',
  } as const;
  await addFault(sandbox.url, lost);
  const { key, workflowId } = await begun({}, async (job) => {
    await isAt(job, 'held');
    await temporal.client.workflow.getHandle(job.workflowId).terminate();
  });
  const line = { temporal, sandbox, config: testConfig(), settings: settings() };
  expect(await heldRow(line, key)).toMatchObject({
    ...{ why: 'terminated', answered: true, requestId: `${key}.submit.1`, taskId: null },
  });
  const retry = await segue(['retry', workflowId], settings());
  expect(retry).toMatchObject({ code: 2, stderr: expect.stringContaining(`X-Request-Id ${key}.submit.1`) });
  const late = await segue(['resolve', workflowId, '--abandon', '--reason', 'late'], settings());
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('is over; nothing was changed') });
});

test('P1 P2: a job that was cancelled with a task tells it, and is not run again', async () => {
  const { key } = await begun(SLOW, async (job) => {
    await isAt(job, 'polling');
    await job.cancel();
    await eventually('its end', async () => (await job.report()).status === 'cancelled');
  });
  const [taskId = ''] = await tasksOf(sandbox.url, key);
  const shown = await segue(['media', 'show', key, '--json'], settings());
  expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'cancelled', taskId });
  const retry = await segue(['retry', key], settings());
  expect(retry).toMatchObject({ code: 2, stderr: expect.stringContaining(`its task ${taskId}`) });
});

test('P1: a job that was cancelled while the service took nothing is run again', async () => {
  await addFault(sandbox.url, answering(429, 'remove-background'));
  const { key } = await begun({}, async (job) => {
    await isAt(job, 'waiting');
    await job.cancel();
    await eventually('its end', async () => (await job.report()).status === 'cancelled');
  });
  expect(await segue(['retry', key], settings())).toMatchObject({ code: 0, stdout: `media/${key}+2` });
  await temporal.client.workflow.getHandle(`media/${key}+2`).terminate();
});

test('P1: an order for a batch that is over is refused at once', async () => {
  const config = testConfig();
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  await withWorker(temporal, config, sandbox.url, async () => {
    const batch = await startBatch(temporal, config, spec);
    await batch.result();
  });
  expect(await segue(['batch', 'pause', spec.key], settings())).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('is over; nothing was changed') },
  });
});
