/** Workflows of another namespace call Segue through Nexus. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { RUN_REQUEST_WORKFLOW } from '../../../src/contract';
import { waitingJob } from '../../support/builders/waitingJob';
import { seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { emptyNamespace } from '../../support/servers/namespaces';
import { useProcesses } from '../../support/servers/processes';
import { segue } from '../../support/servers/segueCommand';
import { segueClient, testConfig, useTemporal, useWorker } from '../../support/servers/temporal';
import { SANDBOX_PLACES, seedRecord, seedTranscription } from '../../support/service/records';
import { readLedger, useSandbox } from '../../support/service/sandbox';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

const callers = { taskQueue: `callers-${randomUUID()}`, namespace: '' };
let caller: Worker;
let running: Promise<void>;
let connection: NativeConnection;
beforeAll(async () => {
  connection = await NativeConnection.connect({ address: temporal.address });
  callers.namespace = await emptyNamespace(temporal);
  const workflowsPath = require.resolve('./nexus.workflow');
  caller = await Worker.create({
    connection,
    ...callers,
    workflowBundle: await bundleWorkflowCode({ workflowsPath }),
  });
  running = caller.run();
});
afterAll(async () => {
  caller.shutdown();
  await running;
  await connection.close();
});

/** A workflow of the other namespace, which makes all these calls at once. */
async function call(endpoint: string, ...calls: object[]): Promise<WorkflowHandle> {
  const { namespace, taskQueue } = callers;
  const client = new Client({ connection: temporal.client.connection, namespace });
  return client.workflow.start('caller', { taskQueue, workflowId: randomUUID(), args: [endpoint, ...calls] });
}

/** What a team does once. */
async function makeEndpoint(taskQueue: string): Promise<string> {
  const endpoint = `segue-${randomUUID()}`;
  const settings = { TEMPORAL_ADDRESS: temporal.address, SEGUE_TASK_QUEUE: taskQueue };
  for (const words of ['is created', 'exists'])
    expect(await segue(['setup', '--nexus', endpoint], settings)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`the Nexus endpoint ${endpoint} ${words}`),
    });
  const elsewhere = await segue(['setup', '--nexus', endpoint], { ...settings, SEGUE_TASK_QUEUE: 'other' });
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('has another target') });
  return endpoint;
}

test('P1: two calls of one key, and a call after its end, give one job, also when the worker is killed', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=1');
  const config = testConfig();
  const endpoint = await makeEndpoint(config.taskQueue);
  const doomed = await processes.worker(config.taskQueue, sandboxUrl);
  const spec = { ...waitingJob(sandboxUrl), poll: { min: '1h', max: '1h' } };
  const twice = await call(endpoint, { kind: 'media', spec }, { kind: 'media', spec });
  const job = await eventually('the job', () =>
    segueClient(temporal, config)
      .media.get(spec.key)
      .catch(() => false as const),
  );
  await eventually('the accepted POST', async () => (await job.state())?.stage === 'polling');
  await doomed.end('SIGKILL');

  await processes.worker(config.taskQueue, sandboxUrl);
  await job.pollNow();
  const [first, second] = (await twice.result()) as { taskId: string }[];
  expect(first).toMatchObject({ key: spec.key, status: 'succeeded' });
  expect(second).toEqual(first);
  const later = await call(endpoint, { kind: 'media', spec });
  expect(await later.result()).toEqual([first]);
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
});

test('cancelling a call does not cancel its job, and a job that fails gives its reason to every call', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=1');
  const config = testConfig();
  const endpoint = await makeEndpoint(config.taskQueue);
  await processes.worker(config.taskQueue, sandboxUrl);
  const spec = { ...waitingJob(sandboxUrl), poll: { min: '1h', max: '1h' } };
  const cancelled = await call(endpoint, { kind: 'media', spec });
  const { media } = segueClient(temporal, config);
  const job = await eventually('the job', () => media.get(spec.key).catch(() => false as const));
  await eventually('the accepted POST', async () => (await job.state())?.stage === 'polling');
  await cancelled.cancel();
  await expect(cancelled.result()).rejects.toThrow('Workflow execution cancelled');
  await job.pollNow();
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });

  const wrong = await call(endpoint, { kind: 'media', spec: { ...spec, tool: 'paint' } });
  const reason = expect.stringContaining('"paint"') as unknown;
  await expect(wrong.result()).rejects.toMatchObject({ cause: { cause: { message: reason } } });
});

describe('with records and a manifest', () => {
  const sandbox = useSandbox({ pace: { kind: 'instant' } });
  const config = testConfig();
  useWorker(temporal, config, sandbox, { layout: SANDBOX_PLACES });

  test('every kind of run can be called', async () => {
    const endpoint = await makeEndpoint(config.taskQueue);
    const { poll } = config;
    const item = waitingJob(sandbox.url);
    const manifest = await served(() => JSON.stringify(item));
    const { key } = waitingJob(sandbox.url);
    const media = { cutout: { tool: item.tool, request: item.request } };
    const project = await seedProject(sandbox.url);
    const calls = await call(
      endpoint,
      { kind: 'transcript', spec: { transcriptionId: await seedTranscription(sandbox.url), poll } },
      { kind: 'record', spec: { kind: 'asset', id: await seedRecord(sandbox.url, 'asset', [4]), poll } },
      { kind: 'campaign', spec: { key, project, media, poll } },
      { kind: 'batch', spec: { key, manifest, poll } },
    );
    expect(await calls.result()).toMatchObject([
      { status: 'succeeded', format: 'srt' },
      { status: 'succeeded', record: { status: 4 } },
      { status: 'completed' },
      { status: 'completed', counts: { succeeded: 1 } },
    ]);
  });

  test('the key of a batch is refused for another manifest, also at an address with another query', async () => {
    const endpoint = await makeEndpoint(config.taskQueue);
    const [first, second] = [waitingJob(sandbox.url), waitingJob(sandbox.url)];
    const manifests = new Map([first, second].map((item) => [`?${item.key}`, JSON.stringify(item)]));
    const address = await served((query) => manifests.get(query) ?? '');
    const batchOf = ({ key }: { key: string }) => ({
      kind: 'batch',
      spec: { key: first.key, manifest: `${address}?${key}`, poll: config.poll },
    });
    const completed = [{ status: 'completed' }];
    expect(await (await call(endpoint, batchOf(first))).result()).toMatchObject(completed);
    expect(await (await call(endpoint, batchOf(first))).result()).toMatchObject(completed);
    const reason = expect.stringContaining(first.key) as unknown;
    await expect((await call(endpoint, batchOf(second))).result()).rejects.toMatchObject({
      cause: { cause: { message: reason } },
    });
  });

  test('P2: a request that is cancelled while it starts a batch leaves a whole batch', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isRead = false;
    const item = waitingJob(sandbox.url);
    const manifest = await served(async () => {
      isRead = true;
      await released;
      return JSON.stringify(item);
    });
    const spec = { key: item.key, manifest, poll: config.poll };
    const request = await temporal.client.workflow.start(RUN_REQUEST_WORKFLOW, {
      ...{ taskQueue: config.taskQueue, workflowId: `request/${randomUUID()}` },
      args: [{ kind: 'batch', spec }],
    });
    await eventually('the read of the manifest', () => Promise.resolve(isRead));
    await request.cancel();
    await eventually('the workflow task of the cancellation', async () => {
      const { events } = await request.fetchHistory();
      const isOf = (event: object): boolean => 'workflowExecutionCancelRequestedEventAttributes' in event;
      const isTask = (event: object): boolean => 'workflowTaskCompletedEventAttributes' in event;
      return (events ?? []).slice((events ?? []).findIndex(isOf)).some(isTask);
    });
    const { events } = await request.fetchHistory();
    expect(events?.filter((event) => event.activityTaskCancelRequestedEventAttributes)).toEqual([]);
    release();
    await expect(request.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    const batch = await segueClient(temporal, config).batch.get(item.key);
    expect(await batch.result()).toMatchObject({ status: 'completed' });
  });
});

/** Gives the address. */
async function served(textOf: (query: string) => string | Promise<string>): Promise<string> {
  const server = createServer((request, response) => {
    const { search } = new URL(request.url ?? '', 'http://localhost');
    void Promise.resolve(textOf(search)).then((text) => response.end(text));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/manifest.ndjson`;
}
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});
