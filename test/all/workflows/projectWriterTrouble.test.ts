/** What harms neither the writer of a project nor the project: a service in trouble, lost answers, nonsense. */
import { randomUUID } from 'node:crypto';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import {
  changeUpdate,
  PROJECT_WRITER_WORKFLOW,
  type ProjectRef,
  projectWriterStateQuery,
} from '../../../src/contract';
import { type LedgerEntry } from '../../../sandbox/src/ledger';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { writerStart } from '../../../src/runs/start';
import { eventually } from '../../support/eventually';
import { useProjectWriter } from '../../support/builders/projectWriter';
import { addFault, answering, ask, readLedger, unanswered } from '../../support/service/sandbox';
import { segueClient, withWorker } from '../../support/servers/temporal';
import {
  KEPT,
  neighbourOf,
  pathOf,
  readProject,
  removeFaults,
  seedProject,
  set,
  WORKSPACE,
} from '../../support/builders/writing';

describe.each([true, false])('the writer of a project, with ETags: %s', (etags) => {
  const { temporal, sandbox, config, project, writer, state, waiting, signal } = useProjectWriter({ etags });

  test('P3: a project that is read without data gets no PATCH', async () => {
    const queue = config();
    const bare = { resourcetype: 'document', id: randomUUID() };
    const projects = [{ ...bare, workspace: Number(WORKSPACE) }];
    await ask(sandbox.url, 'POST /_sandbox/seed', { body: { projects } });
    await withWorker(temporal, queue, sandbox.url, async () => {
      const outcome = await segueClient(temporal, queue).projects.patch(bare, set('a', 1));
      expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining('nothing was sent') });
    });
    expect((await readLedger(sandbox.url)).summary.patches).toBe(0);
  });

  test.each(['reset', 'truncate'] as const)(
    'P3: a PATCH whose answer is lost by a %s is not made twice',
    async (fault) => {
      const queue = config();
      await addFault(sandbox.url, { operation: 'update-project', match: { nth: 1 }, fault, when: 'after' });
      const work = async (): Promise<void> => {
        const outcome = await segueClient(temporal, queue).projects.patch(project, set('a', 1));
        expect(outcome).toMatchObject({ ok: true });
      };
      // Without an ETag the writer waits as long again until a lost PATCH can no longer arrive.
      await withWorker(temporal, queue, sandbox.url, work, { writeTimeoutMs: 2_000 });
      expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1 });
      expect((await readLedger(sandbox.url)).summary.patches).toBe(1);
    },
  );

  test('P2: changes wait, for all to see, until the service is well again', async () => {
    const queue = config();
    await addFault(sandbox.url, answering(503, 'get-project'));
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      const patches = [projects.patch(project, set('a', 1), { changeId: 'first' })];
      await eventually('the trouble to show', async () => (await waiting()).lastError);
      expect(await waiting()).toMatchObject({
        queued: ['first'],
        lastError: expect.stringContaining('status 503'),
      });
      const metadata = JSON.stringify(await writer().query('__temporal_workflow_metadata'));
      expect(metadata).toContain(`${project.id}: 1 waiting; last trouble, since`);
      expect(metadata).toContain('status 503');
      patches.push(projects.patch(project, set('b', 1)));
      await removeFaults(sandbox.url);
      expect(await Promise.all(patches)).toMatchObject([{ ok: true }, { ok: true }]);
      expect(await state()).toMatchObject({ projects: [], applied: 2 });
    });
    expect((await writer().describe()).status.name).toBe('RUNNING');
  });

  test('P2: a writer that is cancelled makes what it was asked for before', async () => {
    const queue = config();
    await addFault(sandbox.url, answering(503, 'get-project'));
    await withWorker(temporal, queue, sandbox.url, async () => {
      await signal(queue.taskQueue, { changeId: 'first', change: set('a', 1) });
      await eventually('the trouble', async () => (await waiting()).lastError);
      await writer().cancel();
      await signal(queue.taskQueue, { changeId: 'second', change: set('b', 1) });
      // Whoever waits for a change hears of it.
      const awaited = segueClient(temporal, queue).projects.patch(project, set('c', 1));
      await eventually('all that was asked', async () => (await waiting()).queued.length === 3);
      await removeFaults(sandbox.url);
      expect(await awaited).toMatchObject({ ok: true });
      await expect(writer().result()).rejects.toThrow(/cancelled/);
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1, b: 1, c: 1 });
  });
});

describe('the writer of a project', () => {
  const { temporal, sandbox, config, project, writer, state, waiting, signal, signalAny } =
    useProjectWriter();

  test('denied access is waited out for as long as the grace, then the changes are refused', async () => {
    const queue = config();
    await addFault(sandbox.url, answering(401, 'get-project'));
    await withWorker(temporal, queue, sandbox.url, async () => {
      await signal(queue.taskQueue, { changeId: 'late', change: set('a', 1) }, '2s');
      await eventually('the end of the grace', async () => (await state()).refused === 1);
      // Asked for again, it is answered.
      const patch = segueClient(temporal, queue).projects.patch(project, set('a', 1), { changeId: 'late' });
      expect(await patch).toMatchObject({ ok: false, error: expect.stringContaining('status 401') });
    });
  });

  test('a queue that is full takes small changes on, and no large ones', async () => {
    const queue = config();
    const large = 'x'.repeat(180_000);
    await addFault(sandbox.url, answering(503, 'get-project'));
    await withWorker(temporal, queue, sandbox.url, async () => {
      for (const name of ['a', 'b'])
        await signal(queue.taskQueue, { changeId: name, change: set(name, large) });
      await signal(queue.taskQueue, { changeId: 'small', change: set('small', 1) });
      await eventually('all that was asked', async () => (await waiting()).queued.includes('small'));
      expect(await segueClient(temporal, queue).projects.patch(project, set('c', large))).toMatchObject({
        ok: false,
        error: expect.stringContaining('ask again later'),
      });
      expect((await waiting()).queued).toEqual(['a', 'small']);
      await removeFaults(sandbox.url);
      await eventually('what fitted', async () => (await state()).applied === 2);
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: large, small: 1 });
  });

  test('an asker that is gone, and a signal that makes no sense, harm nobody', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const ask = (requests: unknown, replyTo: unknown = 'nobody'): Promise<void> =>
        signalAny(queue.taskQueue, { requests, replyTo });
      await ask([{ project, changeId: 'gone', change: set('a', 1) }]);
      await ask([{ project, changeId: 'unreachable', change: set('c', 1) }], 'ä'.repeat(501));
      for (const nonsense of [
        'text',
        [null, {}, 'text'],
        [{ project, changeId: 'x', change: { steps: 1 } }],
        [{ project: { resourcetype: 'a', id: 1 }, changeId: 'y', change: set('d', 1) }],
      ])
        await ask(nonsense);
      for (const nonsense of [null, 'text', {}]) await signalAny(queue.taskQueue, nonsense);
      expect(await segueClient(temporal, queue).projects.patch(project, set('b', 1))).toMatchObject({
        ok: true,
      });
      await eventually('the good changes', async () => (await state()).applied === 3);
      expect(await state()).toMatchObject({ refused: 1, projects: [] });
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1, b: 1, c: 1 });
  });

  test('a change that comes while another project hangs does not wait for it', async () => {
    const queue = config();
    const hanging = neighbourOf(project);
    await seedProject(sandbox.url, KEPT, hanging);
    await addFault(sandbox.url, { ...unanswered('get-project'), match: { path: pathOf(hanging) } });
    await withWorker(temporal, queue, sandbox.url, async () => {
      const first = [{ project: hanging, changeId: 'first', change: set('a', 1) }];
      await signalAny(queue.taskQueue, { requests: first });
      await eventually('a read that hangs', async () => (await readLedger(sandbox.url)).entries.length > 0);
      await signal(queue.taskQueue, { changeId: 'second', change: set('a', 1) });
      await eventually('the second change', async () => (await state()).applied === 1);
    });
    const { events = [] } = await writer().fetchHistory();
    const writes = events?.filter(
      ({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === 'writeProjects',
    );
    const firstEnd = events?.find((event) => event.activityTaskCompletedEventAttributes);
    expect(Number(writes?.[1]?.eventId)).toBeLessThan(Number(firstEnd?.eventId));
  });

  test('P3: one that hangs, is denied, is gone or refuses delays no other project of the shard', async () => {
    const queue = config();
    const [hanging, denied, gone, refusing] = Array.from({ length: 4 }, () => neighbourOf(project)) as [
      ...[ProjectRef, ProjectRef, ProjectRef, ProjectRef],
    ];
    const good = Array.from({ length: 20 }, () => neighbourOf(project));
    for (const one of [hanging, denied, refusing, ...good]) await seedProject(sandbox.url, KEPT, one);
    await addFault(sandbox.url, { ...unanswered('get-project'), match: { path: pathOf(hanging) } });
    for (const [status, one] of [
      [403, denied],
      [422, refusing],
    ] as const)
      await addFault(sandbox.url, { ...answering(status, 'update-project'), match: { path: pathOf(one) } });

    const askFor = (name: string, projects: ProjectRef[]): Promise<void> => {
      const requests = projects.map((one) => ({ project: one, changeId: name, change: set(name, 1) }));
      return signalAny(queue.taskQueue, { requests, replyTo: 'nobody' });
    };
    const waitingFor = async (one: ProjectRef) =>
      (await writer().query(projectWriterStateQuery, one)).projects[0];
    await withWorker(temporal, queue, sandbox.url, async () => {
      await askFor('a', [hanging, denied, gone, refusing, ...good]);
      await eventually('the first changes', async () => (await state()).applied === good.length);
      const { entries } = await readLedger(sandbox.url);
      const isPatch = ({ operation, applied }: LedgerEntry): boolean =>
        operation === 'update-project' && applied;
      const secondHang = entries.filter(({ fault }) => fault === 'hang before')[1];
      const patches = entries.filter(isPatch).filter(({ seq }) => seq < (secondHang?.seq ?? Infinity));
      expect(patches).toHaveLength(good.length);

      await askFor('b', good);
      await eventually('the second changes', async () => (await state()).applied === 2 * good.length);
      expect(await waitingFor(hanging)).toMatchObject({
        queued: ['a'],
        trouble: { lastError: expect.stringContaining('no complete answer') },
      });
      expect(await waitingFor(denied)).toMatchObject({
        queued: ['a'],
        trouble: { lastError: expect.stringContaining('status 403') },
      });
      expect(await state()).toMatchObject({ refused: 2, waiting: 2 });

      await removeFaults(sandbox.url);
      await eventually('the others', async () => (await state()).applied === 2 * good.length + 2);
    });
    for (const one of good)
      expect((await readProject(sandbox.url, one)).data).toEqual({ ...KEPT, a: 1, b: 1 });
    for (const one of [hanging, denied])
      expect((await readProject(sandbox.url, one)).data).toEqual({ ...KEPT, a: 1 });
    expect((await readProject(sandbox.url, refusing)).data).toEqual(KEPT);
    expect((await readLedger(sandbox.url)).summary).toMatchObject({
      patches: 2 * good.length + 2,
      lostKeys: 0,
    });
  });

  test('P3: a change that is asked for again with its id alone is answered and not made again', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      await segueClient(temporal, queue).projects.patch(project, set('a', 1), { changeId: 'made' });
      const askAgain = (changeId: string) =>
        writer().executeUpdate(changeUpdate, { args: [{ project, changeId }] });
      expect(await askAgain('made')).toEqual({ ok: true });
      expect(await askAgain('never-asked')).toBe('unknown');
      // Other languages write null for what is left out.
      const change = null as unknown as undefined;
      const withNull = { project, changeId: 'made', change };
      expect(await writer().executeUpdate(changeUpdate, { args: [withNull] })).toEqual({ ok: true });
      expect(await state()).toMatchObject({ applied: 1, refused: 0, projects: [] });
    });
    expect((await readLedger(sandbox.url)).summary.patches).toBe(1);
  });

  test('P3: a writer continues as new long before its replay takes longer than a task may', async () => {
    const queue = config();
    const asked = { changeId: 'made', change: set('a', 1) };
    await Promise.all(Array.from({ length: 600 }, () => signal(queue.taskQueue, asked)));
    const { runId } = await writer().describe();
    await withWorker(temporal, queue, sandbox.url, () =>
      eventually('the change', async () => (await state()).applied === 1),
    );
    const first = temporal.client.workflow.getHandle(writer().workflowId, runId);
    expect(await first.describe()).toMatchObject({ status: { name: 'CONTINUED_AS_NEW' } });
    expect((await readLedger(sandbox.url)).summary.patches).toBe(1);
  });

  test('P3: a writer that waits continues as new, too, and keeps what waits', async () => {
    const queue = config();
    await addFault(sandbox.url, answering(503, 'get-project'));
    await withWorker(temporal, queue, sandbox.url, async () => {
      await signal(queue.taskQueue, { changeId: 'made', change: set('a', 1) });
      await eventually('the trouble', async () => (await waiting()).lastError !== undefined);
      const { runId } = await writer().describe();
      const asked = { changeId: 'made' };
      await Promise.all(Array.from({ length: 600 }, () => signal(queue.taskQueue, asked)));
      const first = temporal.client.workflow.getHandle(writer().workflowId, runId);
      await eventually(
        'the next run',
        async () => (await first.describe()).status.name === 'CONTINUED_AS_NEW',
      );
      expect((await waiting()).queued).toEqual(['made']);
      await removeFaults(sandbox.url);
      await eventually('the change', async () => (await state()).applied === 1);
    });
    expect((await readLedger(sandbox.url)).summary.patches).toBe(1);
  });

  test('P3: changes of two projects of one writer may have the same id', async () => {
    const queue = config();
    const neighbour = await seedProject(sandbox.url, KEPT, neighbourOf(project));
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      for (const [n, one] of [project, neighbour].entries())
        expect(await projects.patch(one, set('a', n), { changeId: 'same' })).toMatchObject({ ok: true });
    });
    for (const [n, one] of [project, neighbour].entries())
      expect((await readProject(sandbox.url, one)).data).toEqual({ ...KEPT, a: n });
  });

  test('a project that is too large is refused in these words, and gets no PATCH', async () => {
    const queue = config();
    const large = await seedProject(sandbox.url, { text: 'x'.repeat(2 ** 20) });
    const work = async (): Promise<void> => {
      const error = expect.stringMatching(/get project: .*SEGUE_MAX_PROJECT_MIB sets the limit$/);
      const { projects } = segueClient(temporal, queue);
      expect(await projects.patch(large, set('a', 1))).toMatchObject({ ok: false, error });
    };
    await withWorker(temporal, queue, sandbox.url, work, { writes: { maxWrites: 5, maxProjectMiB: 1 } });
    expect((await readLedger(sandbox.url)).summary.patches).toBe(0);
  });

  test("a writer under an id that is not its shard's does not start", async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const started = temporal.client.workflow.execute(PROJECT_WRITER_WORKFLOW, {
        ...writerStart({
          taskQueue: queue.taskQueue,
          organization: sandbox.workspace,
          shard: 1,
          authGrace: '1h',
        }),
        workflowId: `another-${randomUUID()}`,
      });
      await expect(started).rejects.toMatchObject({
        cause: { type: 'UnsafeStart', message: expect.stringContaining('its workflow id is') },
      });
    });
  });

  test('P3: a writer that somebody starts with the changes of another one writes none of them', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const start = writerStart({
        ...{ taskQueue: queue.taskQueue, organization: sandbox.workspace, shard: 1, authGrace: '1h' },
      });
      const [input] = start.args;
      const started = temporal.client.workflow.execute(PROJECT_WRITER_WORKFLOW, {
        ...start,
        args: [{ ...input, carried: { projects: 5 } as never }],
      });
      await expect(started).rejects.toMatchObject({
        cause: { type: 'BadInput', message: expect.stringContaining('`carried`') },
      });
    });
  });

  test('P7: neither the credential nor what stands in the project gets into the history', async () => {
    const queue = config();
    await withWorker(temporal, queue, sandbox.url, async () => {
      const { projects } = segueClient(temporal, queue);
      await projects.patch(project, set('a', 'mine'));
      await projects.patch(project, set('owner/name', 'refused'));
    });
    const history = historyToJSON(await writer().fetchHistory());
    const payloads = [...history.matchAll(/"data": ?"([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64').toString(),
    );
    const all = [history, ...payloads].join('\n');
    expect(all).toContain('mine');
    expect(all).not.toContain(SANDBOX_KEY);
    expect(all).not.toContain(KEPT.owner);
  });
});
