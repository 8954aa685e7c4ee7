/** Runs whose histories are committed, so that old runs are known to survive new code. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type StarterConfig } from '../../src/config';
import { changeSignal } from '../../src/contract';
import { mediaWorkflowId } from '../../src/ids';
import { startSandbox } from '../../src/sandbox/server';
import { eventually } from '../support/eventually';
import { PROJECT, startProjectService } from '../support/projectService';
import { answer, startRawServer } from '../support/rawServer';
import { segueClient, testConfig, type TestTemporal, withWorker } from '../support/temporal';

/** Runs the scenario and hands over its run as soon as its history is the one to keep. */
type Scenario = (temporal: TestTemporal, keep: (run: WorkflowHandle) => Promise<void>) => Promise<void>;

async function runJob(
  temporal: TestTemporal,
  config: StarterConfig,
  apiUrl: string,
  imageUrl: string,
  keep: (run: WorkflowHandle) => Promise<void>,
  reached: (stage: string | undefined, polls: number) => boolean,
): Promise<void> {
  await withWorker(temporal, config, apiUrl, async () => {
    const key = `recorded-${randomUUID()}`;
    const job = await segueClient(temporal, config).media.start({
      key,
      tool: 'remove-background',
      request: { image_url: imageUrl },
    });
    await eventually('the state to record', async () => {
      const state = await job.state();
      return reached(state?.stage, state?.polls ?? 0);
    });
    const run = temporal.client.workflow.getHandle(mediaWorkflowId(key));
    await keep(run);
    if ((await run.describe()).status.name === 'RUNNING') await run.terminate();
  });
}

export const scenarios: Record<string, Scenario> = {
  async 'media-succeeded'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 3 } });
    const image = `${sandbox.url}/samples/shoe.png`;
    await runJob(temporal, testConfig(), sandbox.url, image, keep, (stage) => stage === 'succeeded');
    await sandbox.stop();
  },

  async 'media-task-failed'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const image = 'https://images.example.com/a.png';
    await runJob(temporal, testConfig(), sandbox.url, image, keep, (stage) => stage === 'failed');
    await sandbox.stop();
  },

  async 'media-refused-after-waiting'(temporal, keep) {
    const answers = [
      answer('429 Too Many Requests', '', ['retry-after: 1']),
      answer('400 Bad Request', 'no'),
    ];
    const server = await startRawServer((socket) => socket.end(answers.shift() ?? ''));
    const image = 'https://example.com/a.png';
    await runJob(temporal, testConfig(), server.url, image, keep, (stage) => stage === 'failed');
    await server.stop();
  },

  async 'media-held'(temporal, keep) {
    const server = await startRawServer((socket) => socket.resetAndDestroy());
    const image = 'https://example.com/a.png';
    await runJob(temporal, testConfig(), server.url, image, keep, (stage) => stage === 'held');
    await server.stop();
  },

  async 'media-overdue-after-poll-errors'(temporal, keep) {
    const server = await startRawServer((socket, request) => {
      const isSubmit = request.startsWith('POST');
      socket.end(isSubmit ? answer('202 Accepted', '{"task_id":"t-1"}') : '');
    });
    const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '7d' } });
    const image = 'https://example.com/a.png';
    await runJob(temporal, config, server.url, image, keep, (stage) => stage === 'overdue');
    await server.stop();
  },

  async 'project-writer'(temporal, keep) {
    const service = await startProjectService();
    // One good answer, one refusal, and an outage in between.
    service.onRead = (count) => (count === 2 || count === 3 || count === 4 ? { status: 503 } : undefined);
    const config = testConfig({ organization: '42' });
    await withWorker(temporal, config, service.url, async () => {
      const { projects } = segueClient(temporal, config);
      const { workflowId } = await projects.patch(PROJECT, { fields: { title: 'Summer' } });
      const run = temporal.client.workflow.getHandle(workflowId);
      const change = { steps: [{ at: '/a', set: 1 }] };
      await run.signal(changeSignal, { changeId: 'asked-by-nobody', change, replyTo: 'nobody' });
      await run.signal(changeSignal, { changeId: 'asked-by-nobody', change, replyTo: 'nobody' });
      await projects.patch(PROJECT, { steps: [{ at: '/kept/deep/0', set: 1 }] });
      await keep(run);
      await run.terminate();
    });
    await service.stop();
  },
};
