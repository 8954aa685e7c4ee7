/** Writers whose history is soon too long: they continue as new in the middle of everything, and lose nothing. */
import { changeSignal, PROJECT_WRITER_WORKFLOW, projectWriterStateQuery } from '../../src/contract';
import { projectWriterId } from '../../src/ids';
import { startSandbox } from '../../src/sandbox/server';
import { type DevServer, startDevServer } from '../../src/temporal/devServer';
import { writerStart } from '../../src/writerStart';
import { eventually } from '../support/eventually';
import { readLedger } from '../support/sandbox';
import { shared } from '../support/shared';
import { connectTo, segueClient, testConfig, type TestTemporal, withWorker } from '../support/temporal';
import { KEPT, madeOf, manyChanges, readProject, seedProject, WORKSPACE } from '../support/writing';

let server: DevServer;
let temporal: TestTemporal;

beforeAll(async () => {
  server = await startDevServer(shared().temporalBinary, {
    uiPort: false,
    dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 30, 'history.maxInFlightUpdates': 5 },
  });
  temporal = await connectTo(server.address);
});

afterAll(async () => {
  await temporal.close();
  await server.stop();
});

test('P3: changes that arrive while runs hand over to the next are all made, each once', async () => {
  const sandbox = await startSandbox();
  const project = await seedProject(sandbox.url);
  const queue = testConfig({ organization: WORKSPACE });
  const workflowId = projectWriterId(WORKSPACE, project);
  await withWorker(temporal, queue, sandbox.url, async () => {
    const { projects } = segueClient(temporal, queue);
    const start = writerStart({
      taskQueue: queue.taskQueue,
      project,
      organization: WORKSPACE,
      authGrace: '1h',
    });
    const signals = Object.entries(manyChanges('signal', 150)).map(([changeId, change]) =>
      temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
        ...{ ...start, signal: changeSignal, signalArgs: [{ changeId, change }] as const },
      }),
    );
    // A few at a time, for as long as it takes: there is always somebody who waits when a run hands over.
    const left = Object.values(manyChanges('update', 60));
    const clients = Array.from({ length: 4 }, async () => {
      for (let change = left.pop(); change; change = left.pop())
        expect(await projects.patch(project, change)).toMatchObject({ ok: true });
    });
    await Promise.all([...signals, ...clients]);
    const state = await eventually('every change', async () => {
      const now = await temporal.client.workflow.getHandle(workflowId).query(projectWriterStateQuery);
      return now.applied === 210 && now;
    });
    expect(state).toMatchObject({ queued: [], refused: 0, lastError: null });

    // What a run has seen, the next one knows.
    const before = await readLedger(sandbox.url);
    const [first = { steps: [] }] = Object.values(manyChanges('signal', 1));
    expect(await projects.patch(project, first, { changeId: 'signal0' })).toMatchObject({ ok: true });
    expect((await readLedger(sandbox.url)).summary).toEqual(before.summary);
  });
  const { data } = await readProject(sandbox.url, project);
  expect(data).toEqual({ ...KEPT, ...madeOf('signal', 150), ...madeOf('update', 60) });
  expect((await readLedger(sandbox.url)).summary.lostKeys).toBe(0);
  const runs: string[] = [];
  for await (const run of temporal.client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
    runs.push(run.status.name);
  expect(runs.filter((status) => status === 'CONTINUED_AS_NEW').length).toBeGreaterThan(2);
  await sandbox.stop();
});
