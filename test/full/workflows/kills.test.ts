/**
 * Many jobs, and processes that die at any moment: nothing is paid for twice, nothing is lost. It takes its time until a
 * death is noticed, so the tests run side by side.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { type DevServer } from '@segue/devserver';
import { startDevServer } from '../../support/servers/devServer';
import { type MediaJob } from '../../../src/client/jobs/job';
import { sendingSignal } from '../../../src/contract';
import { decideByLedger } from '../../support/builders/deciding';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import {
  expectHoldsExplained,
  type InDoubt,
  type LedgerAtKill,
  killWorker,
  settledLedger,
} from '../../support/service/onWire';
import { addFault, addPassingFault, readLedger } from '../../support/service/sandbox';
import { seededRandom } from '../../support/seededRandom';
import { shared } from '../../support/jest/shared';
import {
  connectTo,
  segueClient,
  testConfig,
  type TestTemporal,
  useTemporal,
} from '../../support/servers/temporal';

const { full } = shared();
const [JOBS, KILLS] = full ? [300, 100] : [15, 2];
/** Started before each kill, so that there are more requests to come than the kill waits for. */
const JOBS_PER_KILL = 2;
const POLLS = 8;
const MOST_REQUESTS = JOBS_PER_KILL * (POLLS - 2);
/** Half of a worker's slots are for single jobs. */
const ON_WIRE = 2;
const TIMEOUT_MS = full ? 1_800_000 : 180_000;

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);
const ownServers: DevServer[] = [];
afterAll(() => Promise.all(ownServers.map((server) => server.stop())));

/** Jobs that are polled a few times each, ready to be started. */
function preparedJobs(server: TestTemporal, sandboxUrl: string, timeout: '15s' | '60s' = '15s') {
  const config = testConfig({
    poll: { min: '500ms', max: '1s', deadline: '1h', giveUp: '7d' },
    submit: { timeout, authGrace: '1h' },
  });
  const { media } = segueClient(server, config);
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  const start = () => {
    const job = { key: `kill-${randomUUID()}`, tool: 'remove-background', request };
    // A server that has just started may not know its namespace yet.
    return eventually('the start', () => media.start(job));
  };
  return { config, start: (count: number) => Promise.all(Array.from({ length: count }, start)) };
}

/** Until nothing more comes by itself: each job is over, or held because it was on the wire in a kill. Gives those. */
async function untilQuiet(jobs: MediaJob[]): Promise<MediaJob[]> {
  const reports = await Promise.all(jobs.map(async (job) => ({ job, ...(await job.wait()) })));
  return reports.flatMap(({ job, status }) => {
    expect(['held', 'succeeded']).toContain(status);
    return status === 'held' ? [job] : [];
  });
}

/**
 * Checks that each held job got the sending signal and that a kill may have lost its outcome, and that each job whose
 * POST was unanswered at a kill is held; then decides them.
 */
async function endHeld(held: MediaJob[], sandboxUrl: string, kills: LedgerAtKill[]): Promise<InDoubt> {
  for (const { workflowId } of held) {
    const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
    const signals = events?.map(({ workflowExecutionSignaledEventAttributes: it }) => it?.signalName);
    expect(signals).toContain(sendingSignal.name);
  }
  const keys = held.map(({ key }) => key);
  const inDoubt = await expectHoldsExplained(sandboxUrl, kills, keys);
  expect(keys).toEqual(expect.arrayContaining(inDoubt.unanswered));
  await Promise.all(
    held.map(async (job) => {
      await decideByLedger(job, sandboxUrl);
      expect(await job.wait()).toMatchObject({ key: job.key, status: 'succeeded' });
    }),
  );
  return inDoubt;
}

test.concurrent(
  `P1 P2: ${JOBS} jobs and ${KILLS} kill -9 of the worker at seeded moments`,
  async () => {
    const random = seededRandom(20_261);
    const sandboxUrl = await processes.sandbox('--pace', `polls=${POLLS}`);
    // A kill finds a few POSTs on the wire, some jobs not begun, and others polled.
    await addFault(sandboxUrl, {
      ...{ operation: 'remove-background', match: { every: 1 } },
      ...{ fault: 'delay', when: 'after', ms: 100 },
    });
    const { config, start } = preparedJobs(temporal, sandboxUrl);
    const startWorker = () =>
      processes.worker(config.taskQueue, sandboxUrl, { SEGUE_MAX_SUBMITS: String(2 * ON_WIRE) });
    let worker = await startWorker();
    const jobs = await start(JOBS - KILLS * JOBS_PER_KILL);
    const kills: LedgerAtKill[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const seen = (await readLedger(sandboxUrl)).entries.length;
      jobs.push(...(await start(JOBS_PER_KILL)));
      const more = 1 + Math.floor(random() * MOST_REQUESTS);
      await eventually(
        'the moment',
        async () => (await readLedger(sandboxUrl)).entries.length >= seen + more,
      );
      kills.push(await killWorker(worker, sandboxUrl));
      worker = await startWorker();
    }
    const held = await untilQuiet(jobs);
    expect(held.length).toBeLessThanOrEqual(KILLS * ON_WIRE);
    if (full) expect(held.length).toBeGreaterThan(0);
    // The last kill, too, was in the middle of something.
    expect((await settledLedger(sandboxUrl)).length).toBeGreaterThan(kills.at(-1)?.length ?? 0);
    const { unanswered, justAnswered } = await endHeld(held, sandboxUrl, kills);
    const { summary } = await readLedger(sandboxUrl);
    expect(summary).toMatchObject({ submissions: JOBS, duplicates: 0 });
    const answered = held.filter(({ key }) => justAnswered.includes(key)).length;
    process.stderr.write(
      `kills: ${JOBS} jobs, ${KILLS} kills, ${held.length} held and decided; by the ledger their POST was unanswered ` +
        `at a kill: ${unanswered.length}, answered just before: ${answered}, ` +
        `never arrived: ${held.length - unanswered.length - answered}\n`,
    );
  },
  TIMEOUT_MS,
);

test.concurrent(
  'P1 P2: tasks accepted while the Temporal server is down are polled when it is back; nobody has to decide',
  async () => {
    const db = path.join(shared().scratch, `${randomUUID()}.db`);
    const startServer = async (port?: number): Promise<DevServer> => {
      const server = await startDevServer(shared().temporalBinary, { uiPort: false, db, port });
      ownServers.push(server);
      return server;
    };
    const first = await startServer();
    const own = await connectTo(first.address);
    const sandboxUrl = await processes.sandbox('--pace', 'polls=4');
    const { config, start } = preparedJobs(own, sandboxUrl, '60s');
    const delay = await addPassingFault(sandboxUrl, {
      ...{ operation: 'remove-background', match: { every: 1 } },
      ...{ fault: 'delay', ms: 60_000, when: 'after' },
    });
    const worker = await processes.worker(config.taskQueue, sandboxUrl, { TEMPORAL_ADDRESS: first.address });
    const jobs = await start(full ? 20 : 5);
    const summary = async () => (await readLedger(sandboxUrl)).summary;
    await eventually('every POST', async () => (await summary()).submissions === jobs.length);
    await killServer(first);
    await delay.takeAway();
    // By now a worker that reported once and signalled once would have lost the answer.
    await eventually(
      'three failed calls to Temporal for each answer',
      () =>
        worker.stderr.filter((line) => line.includes('Temporal did not answer')).length >= 3 * jobs.length,
      TIMEOUT_MS / 2,
    );
    const port = Number(first.address.split(':').at(-1));
    await startServer(port);
    for (const job of jobs) {
      // It may be held for a moment: the server may time the activity out before the worker reports the answer.
      await eventually('its end', async () => (await job.wait()).status === 'succeeded');
      expect(await job.state()).toMatchObject({ decisions: [] });
    }
    expect(await summary()).toMatchObject({ submissions: jobs.length, duplicates: 0 });
    await own.close();
  },
  TIMEOUT_MS,
);

async function killServer(server: DevServer): Promise<void> {
  const ended = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await ended;
}
