/** Processes that die: the job goes on, and the service sees one POST. */
import { randomUUID } from 'node:crypto';
import { connectDevServer, segueClient, testConfig, type TestTemporal } from '../support/temporal';
import { eventually } from '../support/eventually';
import { readLedger } from '../support/sandbox';
import { SegueProcess } from '../support/segueProcess';
import { SANDBOX_KEY } from '../../src/sandbox/server';

let temporal: TestTemporal;
const processes: SegueProcess[] = [];

beforeAll(async () => {
  temporal = await connectDevServer();
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.end('SIGKILL')));
});

afterAll(async () => {
  await temporal.close();
});

function start(args: string[], settings: Record<string, string> = {}): SegueProcess {
  const process = new SegueProcess(args, settings);
  processes.push(process);
  return process;
}

async function startSandboxProcess(...flags: string[]): Promise<string> {
  const [, url] = await start(['sandbox', '--port', '0', ...flags]).line(/^ready (\S+)$/);
  return url ?? '';
}

async function startWorkerProcess(taskQueue: string, apiUrl: string): Promise<SegueProcess> {
  const worker = start(['worker'], {
    TEMPORAL_ADDRESS: temporal.address,
    SEGUE_TASK_QUEUE: taskQueue,
    SEGUE_API_URL: apiUrl,
    SEGUE_API_KEY: SANDBOX_KEY,
  });
  await worker.line(/ready/);
  return worker;
}

describe('when a process dies', () => {
  test('P1 P2: kill -9 of the worker between submit and poll: another one finishes the job, with one POST', async () => {
    const sandboxUrl = await startSandboxProcess('--pace', 'polls=3');
    const config = testConfig({ poll: { min: '3s', max: '3s', deadline: '1h', giveUp: '7d' } });
    const doomed = await startWorkerProcess(config.taskQueue, sandboxUrl);
    const job = await segueClient(temporal, config).media.start({
      key: `job-${randomUUID()}`,
      tool: 'remove-background',
      request: { image_url: `${sandboxUrl}/samples/shoe.png` },
    });
    // Recorded, so past the submit; the first poll is seconds away.
    await eventually('the accepted submission', async () => (await job.state())?.stage === 'polling');
    const before = await readLedger(sandboxUrl);
    expect(before.entries.map(({ kind }) => kind)).toEqual(['submit']);
    await doomed.end('SIGKILL');

    await startWorkerProcess(config.taskQueue, sandboxUrl);
    expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId: before.entries[0]?.taskId });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('SIGTERM of an idle worker ends it with 0', async () => {
    const sandboxUrl = await startSandboxProcess();
    const worker = await startWorkerProcess(testConfig().taskQueue, sandboxUrl);
    const { code, stderr } = await worker.end('SIGTERM');
    expect(code).toBe(0);
    expect(stderr).toContain('draining');
  });
});
