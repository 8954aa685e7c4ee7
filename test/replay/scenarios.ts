/** Runs whose histories are committed, so that old runs are known to survive new code. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type SegueClient } from '../../src/client';
import { type StarterConfig } from '../../src/config';
import { changeSignal } from '../../src/contract';
import { mediaWorkflowId } from '../../src/ids';
import { type RecordJob, type TranscriptJob } from '../../src/job';
import { startSandbox } from '../../src/sandbox/server';
import { eventually } from '../support/eventually';
import { PROJECT, startProjectService } from '../support/projectService';
import { answer, startRawServer } from '../support/rawServer';
import { SANDBOX_PLACES, seedRecord, seedTranscription, SRT } from '../support/records';
import { segueClient, testConfig, type TestTemporal, withWorker } from '../support/temporal';
import { seedProject, WORKSPACE } from '../support/writing';

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

/** Runs a transcript or a wait against the sandbox until `reached`. */
async function runRecord(
  temporal: TestTemporal,
  config: StarterConfig,
  apiUrl: string,
  start: (segue: SegueClient) => Promise<TranscriptJob | RecordJob>,
  keep: (run: WorkflowHandle) => Promise<void>,
  reached: (stage: string | undefined, job: TranscriptJob | RecordJob) => Promise<boolean> | boolean,
): Promise<void> {
  await withWorker(
    temporal,
    config,
    apiUrl,
    async () => {
      const job = await start(segueClient(temporal, config));
      await eventually('the state to record', async () => reached((await job.state())?.stage, job));
      const run = temporal.client.workflow.getHandle(job.workflowId);
      await keep(run);
      if ((await run.describe()).status.name === 'RUNNING') await run.terminate();
    },
    { layout: SANDBOX_PLACES },
  );
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

  async 'transcript-written-and-told'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
    const project = await seedProject(sandbox.url);
    const transcriptionId = await seedTranscription(sandbox.url);
    const start = (segue: SegueClient): Promise<TranscriptJob> =>
      segue.transcripts.start({
        transcriptionId,
        write: { project, at: '/subtitles' },
        notify: { userId: '1', workspaceId: WORKSPACE },
      });
    const config = testConfig({ organization: WORKSPACE });
    await runRecord(temporal, config, sandbox.url, start, keep, (stage) => stage === 'succeeded');
    await sandbox.stop();
  },

  async 'transcript-failed'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
    const transcriptionId = await seedTranscription(sandbox.url, { outcome: 'FAILED' });
    const start = (segue: SegueClient): Promise<TranscriptJob> =>
      segue.transcripts.start({ transcriptionId });
    await runRecord(temporal, testConfig(), sandbox.url, start, keep, (stage) => stage === 'failed');
    await sandbox.stop();
  },

  async 'transcript-downloading-through-errors'(temporal, keep) {
    const transcriptionId = randomUUID();
    const replies = [
      '',
      answer('503 Unavailable', 'later'),
      answer('404 Not Found', '{}'),
      answer('200 OK', ''),
    ];
    const server = await startRawServer((socket, request) => {
      const isFile = request.includes('/download_transcription_file');
      socket.end(
        isFile ? (replies.shift() ?? answer('200 OK', SRT)) : answer('200 OK', '{"job_status":"DONE"}'),
      );
    });
    const start = (segue: SegueClient): Promise<TranscriptJob> =>
      segue.transcripts.start({ transcriptionId });
    await runRecord(temporal, testConfig(), server.url, start, keep, (stage) => stage === 'succeeded');
    await server.stop();
  },

  async 'transcript-overdue-abandoned'(temporal, keep) {
    const sandbox = await startSandbox();
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const start = (segue: SegueClient): Promise<TranscriptJob> =>
      segue.transcripts.start({ transcriptionId });
    const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '7d' } });
    await runRecord(temporal, config, sandbox.url, start, keep, async (stage, job) => {
      if (stage !== 'overdue') return stage === 'abandoned';
      await job.pollNow();
      await job.resolve({ action: 'abandon', by: 'sam', reason: 'not needed' });
      return false;
    });
    await sandbox.stop();
  },

  async 'transcript-cancelled'(temporal, keep) {
    const sandbox = await startSandbox();
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const start = (segue: SegueClient): Promise<TranscriptJob> =>
      segue.transcripts.start({ transcriptionId });
    await runRecord(temporal, testConfig(), sandbox.url, start, keep, async (stage, job) => {
      if (stage === 'polling') await job.cancel();
      return stage === 'cancelled';
    });
    await sandbox.stop();
  },

  async 'record-asset-done'(temporal, keep) {
    const sandbox = await startSandbox();
    const id = await seedRecord(sandbox.url, 'asset', [1, 3, 4]);
    const start = (segue: SegueClient): Promise<RecordJob> => segue.records.start({ kind: 'asset', id });
    await runRecord(temporal, testConfig(), sandbox.url, start, keep, (stage) => stage === 'succeeded');
    await sandbox.stop();
  },

  async 'record-run-failed'(temporal, keep) {
    const sandbox = await startSandbox();
    const id = await seedRecord(sandbox.url, 'run', ['RUNNING', 'PAUSED', 'TIMED_OUT']);
    const start = (segue: SegueClient): Promise<RecordJob> => segue.records.start({ kind: 'run', id });
    await runRecord(temporal, testConfig(), sandbox.url, start, keep, (stage) => stage === 'failed');
    await sandbox.stop();
  },

  async 'record-overdue-after-poll-errors'(temporal, keep) {
    const server = await startRawServer((socket) => socket.end(''));
    const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '7d' } });
    const start = (segue: SegueClient): Promise<RecordJob> =>
      segue.records.start({ kind: 'video', id: randomUUID() });
    await runRecord(temporal, config, server.url, start, keep, (stage) => stage === 'overdue');
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
