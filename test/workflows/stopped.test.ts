/** A worker that stands still past every limit, as a frozen machine does, and comes back. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type MediaJob } from '../../src/client/jobs/job';
import { eventually } from '../support/eventually';
import { useProcesses } from '../support/processes';
import { addFault, readLedger } from '../support/sandbox';
import { type SegueProcess } from '../support/segueProcess';
import { connectDevServer, segueClient, testConfig, type TestTemporal } from '../support/temporal';

let temporal: TestTemporal;
const processes = useProcesses(() => temporal.address);

beforeAll(async () => {
  temporal = await connectDevServer();
});
afterAll(() => temporal.close());

const config = () => testConfig({ submit: { timeout: '1s', authGrace: '1h' } });
const somebody = { by: 'a test', reason: 'by the ledger' };

async function startJob(sandboxUrl: string, { taskQueue }: { taskQueue: string }): Promise<MediaJob> {
  return segueClient(temporal, { ...config(), taskQueue }).media.start({
    key: `stop-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
  });
}

/** Another worker takes over; the run learns from the server that its submission gave no sign of life, and is held. */
async function standsStill(
  worker: SegueProcess,
  job: MediaJob,
  takeOver: () => Promise<unknown>,
): Promise<void> {
  await takeOver();
  expect(await job.wait()).toMatchObject({ status: 'held' });
  worker.child.kill('SIGCONT');
}

test('P1 P2: stopped before its POST was written, a worker that comes back sends nothing', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'instant');
  const { taskQueue } = config();
  const preload = path.join(__dirname, '../support/stopBeforeConnecting.js');
  const stopped = await processes.worker(taskQueue, sandboxUrl, { NODE_OPTIONS: `--require ${preload}` });
  const job = await startJob(sandboxUrl, { taskQueue });
  await eventually('the stop', () => stopped.stderr.some((line) => line.includes('stopping itself')));
  await standsStill(stopped, job, () => processes.worker(taskQueue, sandboxUrl));
  // It has come back, found its time over, and told so.
  await eventually('its outcome', () => stopped.stderr.some((line) => line.includes('notSent')));
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 0 });

  await eventually('that it can be decided', () => job.resolve({ action: 'resubmit', ...somebody }));
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
});

test('P1 P2: stopped after its POST was written, a worker that comes back is told of no second one', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'instant');
  const { taskQueue } = config();
  await addFault(sandboxUrl, {
    operation: 'remove-background',
    match: { nth: 1 },
    ...{ fault: 'delay', ms: 500, when: 'after' },
  });
  const stopped = await processes.worker(taskQueue, sandboxUrl);
  const job = await startJob(sandboxUrl, { taskQueue });
  await eventually('the POST', async () => (await readLedger(sandboxUrl)).summary.submissions === 1);
  stopped.child.kill('SIGSTOP');
  await standsStill(stopped, job, () => processes.worker(taskQueue, sandboxUrl));

  // The answer waits in the socket: whether its worker reads it or finds its time over first, one POST is all there is.
  const { entries } = await readLedger(sandboxUrl);
  const taskId = entries.find(({ kind }) => kind === 'submit')?.taskId ?? '';
  const decided = job.resolve({ action: 'adopt', taskId, ...somebody });
  // The late answer may have decided already.
  await decided.catch(() => undefined);
  expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId });
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
});
