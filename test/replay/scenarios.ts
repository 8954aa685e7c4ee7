/** Runs whose histories are committed, so that old runs are known to survive new code. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type SegueClient } from '../../src/client';
import { type StarterConfig } from '../../src/config';
import { acceptedSignal, MEDIA_REQUEST_WORKFLOW, RUN_REQUEST_WORKFLOW } from '../../src/contract';
import { mediaWorkflowId } from '../../src/contract/ids';
import { type Job, type RecordJob, type TranscriptJob } from '../../src/client/jobs/job';
import { type MediaSpec } from '../../src/runs/media';
import { eventually } from '../support/eventually';
import { answer, startRawServer } from '../support/service/rawServer';
import { SANDBOX_PLACES, seedRecord, seedTranscription, SRT } from '../support/service/records';
import { addFault, answering, readLedger, startSandbox } from '../support/service/sandbox';
import { segueClient, testConfig, type TestTemporal, withWorker } from '../support/servers/temporal';
import { seedProject, WORKSPACE } from '../support/builders/writing';
import { type Scenario } from './scenario';

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

export function mediaJob(sandboxUrl: string): MediaSpec {
  const request = { image_url: `${sandboxUrl}/samples/shoe.png` };
  return { key: `recorded-${randomUUID()}`, tool: 'remove-background', request };
}

/** Runs a job whose POST is answered by a reset, and has it decided. */
export async function runHeld(
  temporal: TestTemporal,
  keep: (run: WorkflowHandle) => Promise<void>,
  when: 'before' | 'after',
  decide: (job: Job, sandboxUrl: string) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
  await addFault(sandbox.url, { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when });
  const config = testConfig({ submit: { timeout: '1s', authGrace: '1h' } });
  const start = (segue: SegueClient): Promise<Job> => segue.media.start(mediaJob(sandbox.url));
  await runRecord(temporal, config, sandbox.url, start, keep, async (stage, job) => {
    if (stage === 'held') await decide(job, sandbox.url);
    return stage === 'succeeded' || stage === 'abandoned' || stage === 'cancelled';
  });
  await sandbox.stop();
}

/** Runs a job of any kind until `reached`. */
export async function runRecord(
  temporal: TestTemporal,
  config: StarterConfig,
  apiUrl: string,
  start: (segue: SegueClient) => Promise<Job>,
  keep: (run: WorkflowHandle) => Promise<void>,
  reached: (stage: string | undefined, job: Job) => Promise<boolean> | boolean,
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

/** Keeps the run of the request, or of the job that reports to it. */
function requesting(
  workflow: string,
  inputOf: (spec: object) => object,
  kept: 'request' | 'job' = 'request',
): Scenario {
  return async (temporal, keep) => {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
    const config = testConfig();
    const spec = mediaJob(sandbox.url);
    await withWorker(temporal, config, sandbox.url, async () => {
      const run = await temporal.client.workflow.start(workflow, {
        workflowId: `recorded-${randomUUID()}`,
        taskQueue: config.taskQueue,
        args: [inputOf({ ...spec, poll: config.poll })],
      });
      await run.result();
      const jobId = mediaWorkflowId(spec.key ?? '');
      await keep(kept === 'request' ? run : temporal.client.workflow.getHandle(jobId));
    });
    await sandbox.stop();
  };
}

export const scenarios: Record<string, Scenario> = {
  async 'media-succeeded'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 3 } });
    const image = `${sandbox.url}/samples/shoe.png`;
    await runJob(temporal, testConfig(), sandbox.url, image, keep, (stage) => stage === 'succeeded');
    await sandbox.stop();
  },

  'media-request': requesting(MEDIA_REQUEST_WORKFLOW, (spec) => spec),
  'media-reporting-to-its-request': requesting(MEDIA_REQUEST_WORKFLOW, (spec) => spec, 'job'),
  'run-request': requesting(RUN_REQUEST_WORKFLOW, (spec) => ({ kind: 'media', spec })),

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

  async 'media-adopted'(temporal, keep) {
    await runHeld(temporal, keep, 'after', async (job, sandboxUrl) => {
      const { entries } = await readLedger(sandboxUrl);
      const taskId = entries.find(({ kind }) => kind === 'submit')?.taskId ?? '';
      await job.resolve({ action: 'adopt', taskId, by: 'sam', reason: 'found it' });
    });
  },

  async 'media-late-answer-while-waiting'(temporal, keep) {
    await runHeld(temporal, keep, 'after', async (job, sandboxUrl) => {
      await addFault(sandboxUrl, answering(429, 'remove-background'));
      await eventually('that it can be submitted again', () =>
        job.resolve({ action: 'resubmit', by: 'sam', reason: 'not there' }),
      );
      await eventually('the refusal', async () => (await job.state())?.stage === 'waiting');
      const { entries } = await readLedger(sandboxUrl);
      const taskId = entries.find(({ applied }) => applied)?.taskId ?? '';
      const run = temporal.client.workflow.getHandle(job.workflowId);
      await run.signal(acceptedSignal, { hold: `${job.runId}/1`, taskId });
    });
  },

  async 'media-resubmitted'(temporal, keep) {
    await runHeld(temporal, keep, 'before', async (job) => {
      await eventually('that it can be submitted again', () =>
        job.resolve({ action: 'resubmit', by: 'sam', reason: 'not there' }),
      );
    });
  },

  async 'media-abandoned'(temporal, keep) {
    await runHeld(temporal, keep, 'before', async (job) => {
      await job.resolve({ action: 'abandon', by: 'sam', reason: 'not needed' });
    });
  },

  async 'media-written-and-told'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
    const write = { project: await seedProject(sandbox.url), at: '/media/shoe' };
    const notify = { userId: '1', workspaceId: WORKSPACE };
    const config = testConfig({ organization: WORKSPACE });
    const start = (segue: SegueClient): Promise<Job> =>
      segue.media.start({ ...mediaJob(sandbox.url), write, notify });
    await runRecord(temporal, config, sandbox.url, start, keep, (stage) => stage === 'succeeded');
    await sandbox.stop();
  },

  async 'media-cancelled'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    const write = { project: await seedProject(sandbox.url), at: '/media/shoe' };
    const config = testConfig({ organization: WORKSPACE });
    const start = (segue: SegueClient): Promise<Job> =>
      segue.media.start({ ...mediaJob(sandbox.url), write });
    await runRecord(temporal, config, sandbox.url, start, keep, async (stage, job) => {
      if (stage === 'polling') await job.cancel();
      return stage === 'cancelled';
    });
    await sandbox.stop();
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
};
