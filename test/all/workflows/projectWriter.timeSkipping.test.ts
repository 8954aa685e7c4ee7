/** Writers that have nothing to do, and askers without an answer, where minutes pass in moments. */
import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import {
  type ChangeRequest,
  changesSignal,
  PROJECT_WRITER_WORKFLOW,
  type ProjectRef,
  type ProjectWriterState,
} from '../../../src/contract';
import { shardOf } from '../../../src/contract/ids';
import { writerStart } from '../../../src/runs/start';
import { eventually } from '../../support/eventually';
import { addFault, answering, useSandbox } from '../../support/service/sandbox';
import { batchOf, cutouts, resultsOf } from '../../support/builders/batch';
import { startByName } from '../../support/builders/jobs';
import { segueClient, testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';
import {
  bundleWithWriting,
  KEPT,
  readProject,
  removeFaults,
  seedProject,
  set,
} from '../../support/builders/writing';

const temporal = useTimeSkipping();
let bundlePath: string;

beforeAll(async () => {
  bundlePath = await bundleWithWriting();
});

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandbox({ etags });
  let project: ProjectRef;

  beforeEach(async () => {
    project = await seedProject(sandbox.url);
  });

  test('a writer without work ends, and a later change starts it again', async () => {
    const { taskQueue } = testConfig();
    const ask = (request: Omit<ChangeRequest, 'project'>) =>
      temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
        ...writerStart({
          taskQueue,
          organization: sandbox.workspace,
          shard: shardOf(project),
          authGrace: '1h',
        }),
        signal: changesSignal,
        signalArgs: [{ requests: [{ project, ...request }] }],
      });
    await withWorker(
      temporal,
      testConfig({ taskQueue }),
      sandbox.url,
      async () => {
        const first = await ask({ changeId: 'a', change: set('a', 1) });
        await first.result();
        const state = await temporal.client.workflow
          .getHandle(first.workflowId)
          .query<ProjectWriterState>('state');
        expect(state).toMatchObject({ applied: 1, projects: [] });
        const second = await ask({ changeId: 'b', change: set('b', 2) });
        expect(second.signaledRunId).not.toBe(first.signaledRunId);
        await second.result();
      },
      { checkScheduledTime: false },
    );
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1, b: 2 });
  });

  test('P2: an asker whose answer was lost asks again with the same id', async () => {
    const { taskQueue } = testConfig();
    await withWorker(
      temporal,
      testConfig({ taskQueue }),
      sandbox.url,
      async () => {
        // Somebody else has the writer's place and answers nothing.
        const { workflowId } = writerStart({
          ...{ taskQueue, organization: sandbox.workspace, shard: shardOf(project), authGrace: '1h' },
        });
        const silent = await temporal.client.workflow.start('silent', { workflowId, taskQueue });
        const run = await temporal.client.workflow.start('writing', {
          workflowId: `w-${randomUUID()}`,
          taskQueue,
          args: [project, { a: set('a', 1) }],
        });
        await silent.result();
        expect(await run.result()).toEqual([{ ok: true }]);
        const { events } = await run.fetchHistory();
        const asked = events?.filter((event) => event.activityTaskScheduledEventAttributes);
        expect(asked?.length).toBeGreaterThan(1);
      },
      { checkScheduledTime: false, bundlePath },
    );
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1 });
  });

  test('P3: a change that is asked for again after 55 minutes does not undo a later one', async () => {
    const { taskQueue } = testConfig();
    const work = (): Promise<unknown> =>
      temporal.client.workflow.execute('writingAgain', {
        workflowId: `w-${randomUUID()}`,
        taskQueue,
        args: [project, set('a', 1), set('a', 2)],
      });
    await withWorker(temporal, testConfig({ taskQueue }), sandbox.url, work, {
      checkScheduledTime: false,
      bundlePath,
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 2 });
  });

  test('P2: a job whose writer answers nothing for a week is unsaved', async () => {
    const config = testConfig();
    const { taskQueue } = config;
    await withWorker(
      temporal,
      config,
      sandbox.url,
      async () => {
        const { workflowId } = writerStart({
          ...{ taskQueue, organization: sandbox.workspace, shard: shardOf(project), authGrace: '1h' },
        });
        // When a job is over, the clock may skip ten years at once, to the end of this writer.
        const startSilentWriter = () =>
          temporal.client.workflow
            .start('silent', { workflowId, taskQueue, args: [null] })
            .catch((error: unknown) => {
              if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
            });
        await startSilentWriter();
        const key = `week-${randomUUID()}`;
        const write = { project, at: '/a' };
        const job = await startByName(temporal, config, sandbox.url, { key, write });
        const error = "no answer of the project's writer came for 7d";
        expect(await job.result()).toMatchObject({ status: 'unsaved', written: { ok: false, error } });
        await startSilentWriter();
        const { batch } = segueClient(temporal, config);
        const items = cutouts(sandbox.url, 3, { write });
        const run = await batch.start(batchOf(items, 3));
        expect(await run.result()).toMatchObject({ status: 'unsaved', counts: { unsaved: 3 } });
        const { events } = await temporal.client.workflow.getHandle(run.workflowId).fetchHistory();
        expect(
          JSON.stringify(
            events?.map(({ workflowExecutionSignaledEventAttributes: told }) =>
              told?.input?.payloads?.map(({ data }) => Buffer.from(data ?? []).toString()),
            ),
          ),
        ).toContain(
          `results wait to be written: 3; \`segue project status ${project.resourcetype} ${project.id}`,
        );
        const unsaved = { status: 'unsaved', unwritten: error };
        expect(await resultsOf(run)).toMatchObject([unsaved, unsaved, unsaved]);
      },
      { checkScheduledTime: false, bundlePath },
    );
    expect((await readProject(sandbox.url, project)).data).toEqual(KEPT);
  });

  test('P2: an asker for whom there is no room is told, asks again and is answered', async () => {
    const { taskQueue } = testConfig();
    const large = 'x'.repeat(180_000);
    const ask = (name: string) =>
      temporal.client.workflow.start('writing', {
        workflowId: `w-${randomUUID()}`,
        taskQueue,
        args: [project, { [name]: set(name, large) }],
      });
    await addFault(sandbox.url, answering(503, 'get-project'));
    await withWorker(
      temporal,
      testConfig({ taskQueue }),
      sandbox.url,
      async () => {
        const runs = await Promise.all(['a', 'b'].map(ask));
        await eventually('that one is turned away', async () => (await signalsOf(runs)) > 0);
        await removeFaults(sandbox.url);
        // One after the other: the first that is over would stop the clock of both.
        for (const run of runs) expect(await run.result()).toEqual([{ ok: true }]);
      },
      { checkScheduledTime: false, bundlePath },
    );
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: large, b: large });
  });
});

async function signalsOf(runs: WorkflowHandle[]): Promise<number> {
  const histories = await Promise.all(runs.map((run) => run.fetchHistory()));
  return histories
    .flatMap(({ events }) => events ?? [])
    .filter(({ workflowExecutionSignaledEventAttributes: told }) => told).length;
}
