/** Each fault of the service, before and after it did what it was asked: judged by its ledger. */
import { randomUUID } from 'node:crypto';
import { type MediaSpec } from '../../src/client/jobs/mediaSpec';
import { type StarterConfig } from '../../src/config';
import { type FaultName } from '../../src/sandbox/faults';
import { eventually } from '../support/eventually';
import { addFault, ask, readLedger, useSandboxEach } from '../support/sandbox';
import { shared } from '../support/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../support/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 2 } });
let config: StarterConfig;

beforeEach(() => {
  config = testConfig({ submit: { timeout: '1s', authGrace: '1h' } });
});

const FAULTS: FaultName[] = ['reset', 'hang', 'delay', 'truncate', 'status', 'garbage', 'slow-body'];
const both = FAULTS.flatMap((fault) => [[fault, 'before'] as const, [fault, 'after'] as const]);

function job(more: Partial<MediaSpec> = {}): MediaSpec & { key: string } {
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  return { key: `fault-${randomUUID()}`, tool: 'remove-background', request, ...more };
}

/** Befalls the first request of the operation. `ms` is how long a hang or a slow body lasts. */
function fault(operation: string, fault: FaultName, when: 'before' | 'after', ms: number) {
  const lasts = { delay: 1, hang: ms, 'slow-body': ms } as Partial<Record<FaultName, number>>;
  return addFault(sandbox.url, { operation, fault, when, match: { nth: 1 }, ms: lasts[fault] });
}

/** Longer than any call may take. */
const PAST_THE_LIMIT_MS = 3_600_000;
/** Well within what these calls may take. */
const SHORT_MS = 1_000;

async function summary() {
  return (await readLedger(sandbox.url)).summary;
}

/** One of each kind where a person waits for the tests; all of them in the full run. */
const some = shared().full
  ? both
  : both.filter(([fault, when]) =>
      ['reset after', 'hang before', 'status after'].includes(`${fault} ${when}`),
    );

describe('P1 P2: around the submission', () => {
  test.each(both)(
    '%s %s: nothing is submitted twice, and a person can always end it well',
    async (name, when) => {
      await fault('remove-background', name, when, PAST_THE_LIMIT_MS);
      await withWorker(temporal, config, sandbox.url, async () => {
        const { media } = segueClient(temporal, config);
        const spec = job();
        const report = await media.run(spec);
        if (name === 'delay') {
          expect(report).toMatchObject({ status: 'succeeded' });
          expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0 });
          return;
        }
        expect(report).toMatchObject({ status: 'held', taskId: null });
        expect(await summary()).toMatchObject({ submissions: when === 'after' ? 1 : 0 });

        const held = await media.get(spec.key);
        const decided = { by: 'a test', reason: 'the ledger says so' };
        const accepted = (await readLedger(sandbox.url)).entries.find(({ applied }) => applied)?.taskId;
        if (accepted) await held.resolve({ ...decided, action: 'adopt', taskId: accepted });
        else
          await eventually('that it can be submitted again', () =>
            held.resolve({ ...decided, action: 'resubmit' }),
          );
        expect(await held.wait()).toMatchObject({ status: 'succeeded' });
        expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0 });
      });
    },
  );
});

describe('P2: around the polls', () => {
  test.each(some)('%s %s: no answer of a poll ends the job', async (name, when) => {
    await fault('get-task', name, when, PAST_THE_LIMIT_MS);
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      expect(await media.run(job())).toMatchObject({ status: 'succeeded' });
    });
    expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0 });
  });
});

/** A project of its own for each test: its writer lives on for a while, on the queue of the test that started it. */
async function newProject(): Promise<{ resourcetype: string; id: string }> {
  const project = { resourcetype: 'document', id: randomUUID() };
  const data = { people: { wrote: 'this' } };
  await ask(sandbox.url, 'POST /_sandbox/seed', { body: { projects: [{ ...project, workspace: 1, data }] } });
  return project;
}

describe('P3: around the write', () => {
  test.each(some)('%s %s: the result is in the project, and what was there stays', async (name, when) => {
    const project = await newProject();
    await fault('get-project', name, when, SHORT_MS);
    await fault('update-project', name, when, SHORT_MS);
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const spec = job({ write: { project, at: '/media/mug' } });
      expect(await media.run(spec)).toMatchObject({ status: 'succeeded' });
      const after = await ask(sandbox.url, `GET /projects/document/${project.id}`);
      expect(after.json.data).toMatchObject({
        people: { wrote: 'this' },
        media: { mug: { key: spec.key, taskId: expect.any(String), info: { images: [{}] } } },
      });
    });
    expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0, lostKeys: 0 });
  });
});

describe('P4: around the notification', () => {
  test.each(some)('%s %s: it is sent at most once, and the job succeeds', async (name, when) => {
    await fault('notify', name, when, SHORT_MS);
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const spec = job({ notify: { userId: 'u-1', workspaceId: '1' } });
      expect(await media.run(spec)).toMatchObject({ status: 'succeeded' });
      const result = await temporal.client.workflow.getHandle(`media/${spec.key}`).result();
      // A 200 is enough, whatever its body says and however slowly.
      const told = when === 'after' && (name === 'slow-body' || name === 'garbage');
      const sure = name === 'delay' || told;
      expect(result).toMatchObject({ notified: { status: sure ? 'sent' : 'uncertain' } });
    });
    const sent = when === 'after' || name === 'delay' ? 1 : 0;
    expect(await summary()).toMatchObject({ notifications: sent, duplicateNotifications: 0 });
  });
});
