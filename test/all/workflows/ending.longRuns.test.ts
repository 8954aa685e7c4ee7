/** Jobs whose history is long when their end is written or told: the same run finishes. */
import { randomUUID } from 'node:crypto';
import { changedSignal, type RequestChangesOrder } from '../../../src/contract';
import { type MediaSpec } from '../../../src/runs/media';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, withSandbox } from '../../support/service/sandbox';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';

const EVENTS = 40;

const temporal = useTemporal(() =>
  startOwnDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': EVENTS } }),
);

/** Its history is longer than the server likes. */
async function untilLong(workflowId: string): Promise<void> {
  const handle = temporal.client.workflow.getHandle(workflowId);
  await eventually('a long history', async () => (await handle.describe()).historyLength > EVENTS);
}

function newJob(imageUrl: string, more: Partial<MediaSpec>): MediaSpec {
  return { key: `end-${randomUUID()}`, tool: 'remove-background', request: { image_url: imageUrl }, ...more };
}

test.concurrent.each([true, false])(
  'P2 P3: a result that waits for its project for long is written once, with ETags: %s',
  (etags) =>
    withSandbox({ pace: { kind: 'instant' }, etags }, async (sandboxUrl) => {
      const project = { resourcetype: 'document', id: randomUUID() };
      const projects = [{ ...project, workspace: 1, data: { kept: 1 } }];
      await ask(sandboxUrl, 'POST /_sandbox/seed', { body: { projects } });
      await addFault(sandboxUrl, answering(503, 'get-project'));
      const config = testConfig();
      await withWorker(temporal, config, sandboxUrl, async () => {
        const job = await segueClient(temporal, config).media.start(
          newJob(`${sandboxUrl}/samples/mug.png`, { write: { project, at: '/mug' } }),
        );
        const handle = temporal.client.workflow.getHandle(job.workflowId);
        const changeId = await eventually('the change', async () => {
          const { events } = await handle.fetchHistory();
          const asked = events?.find(
            ({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name === 'requestChanges',
          );
          const [order] = asked?.activityTaskScheduledEventAttributes?.input?.payloads ?? [];
          if (!order?.data) return undefined;
          const { requests } = JSON.parse(Buffer.from(order.data).toString()) as RequestChangesOrder;
          return requests[0]?.changeId;
        });
        // Each makes the history longer; the last says that the writer has no room, so the run asks again.
        const reply = { applied: [], refused: [], noRoom: [], unknown: [] };
        for (let n = 0; n < 20; n++) await handle.signal(changedSignal, { ...reply, applied: ['another'] });
        await handle.signal(changedSignal, { ...reply, noRoom: [changeId] });
        await untilLong(job.workflowId);
        expect(await job.state()).toMatchObject({ stage: 'writing' });
        await ask(sandboxUrl, 'DELETE /_sandbox/faults');
        expect(await job.wait()).toMatchObject({ status: 'succeeded', info: expect.anything() });
        expect(await handle.result()).toMatchObject({ written: { ok: true } });
      });
      const { json } = await ask(sandboxUrl, `GET /projects/document/${project.id}`);
      expect(json.data).toMatchObject({ kept: 1, mug: { info: expect.anything() } });
      expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, patches: 1 });
    }),
);

test.concurrent('P4: a failure that is told late is told once', () =>
  withSandbox({ pace: { kind: 'instant' } }, async (sandboxUrl) => {
    await addFault(sandboxUrl, answering(403, 'notify'));
    const config = testConfig();
    await withWorker(temporal, config, sandboxUrl, async () => {
      const job = await segueClient(temporal, config).media.start(
        newJob('https://images.example.com/a.png', { notify: { userId: 'u-1', workspaceId: '1' } }),
      );
      await untilLong(job.workflowId);
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      expect(await job.wait()).toMatchObject({ status: 'failed', error: expect.stringContaining('FAILURE') });
    });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({
      ...{ submissions: 1, notifications: 1, duplicateNotifications: 0 },
    });
  }),
);
