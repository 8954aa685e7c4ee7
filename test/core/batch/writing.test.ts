/** What a batch writes to projects: together, and nothing that is not its own. */
import { batchOf, cutouts, resultsOf } from '../../support/builders/batch';
import { readLedger, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { KEPT, readProject, seedProject } from '../../support/builders/writing';
import { asReport } from '../../support/builders/jobs';

const temporal = useTemporal();

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 }, etags });

  test('P3: 60 results of two partitions in one project, with few PATCHes; one that is refused is refused alone', async () => {
    const project = await seedProject(sandbox.url);
    const items = cutouts(sandbox.url, 60).map((item, index) => ({
      ...item,
      // There is a list on the way of one of them.
      write: { project, at: index === 9 ? '/brief/list/0' : `/made/${item.key}` },
    }));
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { batch } = segueClient(temporal, config);
      const spec = batchOf(items, 30);
      expect(await batch.run(spec).catch(asReport)).toMatchObject({ status: 'unsaved' });
      const results = await resultsOf(await batch.get(spec.key));
      expect(results.filter(({ status }) => status === 'unsaved').map(({ key }) => key)).toEqual(['line-10']);
      const { made, ...others } = (await readProject(sandbox.url, project)).data as {
        made: Record<string, { key: string; taskId: string; info: unknown }>;
      };
      expect(others).toEqual(KEPT);
      expect(Object.keys(made)).toHaveLength(59);
      expect(made['line-3']).toMatchObject({
        key: 'line-3',
        taskId: results[2]?.taskId,
        info: results[2]?.info,
      });
    });
    const { summary } = await readLedger(sandbox.url);
    expect(summary).toMatchObject({ submissions: 60, duplicates: 0, lostKeys: 0 });
    expect(summary.patches).toBeLessThan(30);
    process.stderr.write(`batch: 60 results in one project, ${summary.patches} PATCHes\n`);
  });
});
