/** All that workflows, clients and people ask of one project at once is made, each once. The ledger is the judge. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal as proto } from '@temporalio/proto';
import {
  changesSignal,
  PROJECT_WRITER_WORKFLOW,
  type ProjectRef,
  projectWriterStateQuery,
} from '../../../src/contract';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { shardOf } from '../../../src/contract/ids';
import { writerStart } from '../../../src/runs/start';
import { eventually } from '../../support/eventually';
import { useProjectWriter, type WrittenProject } from '../../support/builders/projectWriter';
import { resetRun } from '../../support/servers/reset';
import { PROJECT, startProjectService } from '../../support/service/projectService';
import { readLedger } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, withWorker } from '../../support/servers/temporal';
import {
  bundleWithWriting,
  KEPT,
  madeOf,
  manyChanges,
  readProject,
  seedProject,
  set,
} from '../../support/builders/writing';

let bundlePath: string;

beforeAll(async () => {
  bundlePath = await bundleWithWriting();
});

/** Of changes that workflows ask for, and of those that clients do. */
const HALF = shared().full ? 100 : 20;

/** Starts the workflow `writing`, which asks for changes of the project. */
function startWriting(
  { temporal, project }: WrittenProject,
  taskQueue: string,
  changes: Record<string, unknown>,
) {
  const workflowId = `w-${randomUUID()}`;
  return temporal.client.workflow.start('writing', { workflowId, taskQueue, args: [project, changes] });
}

describe.each([true, false])('the writer of a project, with ETags: %s', (etags) => {
  const written = useProjectWriter({ etags });
  const { temporal, sandbox, config, project, state, signal } = written;

  test(`P3: ${2 * HALF} changes at once, by workflows and clients, are all made, and nothing else is touched`, async () => {
    const queue = config();
    await withWorker(
      temporal,
      queue,
      sandbox.url,
      async () => {
        const { projects } = segueClient(temporal, queue);
        const byWorkflows = Array.from({ length: HALF / 10 }, async (_, n) => {
          const run = await startWriting(written, queue.taskQueue, manyChanges(`signal${n}`, 10));
          return run.result() as Promise<unknown>;
        });
        const byClients = Object.values(manyChanges('update', HALF)).map((change) =>
          projects.patch(project, change),
        );
        const outcomes = [...(await Promise.all(byWorkflows)).flat(), ...(await Promise.all(byClients))];
        expect(outcomes).toHaveLength(2 * HALF);
        expect(outcomes.filter((outcome) => !(outcome as { ok: boolean }).ok)).toEqual([]);
      },
      { bundlePath },
    );
    const signals = Array.from({ length: HALF / 10 }, (_, n) => madeOf(`signal${n}`, 10));
    const { data } = await readProject(sandbox.url, project);
    expect(data).toEqual(Object.assign({ ...KEPT, ...madeOf('update', HALF) }, ...signals));
    const { summary } = await readLedger(sandbox.url);
    expect(summary.lostKeys).toBe(0);
    expect(summary.patches).toBeLessThan(HALF);
    // A busy server takes its time for two hundred at once.
  });

  test('P3: the same change id is made once, asked by whom and how often it may be', async () => {
    const queue = config();
    const changeId = `c-${randomUUID()}`;
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      const [first, same] = await Promise.all([
        projects.patch(project, set('a', 1), { changeId }),
        projects.patch(project, set('a', 1), { changeId }),
      ]);
      expect([first, same]).toMatchObject([{ ok: true }, { ok: true }]);
      await projects.patch(project, set('a', 2));
      await signal(queue.taskQueue, { changeId, change: set('a', 1) });
      expect(await projects.patch(project, set('a', 1), { changeId })).toMatchObject({ ok: true });
      expect(await state()).toMatchObject({ applied: 2, refused: 0, projects: [] });
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 2 });
  });

  test('a workflow that is reset asks for the same change and is answered again', async () => {
    const queue = config();
    const work = async (): Promise<void> => {
      const run = await startWriting(written, queue.taskQueue, { result: set('a', 1) });
      expect(await run.result()).toEqual([{ ok: true }]);
      await segueClient(temporal, queue).projects.patch(project, set('a', 2));
      // Without its signals: the reset run has no answer yet and must ask.
      const { RESET_REAPPLY_TYPE_NONE: resetReapplyType } = proto.api.enums.v1.ResetReapplyType;
      const { workflowId, firstExecutionRunId: runId } = run;
      await resetRun(temporal, { workflowId, runId }, { resetReapplyType });
      expect(await temporal.client.workflow.getHandle(run.workflowId).result()).toEqual([{ ok: true }]);
    };
    await withWorker(temporal, queue, sandbox.url, work, { bundlePath });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 2 });
  });

  test('bad changes among good ones fail alone, and each asker is told its own outcome', async () => {
    const queue = config();
    const bad = {
      bad: set('brief/list/0', 1),
      long: set('long', 'x'.repeat(300_000)),
      malformed: { steps: [{ at: 'no pointer', set: 1 }] },
    };
    const changes = { ...manyChanges('good', 5), ...bad };
    const work = async (): Promise<unknown> =>
      (await startWriting(written, queue.taskQueue, changes)).result();
    const outcomes = await withWorker(temporal, queue, sandbox.url, work, { bundlePath });
    expect(outcomes).toEqual([
      ...Array.from({ length: 5 }, () => ({ ok: true })),
      { ok: false, error: expect.stringContaining('/brief/list is a list') },
      { ok: false, error: 'change: is longer than 300000 characters of JSON' },
      { ok: false, error: 'steps[0].at: must be a JSON pointer, like /results/banner' },
    ]);
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, ...madeOf('good', 5) });
  });

  test('P3: changes for two spaces are never in one PATCH, and keep their order', async () => {
    // The sandbox does not tell in which space it was asked.
    const service = await startProjectService({});
    service.etags = etags ? 'strong' : 'none';
    const organization = String(randomInt(2 ** 31));
    const queue = testConfig({ organization });
    const { taskQueue } = queue;
    const start = writerStart({ taskQueue, organization, shard: shardOf(PROJECT), authGrace: '1h' });
    for (const [n, space] of ['11', '12', '11'].entries())
      await temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
        ...{ ...start, signal: changesSignal },
        signalArgs: [{ requests: [{ project: PROJECT, changeId: `c${n}`, change: set(`c${n}`, n), space }] }],
      });
    const run = temporal.client.workflow.getHandle(start.workflowId);
    await withWorker(temporal, queue, service.url, () =>
      eventually('all three', async () => (await run.query(projectWriterStateQuery)).applied === 3),
    ).finally(service.stop);
    expect(service.patches.map(({ headers, body }) => [headers.space, body.data])).toEqual([
      ['11', { c0: 0 }],
      ['12', { c0: 0, c1: 1 }],
      ['11', { c0: 0, c1: 1, c2: 2 }],
    ]);
  });
});

describe('the writer of a project', () => {
  const written = useProjectWriter();
  const { temporal, sandbox, config, project, state } = written;

  test('P3: with ETags, a client outside that honours If-Match loses nothing, and takes nothing', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      let isOver = false;
      const outside = writeOutside(sandbox.url, project, () => isOver);
      for (let n = 0; n < 20; n++)
        expect(await projects.patch(project, set(`in/${n}`, n))).toMatchObject({ ok: true });
      isOver = true;
      const written = await outside;
      expect(written).toBeGreaterThan(0);
      const { data } = await readProject(sandbox.url, project);
      expect(data).toEqual({ ...KEPT, ...madeOf('in', 20), ...madeOf('out', written) });
    });
    expect((await readLedger(sandbox.url)).summary.lostKeys).toBe(0);
  });

  test('runs of one worker share its code and no answers: each is told what became of its own project', async () => {
    const queue = config();
    const other = await seedProject(sandbox.url, { brief: {} });
    const asker = `w-${randomUUID()}`;
    // The same change under the same id: nothing but the run tells the two answers apart.
    const outcomeFor = async (of: ProjectRef): Promise<unknown> =>
      temporal.client.workflow.execute('writing', {
        ...{ workflowId: `w-${randomUUID()}`, taskQueue: queue.taskQueue },
        args: [of, { result: set('brief/list/0', 1) }, asker],
      });
    const work = async (): Promise<unknown[]> => [await outcomeFor(project), await outcomeFor(other)];
    const outcomes = await withWorker(temporal, queue, sandbox.url, work, { bundlePath });
    expect(outcomes).toEqual([
      [{ ok: false, error: expect.stringContaining('/brief/list is a list') }],
      [{ ok: true }],
    ]);
    expect((await readProject(sandbox.url, other)).data).toEqual({ brief: { list: { 0: 1 } } });
  });

  test('a workspace that nobody named is asked of the service', async () => {
    const queue = config();
    const work = async (): Promise<void> => {
      const run = await startWriting(written, queue.taskQueue, { a: set('a', 1) });
      expect(await run.result()).toEqual([{ ok: true }]);
      expect(await state()).toMatchObject({ organization: sandbox.workspace, applied: 1 });
    };
    await withWorker(temporal, queue, sandbox.url, work, { bundlePath });
  });
});

/** Writes with If-Match until it is told to stop, and gives how often it did. */
async function writeOutside(
  url: string,
  { resourcetype, id }: ProjectRef,
  isOver: () => boolean,
): Promise<number> {
  const target = `${url}/api/v1/projects/${resourcetype}/${id}`;
  const headers = { authorization: `Api-Key ${SANDBOX_KEY}` };
  let written = 0;
  while (!isOver()) {
    const read = await fetch(target, { headers });
    const { data } = (await read.json()) as { data: Record<string, Record<string, number>> };
    const changed = { ...data, out: { ...data.out, [written]: written } };
    const ifMatch = { 'if-match': read.headers.get('etag') ?? '', 'content-type': 'application/json' };
    const patch = await fetch(target, {
      ...{ method: 'PATCH', headers: { ...headers, ...ifMatch } },
      body: JSON.stringify({ data: changed }),
    });
    if (patch.ok) written += 1;
    await patch.text();
    await sleep(20);
  }
  return written;
}
