/** Batches whose items share projects in different ways: the worker is killed twice, and people write in between. */
import { type MediaJob } from '../../../src/client/jobs/job';
import { type BatchItem, type ProjectRef } from '../../../src/contract';
import { inParallel } from '../../../src/platform/parallel';
import { batchOf, cutouts, resultsOf } from '../../support/builders/batch';
import { decideByLedger } from '../../support/builders/deciding';
import { changeAsPeopleDo, KEPT, readProject, seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { useProcesses } from '../../support/servers/processes';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { addFault, ask, readLedger } from '../../support/service/sandbox';

const { full } = shared();
const ITEMS = full ? 2_000 : 200;
const TIMEOUT_MS = full ? 900_000 : 230_000;

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

test.each([
  { shape: 'a project each', projects: ITEMS, flags: ['--no-etags'] },
  { shape: 'one project', projects: 1, flags: ['--no-etags'] },
  { shape: '40 projects', projects: 40, flags: ['--no-etags'] },
  { shape: '40 projects that people write to', projects: 40, flags: [] },
])(
  `P1 P3 P4: ${ITEMS} items, $shape, two kill -9: nothing is sent or notified twice, and no key is lost`,
  async ({ projects: count, flags }) => {
    const sandboxUrl = await processes.sandbox('--pace', 'polls=2', ...flags);
    // The service is slow to answer, so that the kills meet work on the wire.
    for (const operation of ['remove-background', 'update-project'])
      await addFault(sandboxUrl, { operation, match: { every: 1 }, fault: 'delay', when: 'after', ms: 100 });
    const projects: ProjectRef[] = [];
    await inParallel(20, Array.from({ length: count }), async () => {
      projects.push(await seedProject(sandboxUrl));
    });
    const items = cutouts(sandboxUrl, ITEMS).map((item, index) => itemOf(item, projects, index));
    const config = testConfig({ submit: { timeout: '30s', authGrace: '1h' } });
    const summary = async () => (await readLedger(sandboxUrl)).summary;
    const startWorker = () => processes.worker(config.taskQueue, sandboxUrl);

    let worker = await startWorker();
    const client = segueClient(temporal, config);
    const batch = await client.batch.start(batchOf(items, 500));
    const peoples = flags.length === 0 ? projects.slice(0, 10) : [];
    const people = inParallel(2, peoples, (project) => changeAsPeopleDo(sandboxUrl, project, 'person'));
    // One kill among POSTs, one among PATCHes.
    for (const [count, least] of [['submissions', ITEMS / 3] as const, ['patches', 1] as const]) {
      await eventually(`${count} before a kill`, async () => (await summary())[count] >= least, TIMEOUT_MS);
      await worker.end('SIGKILL');
      worker = await startWorker();
    }
    await people;
    await batch.result();
    const left = (await resultsOf(batch)).flatMap(({ status, workflowId = '' }) =>
      status === 'held' ? [workflowId] : [],
    );
    await inParallel(5, left, async (workflowId) => {
      const job = (await client.job(workflowId)) as MediaJob;
      await decideByLedger(job, sandboxUrl);
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    });

    expect((await batch.report()).status).toBe('succeeded');
    expect(await summary()).toMatchObject({
      ...{ submissions: ITEMS, duplicates: 0, lostKeys: 0, duplicateNotifications: 0 },
    });
    const { json } = await ask(sandboxUrl, 'GET /_sandbox/notifications');
    const told = (json.notifications as { request: { category: string } }[]).filter(
      ({ request }) => request.category === 'agentTaskCompleted',
    );
    expect(told.length).toBeLessThanOrEqual(ITEMS);
    const wanted = projects.map((_project, n) =>
      items.flatMap(({ key }, index) => (index % count === n ? [key] : [])),
    );
    await inParallel(20, [...projects.entries()], async ([n, project]) => {
      const { made, person, ...others } = (await readProject(sandboxUrl, project)).data;
      expect(Object.keys(made as object).sort()).toEqual(wanted[n]?.sort());
      expect([person, others]).toEqual([peoples.includes(project) || undefined, KEPT]);
    });
  },
  TIMEOUT_MS,
);

function itemOf(item: BatchItem, projects: ProjectRef[], index: number): BatchItem {
  const project = projects[index % projects.length];
  if (!project) throw new Error('there is no project');
  const notify = { userId: 'u-1', workspaceId: '1' };
  return { ...item, write: { project, at: `/made/${item.key}` }, notify };
}
