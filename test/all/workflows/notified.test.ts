/**
 * Who is notified of a job: its user, and the operator when the job needs a person.
 * Most of the time is spent waiting for the next attempt, so the tests run side by side, each with its own service and worker.
 */
import { randomUUID } from 'node:crypto';
import { type SegueClient } from '../../../src/client';
import { type MediaSpec } from '../../../src/runs/media';
import { type KeptNotification, notificationsOf } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, withSandbox } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();

const notify = { userId: 'u-1', workspaceId: '1' };
const operator = { userId: 'op', workspaceId: '42' };

/** A service and a worker that uses it. Gives the notifications that were sent, oldest first. */
function withService(
  work: (sandboxUrl: string, media: SegueClient['media']) => Promise<void>,
): Promise<KeptNotification[]> {
  const config = testConfig();
  return withSandbox({ pace: { kind: 'instant' } }, async (sandboxUrl) => {
    const { media } = segueClient(temporal, config);
    await withWorker(temporal, config, sandboxUrl, () => work(sandboxUrl, media), { operator });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ duplicateNotifications: 0 });
    return await notificationsOf(sandboxUrl);
  });
}

function job(sandboxUrl: string, more: Partial<MediaSpec> = {}): MediaSpec & { key: string } {
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  return { key: `notified-${randomUUID()}`, tool: 'remove-background', request, ...more };
}

async function untilNotified(sandboxUrl: string, count: number): Promise<void> {
  await eventually('the notifications', async () => (await notificationsOf(sandboxUrl)).length === count);
}

const whoAndCategory = (sent: KeptNotification[]) =>
  sent.map(({ request: { userId, category } }) => `${userId} ${category}`).sort();

test.concurrent('P4: a user is notified only of the events that were asked for', async () => {
  const sent = await withService(async (sandboxUrl, media) => {
    const report = await media.run(job(sandboxUrl, { notify: { ...notify, on: ['failed'] } }));
    expect(report).toMatchObject({ status: 'succeeded' });
  });
  expect(sent).toEqual([]);
});

test.concurrent(
  'P4: the user and the operator are each notified once of a held job, with the command that decides it',
  async () => {
    let key = '';
    const sent = await withService(async (sandboxUrl, media) => {
      const rule = { operation: 'remove-background', match: { nth: 1 }, when: 'before' } as const;
      await addFault(sandboxUrl, { ...rule, fault: 'reset' });
      const held = await media.start(job(sandboxUrl, { notify }));
      ({ key } = held);
      expect(await held.wait()).toMatchObject({ status: 'held' });
      await untilNotified(sandboxUrl, 2);
      await held.resolve({ action: 'abandon', by: 'a test', reason: 'seen' });
      await held.wait();
    });
    expect(whoAndCategory(sent)).toEqual(['op agentError', 'u-1 agentError', 'u-1 agentNeedsInput']);
    expect(sent[0]?.request.body).toContain(`segue resolve media/${key} --adopt TASK_ID`);
  },
);

test.concurrent(
  'P4: the user and the operator are each notified once of a denied credential, and the job goes on when it works again',
  async () => {
    const sent = await withService(async (sandboxUrl, media) => {
      await addFault(sandboxUrl, answering(401, 'remove-background'));
      const denied = await media.start(job(sandboxUrl, { notify }));
      await untilNotified(sandboxUrl, 2);
      const state = await eventually('the denial', async () => {
        const now = await denied.state();
        return now?.stage === 'waiting' ? now : undefined;
      });
      expect(state.lastError).toContain('401');
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      expect(await denied.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(whoAndCategory(sent)).toEqual(['op agentError', 'u-1 agentNeedsInput', 'u-1 agentTaskCompleted']);
    expect(sent[0]?.request).toMatchObject({
      body: expect.stringContaining('segue doctor'),
      _extra: { event_type: 'media.denied-1' },
    });
  },
);

test.concurrent(
  'P4: many denied jobs notify the operator once, and the state of each says that it waits',
  async () => {
    const sent = await withService(async (sandboxUrl, media) => {
      await addFault(sandboxUrl, answering(401, 'remove-background'));
      const start = () => media.start(job(sandboxUrl));
      const jobs = await Promise.all(Array.from({ length: shared().full ? 20 : 6 }, start));
      for (const denied of jobs)
        await eventually('the denial', async () => (await denied.state())?.stage === 'waiting');
      await untilNotified(sandboxUrl, 1);
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      const reports = await Promise.all(jobs.map((denied) => denied.wait()));
      expect(reports.every(({ status }) => status === 'succeeded')).toBe(true);
    });
    expect(whoAndCategory(sent)).toEqual(['op agentError']);
  },
);
