/** Each fault of the service, before and after it did what it was asked: judged by its ledger. */
import { randomUUID } from 'node:crypto';
import { type MediaSpec } from '../../src/client';
import { type FaultName } from '../../src/sandbox/faults';
import { type RuleRequest } from '../../src/sandbox/faults/rules';
import { type Sandbox, startSandbox } from '../../src/sandbox/server';
import { eventually } from '../support/eventually';
import { addFault, ask, readLedger } from '../support/sandbox';
import {
  connectDevServer,
  segueClient,
  testConfig,
  type TestTemporal,
  withWorker,
} from '../support/temporal';

let temporal: TestTemporal;
let sandbox: Sandbox;

beforeAll(async () => {
  temporal = await connectDevServer();
});
afterAll(() => temporal.close());
beforeEach(async () => {
  sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
});
afterEach(() => sandbox.stop());

const FAULTS: FaultName[] = ['reset', 'hang', 'delay', 'truncate', 'status', 'garbage', 'slow-body'];
const both = FAULTS.flatMap((fault) => [[fault, 'before'] as const, [fault, 'after'] as const]);

/** The service has a second to answer; a slow body takes longer, a delay does not. */
const config = testConfig({ submit: { timeout: '1s', authGrace: '1h' } });

function job(more: Partial<MediaSpec> = {}): MediaSpec & { key: string } {
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  return { key: `fault-${randomUUID()}`, tool: 'remove-background', request, ...more };
}

function fault(operation: string, fault: FaultName, when: 'before' | 'after', match: RuleRequest['match']) {
  const ms = fault === 'delay' ? 1 : fault === 'slow-body' ? 3_600_000 : undefined;
  return addFault(sandbox.url, { operation, fault, when, match, ms });
}

async function summary() {
  return (await readLedger(sandbox.url)).summary;
}

describe('P1 P2: around the submission', () => {
  test.each(both)(
    '%s %s: nothing is submitted twice, and a person can always end it well',
    async (name, when) => {
      await fault('remove-background', name, when, { nth: 1 });
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
  test.each(both)('%s %s: no answer of a poll ends the job', async (name, when) => {
    await fault('get-task', name, when, { nth: 1 });
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      expect(await media.run(job())).toMatchObject({ status: 'succeeded' });
    });
    expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0 });
  });
});

const write = { project: { resourcetype: 'document', id: '17' }, at: '/media/mug' };

describe('P3: around the write', () => {
  test.each(both)('%s %s: the result is in the project, and what was there stays', async (name, when) => {
    await ask(sandbox.url, 'PATCH /projects/document/17', { body: { data: { people: { wrote: 'this' } } } });
    await fault('get-project', name, when, { nth: 1 });
    await fault('update-project', name, when, { nth: 1 });
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const spec = job({ write });
      expect(await media.run(spec)).toMatchObject({ status: 'succeeded' });
      const project = await ask(sandbox.url, 'GET /projects/document/17');
      expect(project.json.data).toMatchObject({
        people: { wrote: 'this' },
        media: { mug: { key: spec.key, taskId: expect.any(String), info: { images: [{}] } } },
      });
    });
    expect(await summary()).toMatchObject({ submissions: 1, duplicates: 0, lostKeys: 0 });
  });
});

describe('P4: around the notification', () => {
  test.each(both)('%s %s: it is sent at most once, and the job succeeds', async (name, when) => {
    await fault('notify', name, when, { nth: 1 });
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const spec = job({ notify: { userId: 'u-1', workspaceId: '1' } });
      expect(await media.run(spec)).toMatchObject({ status: 'succeeded' });
      const result = await temporal.client.workflow.getHandle(`media/${spec.key}`).result();
      const sure = name === 'delay';
      expect(result).toMatchObject({ notified: { status: sure ? 'sent' : 'uncertain' } });
    });
    const sent = when === 'after' || name === 'delay' ? 1 : 0;
    expect(await summary()).toMatchObject({ notifications: sent, duplicateNotifications: 0 });
  });
});
