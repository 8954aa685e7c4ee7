/** The writer of a project on a real Temporal server, against the sandbox; its ledger is the judge. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkflowHandle } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import {
  changeSignal,
  type ChangeRequest,
  PROJECT_WRITER_WORKFLOW,
  type ProjectRef,
  type ProjectWriterState,
  projectWriterStateQuery,
} from '../../src/contract';
import { InvalidInputError } from '../../src/errors';
import { projectWriterId } from '../../src/ids';
import { type Sandbox, SANDBOX_KEY, startSandbox } from '../../src/sandbox/server';
import { writerStart } from '../../src/writerStart';
import { eventually } from '../support/eventually';
import { resetRun } from '../support/reset';
import { readLedger } from '../support/sandbox';
import { shared } from '../support/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../support/temporal';
import {
  addFault,
  bundleWithWriting,
  KEPT,
  madeOf,
  manyChanges,
  readProject,
  removeFaults,
  seedProject,
  WORKSPACE,
} from '../support/writing';

const temporal = useTemporal();
let sandbox: Sandbox;
let bundlePath: string;
let project: ProjectRef;

const config = () => testConfig({ organization: WORKSPACE });

beforeAll(async () => {
  bundlePath = await bundleWithWriting();
});

beforeEach(async () => {
  sandbox = await startSandbox();
  project = await seedProject(sandbox.url);
});

afterEach(async () => {
  await removeFaults(sandbox.url);
  await sandbox.stop();
});

const set = (name: string, value: unknown) => ({ steps: [{ at: `/${name}`, set: value }] });

function writerOf(ref: ProjectRef): WorkflowHandle {
  return temporal.client.workflow.getHandle(projectWriterId(WORKSPACE, ref));
}

function stateOf(ref: ProjectRef): Promise<ProjectWriterState> {
  return writerOf(ref).query(projectWriterStateQuery);
}

/** Asks by signal, as another language would. */
async function signal(taskQueue: string, request: ChangeRequest, authGrace = '1h'): Promise<void> {
  await temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
    ...writerStart({ taskQueue, project, organization: WORKSPACE, authGrace }),
    signal: changeSignal,
    signalArgs: [request],
  });
}

function startWriting(taskQueue: string, changes: Record<string, unknown>, workflowId = `w-${randomUUID()}`) {
  return temporal.client.workflow.start('writing', { workflowId, taskQueue, args: [project, changes] });
}

/** Of changes that workflows ask for, and of those that clients do. */
const HALF = shared().full ? 100 : 30;

describe('the writer of a project', () => {
  test(`P3: ${2 * HALF} changes at once, by workflows and clients, are all made, and nothing else is touched`, async () => {
    const queue = config();
    await withWorker(
      temporal,
      queue,
      sandbox.url,
      async () => {
        const { projects } = segueClient(temporal, queue);
        const byWorkflows = Array.from({ length: HALF / 10 }, async (_, n) => {
          const run = await startWriting(queue.taskQueue, manyChanges(`signal${n}`, 10));
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
      expect(await stateOf(project)).toMatchObject({ applied: 2, refused: 0, queued: [] });
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 2 });
  });

  test('a workflow that is reset asks for the same change and is answered again', async () => {
    const queue = config();
    const work = async (): Promise<void> => {
      const run = await startWriting(queue.taskQueue, { result: set('a', 1) });
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

  test('P3: a client outside that honours If-Match loses nothing, and takes nothing', async () => {
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

  test('P3: a project that is read without data gets no PATCH', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const bare = { resourcetype: 'document', id: '18' };
      const outcome = await segueClient(temporal, queue).projects.patch(bare, set('a', 1));
      expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining('nothing was sent') });
    });
    expect((await readLedger(sandbox.url)).summary.patches).toBe(0);
  });

  test('one bad change among good ones fails alone, and each asker is told its own outcome', async () => {
    const queue = config();
    const changes = { ...manyChanges('good', 5), bad: set('brief/list/0', 1) };
    const work = async (): Promise<unknown> => (await startWriting(queue.taskQueue, changes)).result();
    const outcomes = await withWorker(temporal, queue, sandbox.url, work, { bundlePath });
    expect(outcomes).toEqual([
      ...Array.from({ length: 5 }, () => ({ ok: true })),
      { ok: false, error: expect.stringContaining('/brief/list is a list') },
    ]);
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, ...madeOf('good', 5) });
  });

  test.each(['reset', 'truncate'])(
    'P3: a PATCH whose answer is lost by a %s is not made twice',
    async (fault) => {
      const queue = config();
      await addFault(sandbox.url, { operation: 'update-project', match: { nth: 1 }, fault, when: 'after' });
      await withWorker(temporal, queue, sandbox.url, async () => {
        const outcome = await segueClient(temporal, queue).projects.patch(project, set('a', 1));
        expect(outcome).toMatchObject({ ok: true });
      });
      expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1 });
      expect((await readLedger(sandbox.url)).summary.patches).toBe(1);
    },
  );

  test('P2: changes wait, for all to see, until the service is well again', async () => {
    const queue = config();
    await addFault(sandbox.url, {
      ...{ operation: 'get-project', match: { every: 1 } },
      ...{ fault: 'status', status: 503, when: 'before' },
    });
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      const patches = [projects.patch(project, set('a', 1), { changeId: 'first' })];
      const trouble = await eventually('the trouble to show', async () => {
        const state = await stateOf(project);
        return state.lastError === null ? undefined : state;
      });
      expect(trouble).toEqual({
        ...{ project, organization: WORKSPACE, queued: ['first'], applied: 0, refused: 0 },
        lastError: expect.stringContaining('status 503'),
      });
      const { userMetadata } = {
        userMetadata: await writerOf(project).query('__temporal_workflow_metadata'),
      };
      expect(JSON.stringify(userMetadata)).toContain('1 waiting, 0 applied, 0 refused');
      patches.push(projects.patch(project, set('b', 1)));
      await removeFaults(sandbox.url);
      expect(await Promise.all(patches)).toMatchObject([{ ok: true }, { ok: true }]);
      expect(await stateOf(project)).toMatchObject({ queued: [], applied: 2, lastError: null });
    });
    expect((await writerOf(project).describe()).status.name).toBe('RUNNING');
  });

  test('denied access is waited out for as long as the grace, then the changes are refused', async () => {
    const queue = config();
    const denial = { fault: 'status', status: 401, when: 'before' };
    await addFault(sandbox.url, { operation: 'get-project', match: { every: 1 }, ...denial });
    await withWorker(temporal, queue, sandbox.url, async () => {
      await signal(queue.taskQueue, { changeId: 'late', change: set('a', 1) }, '2s');
      const { refused, lastError } = await eventually('the end of the grace', async () => {
        const state = await stateOf(project);
        return state.refused > 0 && state;
      });
      expect({ refused, lastError }).toEqual({
        refused: 1,
        lastError: expect.stringContaining('status 401'),
      });
    });
  });

  test('an asker that is gone, and a signal that makes no sense, harm nobody', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      await signal(queue.taskQueue, { changeId: 'gone', change: set('a', 1), replyTo: 'nobody' });
      const unreachable = { changeId: 'y', change: set('c', 1), replyTo: 'ä'.repeat(501) };
      for (const nonsense of [
        null,
        {},
        { changeId: 'x', change: { steps: 1 }, replyTo: 'nobody' },
        'text',
        unreachable,
      ])
        await signal(queue.taskQueue, nonsense as never);
      expect(await segueClient(temporal, queue).projects.patch(project, set('b', 1))).toMatchObject({
        ok: true,
      });
      await eventually('the first change', async () => (await stateOf(project)).applied === 2);
      expect(await stateOf(project)).toMatchObject({ refused: 1, queued: [] });
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1, b: 1 });
  });

  test("a writer under an id that is not its project's does not start", async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const started = temporal.client.workflow.execute(PROJECT_WRITER_WORKFLOW, {
        ...writerStart({ taskQueue: queue.taskQueue, project, organization: WORKSPACE, authGrace: '1h' }),
        workflowId: `another-${randomUUID()}`,
      });
      await expect(started).rejects.toMatchObject({ cause: { type: 'UnsafeStart' } });
    });
  });

  test('P7: neither the credential nor what stands in the project gets into the history', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      await projects.patch(project, set('a', 'mine'));
      await projects.patch(project, set('owner/name', 'refused'));
    });
    const history = historyToJSON(await writerOf(project).fetchHistory());
    const payloads = [...history.matchAll(/"data": ?"([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64').toString(),
    );
    const all = [history, ...payloads].join('\n');
    expect(all).toContain('mine');
    expect(all).not.toContain(SANDBOX_KEY);
    expect(all).not.toContain(KEPT.owner);
  });

  test('a patch that cannot be is refused before anything is sent, with every problem', async () => {
    const { projects } = segueClient(temporal, testConfig());
    const error: unknown = await projects
      .patch({ resourcetype: '', id: '7' }, { steps: [{ at: 'x', set: 1 }] }, { changeId: 'a b' })
      .catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as InvalidInputError).problems).toEqual([
      expect.stringContaining('resourcetype'),
      expect.stringContaining('changeId'),
      expect.stringContaining('steps[0].at'),
      expect.stringContaining('SEGUE_ORGANIZATION'),
    ]);
  });

  test('a workspace that nobody named is asked of the service', async () => {
    const queue = config();
    const work = async (): Promise<void> => {
      const run = await startWriting(queue.taskQueue, { a: set('a', 1) });
      expect(await run.result()).toEqual([{ ok: true }]);
      expect(await stateOf(project)).toMatchObject({ organization: WORKSPACE, applied: 1 });
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
