/** A service that applies a PATCH after its answer was lost, and after later requests. What it holds in the end is the judge. */
import { randomInt } from 'node:crypto';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { PROJECT, type ProjectService, startProjectService } from '../../support/service/projectService';

const temporal = useTemporal();

const WRITE_TIMEOUT_MS = 1_500;
/** How long after the read that it rests on a PATCH can arrive. A timer may fire a little early. */
const LATEST_MS = { reset: WRITE_TIMEOUT_MS, hang: 2 * WRITE_TIMEOUT_MS - 10 };

type Patch = (name: string) => Promise<unknown>;

/** The service and a worker. Its writer is one of a workspace of its own: all these projects have the same id. */
async function withWriter(
  etags: ProjectService['etags'],
  work: (service: ProjectService, patch: Patch) => Promise<void>,
): Promise<void> {
  const service = await startProjectService({ kept: true });
  service.etags = etags;
  const config = testConfig({ organization: String(randomInt(2 ** 31)) });
  const { projects } = segueClient(temporal, config);
  const patch: Patch = (name) => projects.patch(PROJECT, { steps: [{ at: `/${name}`, set: true }] });
  const options = { writeTimeoutMs: WRITE_TIMEOUT_MS };
  await withWorker(temporal, config, service.url, () => work(service, patch), options).finally(service.stop);
}

describe.each(['strong', 'none'] as const)('with ETags: %s', (etags) => {
  test.concurrent.each(['reset', 'hang'] as const)(
    'P3: a PATCH that is applied late, after a %s, takes nothing away from the changes that follow',
    (late) =>
      withWriter(etags, async (service, patch) => {
        const sent = new Promise<void>((resolve) => {
          service.onPatch = (_patch, count) => {
            if (count > 1) return undefined;
            resolve();
            // One that is refused by its If-Match may come whenever it likes.
            return { late, ms: etags === 'strong' ? Infinity : LATEST_MS[late] };
          };
        });
        const first = patch('a');
        await sent;
        expect(await Promise.all([first, patch('b')])).toMatchObject([{ ok: true }, { ok: true }]);
        expect(await patch('c')).toMatchObject({ ok: true });
        service.applyLate();
        expect(service.project.data).toEqual({ kept: true, a: true, b: true, c: true });
      }),
  );
});
