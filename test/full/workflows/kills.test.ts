/**
 * Many jobs, and processes that die at any moment: nothing is paid for twice, nothing is lost. It takes its time until a
 * death is noticed, so the tests run side by side.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { type MediaJob } from '../../../src/client/jobs/job';
import { type DevServer, startDevServer } from '../../../src/temporal/devServer';
import { decideByLedger } from '../../support/builders/deciding';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { readLedger } from '../../support/service/sandbox';
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
const [JOBS, KILLS] = full ? [100, 10] : [15, 2];
const TIMEOUT_MS = full ? 900_000 : 120_000;

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

/** Jobs that are polled a few times each, ready to be started. */
function preparedJobs(server: TestTemporal, sandboxUrl: string, count: number) {
  const config = testConfig({
    poll: { min: '500ms', max: '1s', deadline: '1h', giveUp: '7d' },
    submit: { timeout: '2s', authGrace: '1h' },
  });
  const { media } = segueClient(server, config);
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  const start = () => media.start({ key: `kill-${randomUUID()}`, tool: 'remove-background', request });
  return { config, start: () => Promise.all(Array.from({ length: count }, start)) };
}

/** Whether nothing more comes by itself: each job is over, or held because it was on the wire in a kill. */
async function isQuiet(jobs: MediaJob[]): Promise<boolean> {
  const states = await Promise.all(jobs.map((job) => job.state()));
  return states.every((state) => state?.stage === 'held' || state?.stage === 'succeeded');
}

async function endAll(jobs: MediaJob[], sandboxUrl: string): Promise<number> {
  let held = 0;
  await Promise.all(
    jobs.map(async (job) => {
      let report = await job.wait();
      while (report.status === 'held') {
        held += 1;
        await decideByLedger(job, sandboxUrl);
        report = await job.wait();
      }
      expect(report).toMatchObject({ key: job.key, status: 'succeeded' });
    }),
  );
  return held;
}

test.concurrent(
  `P1 P2: ${JOBS} jobs and ${KILLS} kill -9 of the worker at seeded moments`,
  async () => {
    const random = seededRandom(20_261);
    const sandboxUrl = await processes.sandbox('--pace', 'polls=4');
    const { config, start } = preparedJobs(temporal, sandboxUrl, JOBS);
    let worker = await processes.worker(config.taskQueue, sandboxUrl);
    const jobs = await start();
    for (let kill = 0; kill < KILLS; kill++) {
      const seen = (await readLedger(sandboxUrl)).entries.length;
      const more = 1 + Math.floor(random() * JOBS * 0.4);
      await eventually('the moment', async () => {
        const { entries } = await readLedger(sandboxUrl);
        return entries.length >= seen + more || (await isQuiet(jobs));
      });
      await worker.end('SIGKILL');
      worker = await processes.worker(config.taskQueue, sandboxUrl);
    }
    const held = await endAll(jobs, sandboxUrl);
    const { summary } = await readLedger(sandboxUrl);
    expect(summary).toMatchObject({ submissions: JOBS, duplicates: 0 });
    process.stderr.write(`kills: ${JOBS} jobs, ${KILLS} kills, ${held} held and decided\n`);
  },
  TIMEOUT_MS,
);

test.concurrent(
  'P1 P2: kill -9 of the Temporal server, which goes on with its file',
  async () => {
    const db = path.join(shared().scratch, `${randomUUID()}.db`);
    const first = await startDevServer(shared().temporalBinary, { uiPort: false, db });
    const own = await connectTo(first.address);
    const sandboxUrl = await processes.sandbox('--pace', 'polls=4');
    const { config, start } = preparedJobs(own, sandboxUrl, full ? 20 : 5);
    await processes.worker(config.taskQueue, sandboxUrl, { TEMPORAL_ADDRESS: first.address });
    const jobs = await start();
    await eventually('some submissions', async () => (await readLedger(sandboxUrl)).summary.submissions > 2);
    await killServer(first);
    const port = Number(first.address.split(':').at(-1));
    const second = await startDevServer(shared().temporalBinary, { uiPort: false, db, port });
    try {
      await endAll(jobs, sandboxUrl);
      expect((await readLedger(sandboxUrl)).summary).toMatchObject({
        submissions: jobs.length,
        duplicates: 0,
      });
    } finally {
      await own.close();
      await second.stop();
    }
  },
  TIMEOUT_MS,
);

async function killServer(server: DevServer): Promise<void> {
  const ended = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await ended;
}
