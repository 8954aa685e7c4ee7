/** Heartbeats are billed, and no history shows them; the server counts what it was sent. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@segue/devserver';
import { eventually } from '../../support/eventually';
import { answer, startRawServer } from '../../support/service/rawServer';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';

let metricsPort: number;
const temporal = useTemporal(async () => {
  metricsPort = await freePort();
  return startOwnDevServer({ metricsPort });
});

const CLOSE = ['connection: close'];
const ACCEPTED = answer('202 Accepted', '{"task_id":"t-1"}', CLOSE);
const DONE = answer('200 OK', '{"status":"SUCCESS","info":{"ok":true}}', CLOSE);

/** How long the service takes to answer a POST. */
const ANSWERED_AFTER_MS = 7_000;
/** Jobs that run one after the other. */
const JOBS = 5;

test('a submit has a heartbeat before it is sent, and one every 3 s while it lasts', async () => {
  const server = await startRawServer((socket, request) => {
    if (request.startsWith('POST')) setTimeout(() => socket.end(ACCEPTED), ANSWERED_AFTER_MS);
    else socket.end(DONE);
  });
  const config = testConfig({ submit: { timeout: '30s', authGrace: '1h' } });
  const began = Date.now();
  await withWorker(temporal, config, server.url, async () => {
    const report = await segueClient(temporal, config).media.run({
      key: `job-${randomUUID()}`,
      tool: 'remove-background',
      request: { image_url: 'https://example.com/a.png' },
    });
    expect(report).toMatchObject({ status: 'succeeded' });
  });
  const most = 1 + Math.ceil((Date.now() - began) / 3_000);
  // The server tells what it counted once a second.
  const counted = await eventually('the count', async () => {
    const count = await heartbeats();
    return count > 1 ? count : undefined;
  });
  expect(counted).toBeLessThanOrEqual(most);
  await server.stop();
});

test('a notification has no heartbeat of its own', async () => {
  let notifications = 0;
  const server = await startRawServer((socket, request) => {
    if (request.includes('/agent/notify')) notifications += 1;
    socket.end(/^POST .*remove-background/.test(request) ? ACCEPTED : DONE);
  });
  const config = testConfig();
  const before = await heartbeats();
  const lastedMs = await withWorker(temporal, config, server.url, async () => {
    const began = Date.now();
    for (let n = 0; n < JOBS; n++) {
      const report = await segueClient(temporal, config).media.run({
        key: `job-${randomUUID()}`,
        tool: 'remove-background',
        request: { image_url: 'https://example.com/a.png' },
        notify: { userId: '1', workspaceId: '1' },
      });
      expect(report).toMatchObject({ status: 'succeeded' });
    }
    return Date.now() - began;
  });
  expect(notifications).toBe(JOBS);
  // One heartbeat for each submit; an activity that takes longer than 3 s on a busy machine sends more.
  const most = JOBS + Math.floor(lastedMs / 3_000);
  // The server publishes its count once a second.
  const counted = await eventually('a heartbeat count that is stable for 1.2 s', async () => {
    const count = (await heartbeats()) - before;
    await sleep(1_200);
    return count >= JOBS && count === (await heartbeats()) - before ? count : undefined;
  });
  expect(counted).toBeLessThanOrEqual(most);
  await server.stop();
});

/** Heartbeats that the server received, from its metric `action`. */
async function heartbeats(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const lines = metrics
    .split('\n')
    .filter((line) => line.startsWith('action{action_type="grpc_RecordActivityTaskHeartbeat"'));
  return lines.reduce((sum, line) => sum + Number(line.split('} ')[1]), 0);
}
