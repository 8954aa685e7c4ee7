/** P7: the credential stays in the memory of the process that calls the service. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { freePort } from '@segue/devserver';
import { answer, startRawServer } from '../../support/service/rawServer';
import { SegueProcess } from '../../support/servers/segueProcess';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

const SECRET = `secret-${randomUUID()}`;

const temporal = useTemporal();

test.each(['SEGUE_API_KEY', 'SEGUE_API_TOKEN'])(
  'P7: %s is in no log, no metric and no history, even when the service repeats it in its answers',
  async (setting) => {
    const server = await startRawServer((socket, request) => {
      const header = /authorization: (.*)/i.exec(request)?.[1] ?? '';
      if (request.startsWith('POST')) socket.end(answer('202 Accepted', '{"task_id":"t-1"}'));
      else socket.end(answer('200 OK', JSON.stringify({ status: 'FAILURE', info: { you_sent: header } })));
    });
    const config = testConfig();
    const metricsAddress = `127.0.0.1:${await freePort()}`;
    const worker = new SegueProcess(['worker'], {
      TEMPORAL_ADDRESS: temporal.address,
      SEGUE_TASK_QUEUE: config.taskQueue,
      SEGUE_API_URL: server.url,
      SEGUE_LOG_LEVEL: 'trace',
      NODE_OPTIONS: `--require ${path.join(__dirname, '../../support/preload/showMetrics.js')}`,
      METRICS_ADDRESS: metricsAddress,
      [setting]: SECRET,
    });
    await worker.line(/ready/);
    const request = { image_url: 'https://example.com/a.png' };
    const job = await segueClient(temporal, config).media.start({
      key: `job-${randomUUID()}`,
      tool: 'remove-background',
      request,
    });
    const report = await job.wait();
    expect(report).toMatchObject({
      status: 'failed',
      info: { you_sent: expect.stringContaining('[credential]') },
    });
    const metrics = await (await fetch(`http://${metricsAddress}/metrics`)).text();
    const { stdout, stderr } = await worker.end('SIGTERM');
    expect(stderr).toContain('t-1');
    // Those of Segue and those of the SDK.
    expect(metrics).toContain('segue_submits{');
    expect(metrics).toContain('temporal_');

    const history = historyToJSON(await temporal.client.workflow.getHandle(job.workflowId).fetchHistory());
    const payloads = [...history.matchAll(/"data": ?"([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64').toString(),
    );
    expect(server.received.join()).toContain(SECRET);
    expect([stdout, stderr, metrics, history, ...payloads, JSON.stringify(report)].join('\n')).not.toContain(
      SECRET,
    );
    await server.stop();
  },
);
