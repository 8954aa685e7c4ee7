/** What a worker sends at once, and what it does not send at all. */
import { randomUUID } from 'node:crypto';
import { type Socket } from 'node:net';
import { createActivities } from '../../../src/activities';
import { reasonNotToSend } from '../../../src/activities/guards';
import { testApi } from '../../support/service/api';
import { eventually } from '../../support/eventually';
import { answer, startRawServer } from '../../support/service/rawServer';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { activityEnvironment } from '../../support/servers/log';

const ACCEPTED = answer('202 Accepted', '{"task_id":"t-1"}', ['connection: close']);
const DONE = answer('200 OK', '{"status":"SUCCESS","info":{}}', ['connection: close']);
const RESTORED = new Date('2026-01-31T14:00:00Z');

const NOTIFICATION = {
  ...{ userId: 'u', workspaceId: 'w', title: 'T', message: 'm' },
  category: 'agentNudge' as const,
};

function job() {
  const request = { image_url: 'https://example.com/a.png' };
  return { key: `job-${randomUUID()}`, tool: 'remove-background', request };
}

describe('P1: after Temporal was restored from a backup', () => {
  const execution = { attempt: 1, workflowExecution: { workflowId: 'media/k', runId: 'r' } };
  const orderedAt = (ms: number) => ({
    ...execution,
    scheduledTimestampMs: ms,
    currentAttemptScheduledTimestampMs: ms,
  });

  test.each([
    [
      'a moment before the time',
      RESTORED.getTime() - 1,
      RESTORED,
      'before SEGUE_HOLD_SUBMITS_BEFORE (2026-01-31',
    ],
    ['at the time', RESTORED.getTime(), RESTORED, undefined],
    ['long ago, without the setting', 0, undefined, undefined],
  ])('what was ordered %s', (_case, ordered, holdBefore, reason) => {
    const refusal = reasonNotToSend(orderedAt(ordered), 'r', { holdBefore });
    if (reason === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toContain(reason);
  });

  test('neither submit nor notify sends what was ordered before the time', async () => {
    const server = await startRawServer((socket) => socket.end(ACCEPTED));
    const api = testApi(server.url);
    const { general, submits } = createActivities(api, { holdBefore: RESTORED });
    const environment = activityEnvironment(orderedAt(RESTORED.getTime() - 1));
    const held = { outcome: 'unknown', reason: expect.stringContaining('SEGUE_HOLD_SUBMITS_BEFORE') };
    expect(await environment.run(submits.submit, { ...job(), attempt: 1, runId: 'r' })).toEqual(held);
    const order = { notification: NOTIFICATION, requestId: 'n', runId: 'r' };
    expect(await environment.run(general.notify, order)).toEqual(held);
    expect(server.received).toHaveLength(0);
    await api.close();
    await server.stop();
  });
});

describe('a notification with a time of its own', () => {
  test.each([
    ['is sent before it', 60_000, 'sent', 1],
    ['is not sent from then on', -1, 'notSent', 0],
  ])('%s', async (_case, ms, outcome, requests) => {
    const server = await startRawServer((socket) =>
      socket.end(answer('200 OK', '{}', ['connection: close'])),
    );
    const api = testApi(server.url);
    const { general } = createActivities(api, { checkScheduledTime: false });
    const sendBefore = new Date(Date.now() + ms).toISOString();
    const workflowExecution = { workflowId: 'nudge/n', runId: 'r' };
    const environment = activityEnvironment({ workflowExecution, startToCloseTimeoutMs: 40_000 });
    const order = { notification: NOTIFICATION, requestId: 'n', runId: 'r', sendBefore };
    expect(await environment.run(general.notify, order)).toMatchObject({ outcome });
    expect(server.received.filter((request) => request !== '')).toHaveLength(requests);
    await api.close();
    await server.stop();
  });
});

describe('a worker', () => {
  const temporal = useTemporal();

  test('holds the jobs of a restored server, and the service hears nothing', async () => {
    const server = await startRawServer((socket) => socket.end(ACCEPTED));
    const config = testConfig();
    const limits = { maxSubmits: 100, holdBefore: new Date(Date.now() + 3_600_000) };
    await withWorker(
      temporal,
      config,
      server.url,
      async () => {
        const report = await segueClient(temporal, config).media.run(job());
        expect(report).toMatchObject({ status: 'held' });
        await temporal.client.workflow.getHandle(report.workflowId).terminate();
      },
      { limits },
    );
    expect(server.received).toHaveLength(0);
    await server.stop();
  });

  test('has no more POSTs on the wire than it may, and sends the others in their turn', async () => {
    const posts: Socket[] = [];
    let most = 0;
    const server = await startRawServer((socket, request) => {
      if (!request.startsWith('POST')) return socket.end(DONE);
      most = Math.max(most, posts.push(socket));
      return socket;
    });
    const config = testConfig();
    await withWorker(
      temporal,
      config,
      server.url,
      async () => {
        const { media } = segueClient(temporal, config);
        const started = await Promise.all([1, 2, 3].map(() => media.start(job())));
        let left = started.length;
        while (left-- > 0) {
          const post = await eventually('a POST', () => posts[0]);
          // All three are ordered before the first is answered: what waits, waits for the limit.
          await eventually('the orders', async () => {
            const states = await Promise.all(started.map((one) => one.state()));
            return states.every((state) => state?.attempts.length === 1);
          });
          posts.shift();
          post.end(ACCEPTED);
        }
        const reports = await Promise.all(started.map((one) => one.wait()));
        expect(reports.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
      },
      { limits: { maxSubmits: 1, maxSubmitRate: 1_000 } },
    );
    expect(most).toBe(1);
    await server.stop();
  });
});
