/** Writers that somebody stops or takes back in the middle of their work: whoever asked is answered, and nothing is lost. */
import { randomInt, randomUUID } from 'node:crypto';
import { useProjectWriter } from '../../support/builders/projectWriter';
import { bundleWithWriting, KEPT, readProject, removeFaults, set } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { resetRun } from '../../support/servers/reset';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { PROJECT, startProjectService } from '../../support/service/projectService';
import { addFault, answering, readLedger } from '../../support/service/sandbox';

const temporal = useTemporal();
let bundlePath: string;

beforeAll(async () => {
  bundlePath = await bundleWithWriting();
});

describe.each([true, false])('the writer of a project, with ETags: %s', (etags) => {
  const { sandbox, config, project, writer, waiting } = useProjectWriter({ etags });

  test('P3: a client whose writer is terminated asks the next one', async () => {
    const queue = config();
    await addFault(sandbox.url, answering(503, 'get-project'));
    await withWorker(temporal, queue, sandbox.url, async () => {
      const patch = segueClient(temporal, queue).projects.patch(project, set('a', 1));
      await eventually('the change', async () => (await waiting()).queued.length === 1);
      await writer().terminate('a test');
      await removeFaults(sandbox.url);
      expect(await patch).toMatchObject({ ok: true });
    });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, a: 1 });
  });

  test('P3: a writer that is reset makes what waited, and answers all who asked', async () => {
    const queue = config();
    const work = async (): Promise<void> => {
      const { projects } = segueClient(temporal, queue);
      expect(await projects.patch(project, set('made', 1))).toMatchObject({ ok: true });
      await addFault(sandbox.url, answering(503, 'get-project'));
      const patch = projects.patch(project, set('a', 1));
      const workflowId = `w-${randomUUID()}`;
      const run = await temporal.client.workflow.start('writing', {
        ...{ workflowId, taskQueue: queue.taskQueue },
        args: [project, { b: set('b', 1) }],
      });
      await eventually('both', async () => (await waiting()).queued.length === 2);
      const { workflowId: id } = writer();
      await resetRun(temporal, { workflowId: id });
      await removeFaults(sandbox.url);
      expect(await patch).toMatchObject({ ok: true });
      expect(await run.result()).toEqual([{ ok: true }]);
    };
    await withWorker(temporal, queue, sandbox.url, work, { bundlePath });
    expect((await readProject(sandbox.url, project)).data).toEqual({ ...KEPT, made: 1, a: 1, b: 1 });
    expect((await readLedger(sandbox.url)).summary.lostKeys).toBe(0);
  });
});

test.each(['terminated', 'reset'] as const)(
  'P3: with ETags, a writer that is %s during a PATCH undoes nothing by it, however late it is applied',
  async (stopped) => {
    const service = await startProjectService({ kept: true });
    const queue = testConfig({ organization: String(randomInt(2 ** 31)) });
    const { projects } = segueClient(temporal, queue);
    const patch = (value: number) => projects.patch(PROJECT, set('a', value));
    const sent = new Promise<void>((resolve) => {
      service.onPatch = (_patch, count) => {
        if (count > 1) return undefined;
        resolve();
        return { late: 'hang', ms: Infinity };
      };
    });
    const work = async (): Promise<void> => {
      const first = patch(1);
      await sent;
      const { workflowId } = await projects.status(PROJECT);
      if (stopped === 'reset') await resetRun(temporal, { workflowId });
      else await temporal.client.workflow.getHandle(workflowId).terminate('a test');
      expect(await first).toMatchObject({ ok: true });
      expect(await patch(2)).toMatchObject({ ok: true });
    };
    // The worker waits for the attempt of the run that is gone.
    await withWorker(temporal, queue, service.url, work, { writeTimeoutMs: 3_000 });
    service.applyLate();
    await service.stop();
    expect(service.project.data).toEqual({ kept: true, a: 2 });
  },
);
