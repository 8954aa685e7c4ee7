/**
 * Each fault of the service, before and after it did what it was asked: judged by its ledger. Most of the time is spent
 * waiting for answers that do not come, so they run side by side, each with a service and a worker of its own.
 */
import { randomUUID } from 'node:crypto';
import { type SegueClient } from '../../../src/client';
import { type Duration } from '../../../src/contract/durations';
import { type MediaSpec } from '../../../src/runs/media';
import { type FaultName } from '../../../sandbox/src/faults';
import { eventually } from '../../support/eventually';
import { addFault, ask, type LedgerReading, readLedger, withSandbox } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { patientPosts } from '../../support/servers/patientPosts';
import {
  segueClient,
  testConfig,
  type TestWorkerOptions,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';
import { WRITE_TIMEOUT_MS } from '../../support/builders/writing';
import { asReport } from '../../support/builders/jobs';

const temporal = useTemporal();

interface ServiceOptions extends Pick<TestWorkerOptions, 'worker'> {
  etags?: boolean;
  /** How long a POST may take. */
  timeout?: Duration;
}

/** A service that has met nothing yet, and a worker that uses it. Gives what the service has counted when both are done. */
function withService(
  work: (sandboxUrl: string, media: SegueClient['media']) => Promise<void>,
  { etags = true, timeout = '10m', worker }: ServiceOptions = {},
): Promise<LedgerReading['summary']> {
  const config = testConfig({ submit: { timeout, authGrace: '1h' } });
  return withSandbox({ pace: { kind: 'polls', polls: 2 }, etags }, async (sandboxUrl) => {
    const { media } = segueClient(temporal, config);
    const options = { writeTimeoutMs: WRITE_TIMEOUT_MS, worker };
    await withWorker(temporal, config, sandboxUrl, () => work(sandboxUrl, media), options);
    return summary(sandboxUrl);
  });
}

const FAULTS: FaultName[] = ['reset', 'hang', 'delay', 'truncate', 'status', 'garbage', 'slow-body'];
const both = FAULTS.flatMap((fault) => [[fault, 'before'] as const, [fault, 'after'] as const]);

function job(sandboxUrl: string, more: Partial<MediaSpec> = {}): MediaSpec & { key: string } {
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  return { key: `fault-${randomUUID()}`, tool: 'remove-background', request, ...more };
}

/** Befalls the first request of the operation. `ms` is how long a hang or a slow body lasts. */
function fault(
  sandboxUrl: string,
  operation: string,
  fault: FaultName,
  { when, ms }: { when: 'before' | 'after'; ms: number },
) {
  const lasts = { delay: 1, hang: ms, 'slow-body': ms } as Partial<Record<FaultName, number>>;
  return addFault(sandboxUrl, { operation, fault, when, match: { nth: 1 }, ms: lasts[fault] });
}

/** Longer than any call may take. */
const PAST_THE_LIMIT_MS = 3_600_000;
/** Well within what these calls may take. */
const SHORT_MS = 1_000;

async function summary(sandboxUrl: string) {
  return (await readLedger(sandboxUrl)).summary;
}

/** One of each kind where a person waits for the tests; all of them in the full run. */
const some = shared().full
  ? both
  : both.filter(([fault, when]) =>
      ['reset after', 'hang before', 'status after'].includes(`${fault} ${when}`),
    );

test.concurrent.each(both)(
  'P1 P2: around the submission, %s %s: nothing is submitted twice, and a person can always end it well',
  async (name, when) => {
    // Only a POST that meets one of these ends by the submit timeout.
    const lasts = name === 'hang' || name === 'slow-body';
    let isPatient = !lasts;
    const work: Parameters<typeof withService>[0] = async (sandboxUrl, media) => {
      await fault(sandboxUrl, 'remove-background', name, { when, ms: PAST_THE_LIMIT_MS });
      const spec = job(sandboxUrl);
      const report = await media.run(spec).catch(asReport);
      if (name === 'delay') {
        expect(report).toMatchObject({ status: 'succeeded' });
        return;
      }
      expect(report).toMatchObject({ status: 'held', taskId: null });
      isPatient = true;
      const applied = when === 'after' ? 1 : 0;
      await eventually(
        'what the service did',
        async () => (await summary(sandboxUrl)).submissions === applied,
      );

      const held = await media.get(spec.key);
      const decided = { by: 'a test', reason: 'the ledger says so' };
      const accepted = (await readLedger(sandboxUrl)).entries.find(({ applied }) => applied)?.taskId;
      if (accepted) await held.resolve({ ...decided, action: 'adopt', taskId: accepted });
      else
        await eventually('that it can be submitted again', () =>
          held.resolve({ ...decided, action: 'resubmit' }),
        );
      expect(await held.wait()).toMatchObject({ status: 'succeeded' });
    };
    const timeout = lasts ? '3s' : '1s';
    const counted = await withService(work, { timeout, worker: patientPosts(() => isPatient) });
    expect(counted).toMatchObject({ submissions: 1, duplicates: 0 });
  },
);

test.concurrent.each(some)(
  'P2: around the polls, %s %s: no answer of a poll ends the job',
  async (name, when) => {
    const counted = await withService(async (sandboxUrl, media) => {
      await fault(sandboxUrl, 'get-task', name, { when, ms: PAST_THE_LIMIT_MS });
      expect(await media.run(job(sandboxUrl))).toMatchObject({ status: 'succeeded' });
    });
    expect(counted).toMatchObject({ submissions: 1, duplicates: 0 });
  },
);

/** A project of its own for each test: its writer lives on for a while, on the queue of the test that started it. */
async function newProject(sandboxUrl: string): Promise<{ resourcetype: string; id: string }> {
  const project = { resourcetype: 'document', id: randomUUID() };
  const data = { people: { wrote: 'this' } };
  await ask(sandboxUrl, 'POST /_sandbox/seed', { body: { projects: [{ ...project, workspace: 1, data }] } });
  return project;
}

test.concurrent.each(some.flatMap((one) => [true, false].map((etags) => [...one, etags] as const)))(
  'P3: around the write, %s %s, with ETags: %s: the result is in the project, and what was there stays',
  async (name, when, etags) => {
    const counted = await withService(
      async (sandboxUrl, media) => {
        const project = await newProject(sandboxUrl);
        await fault(sandboxUrl, 'get-project', name, { when, ms: SHORT_MS });
        await fault(sandboxUrl, 'update-project', name, { when, ms: SHORT_MS });
        const spec = job(sandboxUrl, { write: { project, at: '/media/mug' } });
        expect(await media.run(spec)).toMatchObject({ status: 'succeeded' });
        const after = await ask(sandboxUrl, `GET /projects/document/${project.id}`);
        expect(after.json.data).toMatchObject({
          people: { wrote: 'this' },
          media: { mug: { key: spec.key, taskId: expect.any(String), info: { images: [{}] } } },
        });
      },
      { etags },
    );
    expect(counted).toMatchObject({ submissions: 1, duplicates: 0, lostKeys: 0 });
  },
);

test.concurrent.each(some)(
  'P4: around the notification, %s %s: it is sent at most once, and the job succeeds',
  async (name, when) => {
    const counted = await withService(async (sandboxUrl, media) => {
      await fault(sandboxUrl, 'notify', name, { when, ms: SHORT_MS });
      const spec = job(sandboxUrl, { notify: { userId: 'u-1', workspaceId: '1' } });
      expect(await media.run(spec)).toMatchObject({ status: 'succeeded' });
      const result = await temporal.client.workflow.getHandle(`media/${spec.key}`).result();
      // A 200 is enough, whatever its body says and however slowly.
      const told = when === 'after' && (name === 'slow-body' || name === 'garbage');
      const sure = name === 'delay' || told;
      expect(result).toMatchObject({ notified: { status: sure ? 'sent' : 'uncertain' } });
    });
    const sent = when === 'after' || name === 'delay' ? 1 : 0;
    expect(counted).toMatchObject({ notifications: sent, duplicateNotifications: 0 });
  },
);
