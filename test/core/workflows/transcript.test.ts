/** The transcript workflow on a real Temporal server, against the sandbox over real sockets; its ledger is the judge. */
import { randomUUID } from 'node:crypto';
import { type TranscriptResult, type TranscriptState } from '../../../src/contract';
import { InvalidInput, KeyReused } from '../../../src/errors';
import { transcriptWorkflowId } from '../../../src/contract/ids';
import { asReport, OWN_START } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { seedTranscription, SRT, tellWebhook } from '../../support/service/records';
import { ask, readLedger, useSandbox } from '../../support/service/sandbox';
import { startSmallService } from '../../support/service/smallService';
import { segueClient, testConfig, useTemporal, useWorker, withWorker } from '../../support/servers/temporal';
import { KEPT, readProject, seedProject, WORKSPACE } from '../../support/builders/writing';

const temporal = useTemporal();

/** What is not asked at once is not asked while a test runs. */
const SELDOM = { min: '1h', max: '1h', deadline: '2h' };

/** Called at the top of a `describe`: a sandbox with a worker of its own. */
function useTranscripts({ etags = true } = {}) {
  const sandbox = useSandbox({ pace: { kind: 'polls', polls: 3 }, etags });
  const config = testConfig({ organization: WORKSPACE });
  useWorker(temporal, config, sandbox, { operator: { userId: '2', workspaceId: '2' } });
  return { sandbox, config, transcripts: () => segueClient(temporal, config).transcripts };
}

function resultOf(key: string): Promise<TranscriptResult> {
  return temporal.client.workflow.getHandle(transcriptWorkflowId(key)).result() as Promise<TranscriptResult>;
}

describe('a transcript', () => {
  const { sandbox, config, transcripts } = useTranscripts();

  test('P5: is polled until its own status is DONE, whatever its task says, and then downloaded', async () => {
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const job = await transcripts().start({ transcriptionId });
    await eventually('some polls', async () => ((await job.state())?.polls ?? 0) > 5);
    const task = await ask(sandbox.url, `GET /tasks/task-of-${transcriptionId}`);
    expect(task.json).toMatchObject({ status: 'SUCCESS' });
    expect(await job.state()).toMatchObject({ stage: 'polling', jobStatus: 'PROCESSING', hold: null });

    await tellWebhook(sandbox.url, transcriptionId, 'DONE');
    const report = await job.wait();
    expect(report).toMatchObject({
      workflowId: `transcript/${transcriptionId}`,
      key: transcriptionId,
      status: 'succeeded',
      info: { transcriptionId, format: 'srt', text: SRT, empty: false },
    });
    const result = await resultOf(transcriptionId);
    expect(result).toEqual({
      key: transcriptionId,
      status: 'succeeded',
      transcriptionId,
      format: 'srt',
      text: SRT,
      polls: expect.any(Number),
      finishedAt: expect.any(String),
      written: null,
      notified: null,
    });
  });

  test('is asked for at once: what was done before needs no pause', async () => {
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'instant' });
    const report = await transcripts().run({ transcriptionId, format: 'vtt', poll: SELDOM });
    expect(report.info).toMatchObject({ format: 'vtt', text: expect.stringContaining('WEBVTT') });
    expect(await resultOf(transcriptionId)).toMatchObject({ polls: 2 });
  });

  test('P5: made-up statuses are "still running", and stand in the state', async () => {
    const transcriptionId = randomUUID();
    const statuses = ['SUCCESS', 'done', 'COMPLETED', 'DONE_SOON', ''];
    let status: string | undefined;
    const record = `GET /api/v1/transcription/${transcriptionId}`;
    const service = await startSmallService({
      [record]: () => ({ body: { job_status: status, task_id: 't' } }),
      [`${record}/download_transcription_file`]: { text: SRT },
    });
    const own = testConfig();
    await withWorker(temporal, own, service.url, async () => {
      // Another language started it, with null for what it leaves out.
      await temporal.client.workflow.start('transcript', {
        ...{ memo: OWN_START, workflowId: transcriptWorkflowId(transcriptionId), taskQueue: own.taskQueue },
        args: [
          { key: transcriptionId, transcriptionId, format: null, write: null, notify: null, poll: own.poll },
        ],
      });
      const job = await segueClient(temporal, own).transcripts.start({ transcriptionId });
      for (status of statuses) {
        const seen = (state: TranscriptState | undefined): boolean => state?.jobStatus === status;
        await eventually(`the status "${status}"`, async () => seen(await job.state()));
        expect(await job.state()).toMatchObject({ stage: 'polling', jobStatus: status });
      }
      status = 'DONE';
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    });
    await service.stop();
  });

  test('the same key gives the same run back; another format under it is refused', async () => {
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'instant' });
    const [first, second] = await Promise.all([
      transcripts().start({ transcriptionId }),
      transcripts().start({ transcriptionId, format: 'srt' }),
    ]);
    expect(first.runId).toBe(second.runId);
    expect(await first.wait()).toMatchObject({ status: 'succeeded' });
    expect(await transcripts().run({ transcriptionId })).toMatchObject({
      runId: first.runId,
      existing: true,
    });
    await expect(transcripts().start({ transcriptionId, format: 'vtt' })).rejects.toThrow(KeyReused);
    const other = await transcripts().run({ transcriptionId, format: 'vtt', key: `vtt-${transcriptionId}` });
    expect(other).toMatchObject({ status: 'succeeded', existing: false });
  });

  test('wrong input starts nothing and names every problem', async () => {
    const spec = {
      transcriptionId: 'no-uuid',
      format: 'txt' as never,
      key: 'a/b',
      write: { project: { resourcetype: '', id: '7' }, at: 'media' },
      notify: { userId: '', workspaceId: '1' },
      poll: { min: '5' },
    };
    const error: unknown = await transcripts()
      .start(spec)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidInput);
    expect((error as InvalidInput).problems).toHaveLength(7);
    await expect(transcripts().get('a/b')).rejects.toThrow('There is no run transcript/a/b');
  });

  test('other languages: a run with wrong input, or under an id that is not its own, ends at once', async () => {
    const run = (workflowId: string, input: unknown): Promise<unknown> =>
      temporal.client.workflow
        .execute('transcript', { workflowId, taskQueue: config.taskQueue, args: [input] })
        .catch((error: unknown) => error);
    const key = randomUUID();
    expect(await run(`transcript/${key}`, { key, transcriptionId: 'x', format: 'txt' })).toMatchObject({
      cause: { type: 'BadInput', message: expect.stringMatching(/transcriptionId: .*; format: /) },
    });
    expect(await run(`other-${key}`, { key, transcriptionId: key })).toMatchObject({
      cause: { type: 'UnsafeStart', message: expect.stringContaining(`its key gives transcript/${key}`) },
    });
  });
});

describe.each([true, false])('a transcript that is written, with ETags: %s', (etags) => {
  const { sandbox, transcripts } = useTranscripts({ etags });

  test('P3 P4: its text is written to the project, its user told once, and what was there is kept', async () => {
    const project = await seedProject(sandbox.url);
    const transcriptionId = await seedTranscription(sandbox.url);
    const key = `transcript-${randomUUID()}`;
    const report = await transcripts().run({
      ...{ key, transcriptionId },
      write: { project, at: '/subtitles/launch' },
      notify: { userId: '1', workspaceId: WORKSPACE },
    });
    expect(report).toMatchObject({
      status: 'succeeded',
      info: { written: { ok: true }, notified: { status: 'sent' } },
    });
    const { finishedAt } = await resultOf(key);
    expect((await readProject(sandbox.url, project)).data).toEqual({
      ...KEPT,
      subtitles: { launch: { key, transcriptionId, format: 'srt', text: SRT, finishedAt } },
    });
    const { notifications } = (await ask(sandbox.url, 'GET /_sandbox/notifications')).json as {
      notifications: { request: Record<string, unknown>; remarks: string[] }[];
    };
    const told = notifications.filter(({ request }) => JSON.stringify(request).includes(key));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      remarks: [],
      request: {
        category: 'agentTaskCompleted',
        title: 'Your transcript is done',
        _extra: { event_type: 'transcript.completed', job_key: key, transcription_id: transcriptionId },
      },
    });
    const { summary, entries } = await readLedger(sandbox.url);
    expect(summary).toMatchObject({ duplicateNotifications: 0, lostKeys: 0 });
    expect(entries.map(({ requestId }) => requestId)).toContain(`transcript/${key}.notify.completed`);
  });

  test("P2: a transcript that the service ends as FAILED fails with the service's record, in the project and by notification", async () => {
    const project = await seedProject(sandbox.url);
    const transcriptionId = await seedTranscription(sandbox.url, { outcome: 'FAILED' });
    const spec = { transcriptionId, write: { project, at: '/subtitles' } };
    const notify = { userId: '1', workspaceId: WORKSPACE };
    const report = await transcripts()
      .run({ ...spec, notify })
      .catch(asReport);
    expect(report).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`transcription ${transcriptionId}`),
      info: { id: transcriptionId, job_status: 'FAILED' },
    });
    expect((await readProject(sandbox.url, project)).data).toMatchObject({
      subtitles: { transcriptionId, status: 'failed', error: expect.stringContaining('FAILED') },
    });
    const { entries } = await readLedger(sandbox.url);
    expect(
      entries.filter(({ requestId }) => requestId?.startsWith(`transcript/${transcriptionId}.notify`)),
    ).toEqual([
      expect.objectContaining({ requestId: `transcript/${transcriptionId}.notify.failed`, applied: true }),
    ]);
  });

  test('P4: a cancelled one stops asking, and the project knows which transcription goes on', async () => {
    const project = await seedProject(sandbox.url);
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const job = await transcripts().start({
      transcriptionId,
      write: { project, at: '/subtitles' },
    });
    await eventually('a poll', async () => ((await job.state())?.polls ?? 0) > 0);
    await job.cancel();
    expect(await job.wait()).toMatchObject({ status: 'cancelled' });
    expect((await readProject(sandbox.url, project)).data).toMatchObject({
      subtitles: { transcriptionId, status: 'cancelled' },
    });
  });
});

describe('a transcript that takes too long', () => {
  const { sandbox, transcripts } = useTranscripts();

  test('P2: is overdue, says so once to operator and user, and a person can only abandon it', async () => {
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const job = await transcripts().start({
      transcriptionId,
      poll: { deadline: '1s' },
      notify: { userId: '1', workspaceId: WORKSPACE },
    });
    await eventually('the deadline', async () => (await job.state())?.stage === 'overdue');
    expect(await job.state()).toMatchObject({
      hold: { why: 'overdue', actions: ['abandon'], resubmitAfter: null },
      // A busy machine polls once before the deadline.
      jobStatus: expect.stringMatching(/^(PENDING|PROCESSING)$/),
    });
    const { polls } = await job.pollNow();
    expect(await job.pollNow()).toMatchObject({ stage: 'overdue', polls: polls + 1 });
    const by = { by: 'sam', reason: 'not needed' };
    await expect(job.resolve({ action: 'adopt', taskId: 't', ...by })).rejects.toThrow(
      'action: must be abandon',
    );
    const details = temporal.client.workflow.getHandle(job.workflowId);
    expect(await details.query('__temporal_workflow_metadata')).toMatchObject({
      currentDetails: expect.stringMatching(/Needs a person[^]*segue resolve transcript\/\S+ --abandon/),
    });
    expect(await job.resolve({ action: 'abandon', ...by })).toMatchObject({ applied: true });
    expect(await job.wait()).toMatchObject({
      status: 'abandoned',
      error: `Transcript ${transcriptionId} was abandoned by sam: not needed`,
    });
    const { entries, summary } = await readLedger(sandbox.url);
    const alarms = entries
      .map(({ requestId }) => requestId ?? '')
      .filter((id) => id.includes(`${transcriptionId}.notify.overdue`));
    expect(alarms.sort()).toEqual([
      `transcript/${transcriptionId}.notify.overdue-1`,
      `transcript/${transcriptionId}.notify.overdue-1.operator`,
    ]);
    expect(summary).toMatchObject({ duplicateNotifications: 0 });
  });

  test('pollNow answers although that very poll ends the run', async () => {
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const job = await transcripts().start({ transcriptionId, poll: SELDOM });
    await eventually(
      'the first pause',
      async () => (await job.state())?.nextPollAt !== null && (await job.state())?.polls === 1,
    );
    await tellWebhook(sandbox.url, transcriptionId, 'DONE');
    expect(await job.pollNow()).toMatchObject({ jobStatus: 'DONE' });
    expect(await job.wait()).toMatchObject({ status: 'succeeded' });
  });
});
