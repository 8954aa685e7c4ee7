/** Many jobs that write to one project and, where ETags make that safe, people who write to it too. */
import { randomUUID } from 'node:crypto';
import { changeAsPeopleDo } from '../../support/builders/writing';
import { ask, readLedger, useSandbox } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const { full } = shared();
const JOBS = full ? 200 : 25;

const temporal = useTemporal();

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandbox({ pace: { kind: 'instant' }, etags });
  const peoplesChanges = etags ? 10 : 0;

  test(
    `P3: ${JOBS} jobs write to one project${etags ? ' while people do' : ''}: every key is there, with few PATCHes`,
    async () => {
      const project = { resourcetype: 'document', id: randomUUID() };
      const path = `/projects/document/${project.id}`;
      await ask(sandbox.url, 'POST /_sandbox/seed', {
        body: { projects: [{ ...project, workspace: 1, data: { people: { wrote: 'this' } } }] },
      });
      // Not about slow answers: many at once may be slow.
      const config = testConfig({ submit: { timeout: '30s', authGrace: '1h' } });
      const names = Array.from({ length: JOBS }, (_unused, n) => `job-${n}`);
      const peoples = Array.from({ length: peoplesChanges }, (_unused, n) => `person-${n}`);
      await withWorker(temporal, config, sandbox.url, async () => {
        const { media } = segueClient(temporal, config);
        const request = { image_url: `${sandbox.url}/samples/mug.png` };
        const run = (name: string) =>
          media.run({
            key: `${project.id}-${name}`,
            tool: 'remove-background',
            request,
            write: { project, at: `/media/${name}` },
          });
        await Promise.all([
          Promise.all(names.map(run)),
          Promise.all(peoples.map((name) => changeAsPeopleDo(sandbox.url, project, name))),
        ]);
      });

      const { json } = await ask(sandbox.url, `GET ${path}`);
      const data = json.data as { people: unknown; media: Record<string, { key: string }> };
      expect(data.people).toEqual({ wrote: 'this' });
      expect(Object.keys(data).sort()).toEqual(['media', 'people', ...peoples].sort());
      expect(names.map((name) => data.media[name]?.key)).toEqual(
        names.map((name) => `${project.id}-${name}`),
      );
      const { summary } = await readLedger(sandbox.url);
      expect(summary).toMatchObject({ submissions: JOBS, duplicates: 0, lostKeys: 0 });
      expect(summary.patches - peoplesChanges).toBeLessThan(JOBS * 0.6);
      process.stderr.write(
        `one project: ${JOBS} jobs, ${summary.patches - peoplesChanges} PATCHes of Segue\n`,
      );
    },
    full ? 600_000 : 120_000,
  );
});
