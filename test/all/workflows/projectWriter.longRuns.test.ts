/** Writers whose history is soon too long: they continue as new in the middle of everything, and lose nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  changesSignal,
  PROJECT_WRITER_WORKFLOW,
  type ProjectChange,
  projectWriterStateQuery,
} from '../../../src/contract';
import { projectWriterId, shardOf } from '../../../src/contract/ids';
import { writerStart } from '../../../src/runs/start';
import { eventually } from '../../support/eventually';
import { readLedger, startSandbox } from '../../support/service/sandbox';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';
import { KEPT, madeOf, manyChanges, readProject, seedProject } from '../../support/builders/writing';

const temporal = useTemporal(() =>
  startOwnDevServer({
    dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 30, 'history.maxInFlightUpdates': 5 },
  }),
);

test.each([true, false])(
  'P3: changes that arrive while runs hand over to the next are all made, each once, with ETags: %s',
  async (etags) => {
    const sandbox = await startSandbox({ etags });
    const project = await seedProject(sandbox.url);
    const queue = testConfig({ organization: sandbox.workspace });
    const workflowId = projectWriterId(sandbox.workspace, shardOf(project));
    let signals = 0;
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      const start = writerStart({
        taskQueue: queue.taskQueue,
        organization: sandbox.workspace,
        shard: shardOf(project),
        authGrace: '1h',
      });
      const ask = (changeId: string, change: ProjectChange) =>
        temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
          ...{ ...start, signal: changesSignal },
          signalArgs: [{ requests: [{ project, changeId, change }] }],
        });
      // Both go on for as long as the other does: there is always something in the queue when a run hands over.
      const left = Object.values(manyChanges('update', 40));
      const clients = Array.from({ length: 4 }, async () => {
        for (let change = left.pop(); change; change = left.pop())
          expect(await projects.patch(project, change)).toMatchObject({ ok: true });
      });
      const signalling = (async () => {
        for (; left.length > 0; signals++) {
          await ask(`signal${signals}`, { steps: [{ at: `/signal/${signals}`, set: signals }] });
          await sleep(10);
        }
      })();
      await Promise.all([signalling, ...clients]);
      const state = await eventually('every change', async () => {
        const now = await temporal.client.workflow.getHandle(workflowId).query(projectWriterStateQuery);
        return now.applied === signals + 40 && now;
      });
      expect(state).toMatchObject({ projects: [], refused: 0 });

      // What a run has seen, the next one knows.
      const before = await readLedger(sandbox.url);
      const last = `signal${signals - 1}`;
      const again = { steps: [{ at: '/signal', set: {} }] };
      expect(await projects.patch(project, again, { changeId: last })).toMatchObject({ ok: true });
      expect((await readLedger(sandbox.url)).summary).toEqual(before.summary);
    });
    const { data } = await readProject(sandbox.url, project);
    expect(data).toEqual({ ...KEPT, ...madeOf('signal', signals), ...madeOf('update', 40) });
    expect((await readLedger(sandbox.url)).summary.lostKeys).toBe(0);
    const runs: string[] = [];
    for await (const run of temporal.client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
      runs.push(run.status.name);
    expect(runs.filter((status) => status === 'CONTINUED_AS_NEW').length).toBeGreaterThan(2);
    await sandbox.stop();
  },
);
