/** Denied access to the project or the workspace of a result. */
import { batchOf, cutouts } from '../../support/builders/batch';
import { asReport, newKey } from '../../support/builders/jobs';
import { pathOf, removeFaults, seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { addFault, answering, faultHits, readLedger, useSandboxEach } from '../../support/service/sandbox';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'instant' } });

async function submissions(): Promise<number> {
  return (await readLedger(sandbox.url)).summary.submissions;
}

test('P2: when a project takes no change, all its items become unsaved together after the grace', async () => {
  const project = await seedProject(sandbox.url, {});
  await addFault(sandbox.url, { ...answering(403, 'update-project'), match: { path: pathOf(project) } });
  const own = { ...testConfig(), submit: { timeout: '60s', authGrace: '2s' } };
  const items = cutouts(sandbox.url, 12, { write: { project, at: '/made' } });
  await withWorker(temporal, own, sandbox.url, async () => {
    const report = await segueClient(temporal, own).batch.run(batchOf(items, 12)).catch(asReport);
    expect(report).toMatchObject({ status: 'unsaved', info: { counts: { unsaved: 12 } } });
  });
  // Halving would make 23 changes, each denied for the whole grace.
  expect(Math.max(...(await faultHits(sandbox.url)))).toBeLessThan(12);
});

test.each([
  ['of the credential', undefined],
  ['that the job names', { organization: '1' }],
])(
  'P2: a job with a write waits for a workspace %s that is not found, and is not paid for',
  async (_of, scope) => {
    const project = await seedProject(sandbox.url, {});
    await addFault(sandbox.url, answering(404, 'get-workspace'));
    const own = testConfig();
    await withWorker(temporal, own, sandbox.url, async () => {
      const request = { image_url: `${sandbox.url}/samples/mug.png` };
      const write = { project, at: '/mug' };
      const spec = { key: newKey(), tool: 'remove-background', request, write, scope };
      const job = await segueClient(temporal, own).media.start(spec);
      await eventually(
        'an attempt that was not sent',
        async () => (await job.state())?.attempts.at(-1)?.outcome === 'refused',
      );
      expect(await submissions()).toBe(0);
      await removeFaults(sandbox.url);
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(await submissions()).toBe(1);
  },
);
