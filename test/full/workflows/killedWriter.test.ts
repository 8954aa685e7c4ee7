/** A worker that is killed with a PATCH on its way, which arrives at the service long after that. */
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { addFault, faultHits, readLedger, workspaceOf } from '../../support/service/sandbox';
import { KEPT, readProject, seedProject, set } from '../../support/builders/writing';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

/** Long after the server has given the attempt up, and before the PATCH can no longer arrive: that is after a minute. */
const LATE_MS = 40_000;
const LONGEST_MS = 240_000;

test.concurrent.each([
  { attempt: 'first', etags: 'without', failures: 0, flags: ['--no-etags'] },
  { attempt: 'last', etags: 'without', failures: 2, flags: ['--no-etags'] },
  { attempt: 'first', etags: 'with', failures: 0, flags: [] },
])(
  'P3: a worker that is killed in the $attempt attempt of a write, $etags ETags: its late PATCH takes nothing away from later changes',
  async ({ failures, flags }) => {
    const sandboxUrl = await processes.sandbox(...flags);
    const project = await seedProject(sandboxUrl);
    for (let nth = 1; nth <= failures; nth++)
      await addFault(sandboxUrl, {
        ...{ operation: 'get-project', match: { nth }, fault: 'status', when: 'before' },
      });
    const late = { operation: 'update-project', match: { nth: 1 }, ms: LATE_MS };
    await addFault(sandboxUrl, { ...late, fault: 'delay', when: 'before' });

    const config = testConfig({ organization: await workspaceOf(sandboxUrl) });
    const doomed = await processes.worker(config.taskQueue, sandboxUrl);
    const { projects } = segueClient(temporal, config);
    const first = projects.patch(project, set('a', 1));
    await eventually('the PATCH', async () => (await faultHits(sandboxUrl)).every((hits) => hits === 1));
    await doomed.end('SIGKILL');

    await processes.worker(config.taskQueue, sandboxUrl);
    expect(await first).toMatchObject({ ok: true });
    expect(await projects.patch(project, set('b', 1))).toMatchObject({ ok: true });
    await eventually('the late PATCH', async () => {
      const { entries } = await readLedger(sandboxUrl);
      return entries.some(({ fault, status }) => fault === 'delay before' && status !== null);
    });
    expect((await readProject(sandboxUrl, project)).data).toEqual({ ...KEPT, a: 1, b: 1 });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ lostKeys: 0 });
  },
  LONGEST_MS,
);
