/** What a worker sends at once, and what it does not send at all. */
import { randomUUID } from 'node:crypto';
import { type Socket } from 'node:net';
import { eventually } from '../../support/eventually';
import { answer, startRawServer } from '../../support/service/rawServer';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { asReport } from '../../support/builders/jobs';

const ACCEPTED = answer('202 Accepted', '{"task_id":"t-1"}', ['connection: close']);
const DONE = answer('200 OK', '{"status":"SUCCESS","info":{}}', ['connection: close']);

function job() {
  const request = { image_url: 'https://example.com/a.png' };
  return { key: `job-${randomUUID()}`, tool: 'remove-background', request };
}

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
        const report = await segueClient(temporal, config).media.run(job()).catch(asReport);
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
