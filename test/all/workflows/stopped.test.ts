/**
 * A worker that stands still past every limit, as a frozen machine does, and comes back. That takes long and nothing
 * but time, so the tests run side by side.
 */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type MediaJob } from '../../../src/client/jobs/job';
import { type ProjectRef } from '../../../src/contract';
import { projectWriterId, shardOf } from '../../../src/contract/ids';
import { decideByLedger } from '../../support/builders/deciding';
import { tasksOf } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { addPassingFault, ask, readLedger } from '../../support/service/sandbox';
import { type SegueProcess } from '../../support/servers/segueProcess';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  type TestTemporal,
  useTemporal,
} from '../../support/servers/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);
/** This server ends a long poll after 5 s, so a stopped worker soon gets no new task. */
const impatient = useTemporal(() =>
  startOwnDevServer({ dynamicConfig: { 'matching.longPollExpirationInterval': '"5s"' } }),
);
const itsProcesses = useProcesses(() => impatient.address);

const config = () => testConfig({ submit: { timeout: '5s', authGrace: '1h' } });
/** Several times what it takes. */
const LONGEST_MS = 240_000;
const somebody = { by: 'a test', reason: 'by the ledger' };

async function startJob(
  sandboxUrl: string,
  { taskQueue, server = temporal }: { taskQueue: string; server?: TestTemporal },
): Promise<MediaJob> {
  return segueClient(server, { ...config(), taskQueue }).media.start({
    key: `stop-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
  });
}

/** Another worker takes over; the submit misses its heartbeats, and the job is held. */
async function standsStill(
  worker: SegueProcess,
  job: MediaJob,
  takeOver: () => Promise<unknown>,
): Promise<void> {
  await takeOver();
  expect(await job.wait()).toMatchObject({ status: 'held' });
  worker.child.kill('SIGCONT');
}

test.concurrent(
  'P1 P2: stopped before its POST was written, a worker that comes back sends nothing',
  async () => {
    const sandboxUrl = await itsProcesses.sandbox('--pace', 'instant');
    const { taskQueue } = config();
    const preload = path.join(__dirname, '../../support/preload/stopBeforeConnecting.js');
    const stopped = await itsProcesses.worker(taskQueue, sandboxUrl, {
      // With it, a worker asks nothing at its start.
      SEGUE_ORGANIZATION: '1',
      NODE_OPTIONS: `--require ${preload}`,
    });
    const job = await startJob(sandboxUrl, { taskQueue, server: impatient });
    await eventually('the stop', () => stopped.stderr.some((line) => line.includes('stopping itself')));
    await standsStill(stopped, job, () => itsProcesses.worker(taskQueue, sandboxUrl));
    // It has come back, found its time over, and told so.
    await eventually('its outcome', () => stopped.stderr.some((line) => line.includes('notSent')));
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 0 });

    await eventually('that it can be decided', () => job.resolve({ action: 'resubmit', ...somebody }));
    expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  },
  LONGEST_MS,
);

test.concurrent(
  'P1 P2: stopped after its POST was written, a worker that comes back sends no second POST',
  async () => {
    const sandboxUrl = await itsProcesses.sandbox('--pace', 'instant');
    const { taskQueue } = config();
    const delay = await addPassingFault(sandboxUrl, {
      ...{ operation: 'remove-background', match: { nth: 1 } },
      ...{ fault: 'delay', ms: 600_000, when: 'after' },
    });
    const stopped = await itsProcesses.worker(taskQueue, sandboxUrl);
    const job = await startJob(sandboxUrl, { taskQueue, server: impatient });
    await eventually('the POST', async () => (await readLedger(sandboxUrl)).summary.submissions === 1);
    stopped.child.kill('SIGSTOP');
    await delay.takeAway();
    await standsStill(stopped, job, () => itsProcesses.worker(taskQueue, sandboxUrl));

    // The answer waits in the socket: whether its worker reads it or finds its time over first, one POST is all there is.
    await decideByLedger(job, sandboxUrl);
    const [taskId] = await tasksOf(sandboxUrl, job.key);
    expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  },
  LONGEST_MS,
);

/**
 * Of the first task on, whatever the server hands out goes to the one that was stopped or to the other. Both questions
 * share the wait until the server has given up what the first one took.
 */
test.concurrent.each([
  { etags: 'with', flags: [] },
  { etags: 'without', flags: ['--no-etags'] },
])(
  'P1 P2 P3: stopped while it polls, a worker that comes back sends and writes nothing of what it was handed, $etags ETags',
  async ({ flags }) => {
    const sandboxUrl = await processes.sandbox('--pace', 'instant', ...flags);
    const { taskQueue } = config();
    const stopped = await processes.worker(taskQueue, sandboxUrl);
    // It polls: it has worked.
    expect(await (await startJob(sandboxUrl, { taskQueue })).wait()).toMatchObject({ status: 'succeeded' });
    stopped.child.kill('SIGSTOP');
    const other = await processes.worker(taskQueue, sandboxUrl);

    const [jobs, changes] = await Promise.all([
      submitUntilSomeAreTaken(sandboxUrl, taskQueue),
      writeUntilSomeAreTaken(sandboxUrl, taskQueue),
    ]);
    stopped.child.kill('SIGCONT');
    // It has come back, and has been through what it found, when it works again.
    await other.end();
    expect(await (await startJob(sandboxUrl, { taskQueue })).wait()).toMatchObject({ status: 'succeeded' });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({
      submissions: jobs.started + 2,
      duplicates: 0,
    });
    for (const { resourcetype, id } of changes.written) {
      const { json } = await ask(sandboxUrl, `GET /projects/${resourcetype}/${id}`);
      expect(json.data).toEqual({ x: 'new' });
    }
  },
  LONGEST_MS,
);

/** Jobs of which the stopped worker took some: nothing of them was sent, and they went on by themselves. */
async function submitUntilSomeAreTaken(sandboxUrl: string, taskQueue: string) {
  const found = { started: 0, taken: 0 };
  while (found.taken === 0) {
    const jobs = await Promise.all(Array.from({ length: 4 }, () => startJob(sandboxUrl, { taskQueue })));
    found.started += jobs.length;
    await Promise.all(
      jobs.map(async (job) => {
        expect(await job.wait()).toMatchObject({ status: 'succeeded' });
        found.taken += await attemptsGivenUp(job.workflowId);
      }),
    );
  }
  return found;
}

/** Projects that were written twice, some of them by an attempt that came after one that was given up. */
async function writeUntilSomeAreTaken(sandboxUrl: string, taskQueue: string) {
  const { json } = await ask(sandboxUrl, 'GET /workspaces/current');
  const organization = String((json.workspace as { id: number }).id);
  const { projects } = segueClient(temporal, { ...config(), taskQueue });
  const found: { written: ProjectRef[]; taken: number } = { written: [], taken: 0 };
  while (found.taken === 0) {
    const some = Array.from({ length: 4 }, () => ({ resourcetype: 'document', id: randomUUID() }));
    const seeds = some.map((project) => ({ ...project, workspace: 1, data: {} }));
    await ask(sandboxUrl, 'POST /_sandbox/seed', { body: { projects: seeds } });
    await Promise.all(
      some.map(async (project) => {
        for (const set of ['old', 'new']) {
          const change = { steps: [{ at: '/x', set }] };
          const report = await projects.patch(project, change, { scope: { organization } });
          expect(report).toMatchObject({ ok: true });
        }
      }),
    );
    found.written.push(...some);
    for (const project of some)
      found.taken += await attemptsGivenUp(projectWriterId(organization, shardOf(project)));
  }
  return found;
}

/** Attempts of activities that the server waited for in vain. */
async function attemptsGivenUp(workflowId: string): Promise<number> {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).reduce(
    (sum, { activityTaskStartedEventAttributes: started, activityTaskTimedOutEventAttributes: timedOut }) =>
      sum + Math.max(0, (started?.attempt ?? 1) - 1) + (timedOut ? 1 : 0),
    0,
  );
}
