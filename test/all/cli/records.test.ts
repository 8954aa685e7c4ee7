/** `segue transcript` and `segue wait`, as a person types them. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { useCommandLine } from '../../support/servers/commandLine';
import { eventually } from '../../support/eventually';
import {
  SANDBOX_PLACES,
  seedRecord,
  seedTranscription,
  SRT,
  tellWebhook,
} from '../../support/service/records';
import { readLedger } from '../../support/service/sandbox';
import { segue } from '../../support/servers/segueCommand';
import { SegueProcess } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { startSmallService } from '../../support/service/smallService';
import { startOwnDevServer, testConfig, withWorker } from '../../support/servers/temporal';
import { KEPT, readProject, seedProject, WORKSPACE } from '../../support/builders/writing';

// The list of what needs a person shows a whole namespace, and what other files left in it would be asked one by one.
const { temporal, sandbox, settings } = useCommandLine({
  openTemporal: startOwnDevServer,
  layout: SANDBOX_PLACES,
});

describe.each([true, false])('segue transcript that writes, with ETags: %s', (etags) => {
  const { sandbox, settings } = useCommandLine({ etags });

  test('run waits, writes, tells, and puts the subtitles alone on stdout or into a file', async () => {
    const id = await seedTranscription(sandbox.url);
    const project = await seedProject(sandbox.url);
    const file = path.join(await mkdtemp(path.join(shared().scratch, 'out-')), 'launch.srt');
    const write = `${project.resourcetype}/${project.id}:/subtitles/launch`;
    const args = ['transcript', 'run', id, '--write', write, '--notify', `1@${WORKSPACE}`];
    const first = await segue(args, settings);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(`transcript/${id} succeeded`) });
    expect(first.stdout).toBe(SRT.trimEnd());

    const second = await segue([...args, '--json', '--out', file], settings);
    expect(second.stderr).toMatch(/exists: started .* ago, succeeded\. Nobody is notified again/);
    expect(JSON.parse(second.stdout)).toEqual({
      workflowId: `transcript/${id}`,
      runId: expect.any(String),
      key: id,
      status: 'succeeded',
      stage: 'succeeded',
      taskId: null,
      info: {
        ...{ transcriptionId: id, format: 'srt', text: SRT, empty: false },
        ...{ written: { ok: true }, notified: { status: 'sent' } },
      },
      existing: true,
      error: null,
    });
    expect(await readFile(file, 'utf8')).toBe(SRT);
    expect((await readProject(sandbox.url, project)).data).toMatchObject({
      ...KEPT,
      subtitles: { launch: { key: id, text: SRT } },
    });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({
      ...{ notifications: 1, duplicateNotifications: 0, lostKeys: 0 },
    });
  });
});

describe('segue transcript', () => {
  test('start returns at once, follow stops waiting with 5, show tells, cancel is an order; a closed one is over', async () => {
    const id = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const key = `cli-${randomUUID()}`;
    const started = await segue(['transcript', 'start', id, '--key', key, '--format', 'vtt'], settings);
    expect(started).toMatchObject({ code: 0, stdout: `transcript/${key}` });
    expect(started.stderr).toContain(`segue transcript follow ${key}`);
    const stopped = await segue(
      ['transcript', 'follow', started.stdout, '--timeout', '50ms', '--json'],
      settings,
    );
    expect(stopped.code).toBe(5);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ key, status: 'running' });
    expect(stopped.stderr).toContain(`Follow it: segue transcript follow ${key}`);
    const shown = await segue(['transcript', 'show', key, '--json'], settings);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'running', stage: 'polling' });

    const following = new SegueProcess(['transcript', 'follow', key], settings);
    await eventually('its first words', () => following.stderr.join().includes('waiting for'));
    await tellWebhook(sandbox.url, id, 'DONE');
    expect(await following.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining('WEBVTT') });
    const late = await segue(['transcript', 'cancel', key], settings);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('is over already') });

    const other = await seedTranscription(sandbox.url, { pace: 'webhook' });
    await segue(['transcript', 'start', other], settings);
    expect((await segue(['transcript', 'cancel', other], settings)).code).toBe(0);
    expect((await segue(['transcript', 'follow', other], settings)).code).toBe(1);
  });

  test('an overdue transcript is among what needs a person, and is abandoned by command', async () => {
    const id = await seedTranscription(sandbox.url, { pace: 'webhook' });
    const impatient = { ...settings, SEGUE_POLL_DEADLINE: '1s' };
    await segue(['transcript', 'start', id], impatient);
    await eventually('it in the list', async () => {
      const { count } = await temporal.client.workflow.count(
        `WorkflowId = 'transcript/${id}' AND SegueStage = 'overdue'`,
      );
      return count === 1;
    });
    const { stdout: held } = await segue(['held'], settings);
    expect(held).toContain(`transcript/${id} (transcript) overdue`);
    expect(held).toContain(`segue resolve transcript/${id} --abandon`);
    const abandon = ['resolve', `transcript/${id}`, '--abandon', '--reason', 'not needed', '--by', 'Ada'];
    expect(await segue(abandon, settings)).toMatchObject({ code: 0 });
    const followed = await segue(['transcript', 'follow', id, '--json'], settings);
    expect(followed.code).toBe(1);
    expect(JSON.parse(followed.stdout)).toMatchObject({
      ...{ status: 'abandoned', error: expect.stringContaining('by Ada') },
    });
  });

  test('FAILED ends with 1, another format under the same key with 2, an unknown key with 1', async () => {
    const id = await seedTranscription(sandbox.url, { outcome: 'FAILED' });
    const failed = await segue(['transcript', 'run', id, '--json'], settings);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      ...{ status: 'failed', error: expect.stringContaining('FAILED'), info: { job_status: 'FAILED' } },
    });
    expect(await segue(['transcript', 'run', id, '--format', 'vtt'], settings)).toMatchObject({ code: 2 });
    expect(await segue(['transcript', 'show', randomUUID()], settings)).toMatchObject({ code: 1 });
  });

  test('a text over 1 MiB is not written: the command that gets it from the service is named', async () => {
    const id = randomUUID();
    const text = 'A line that is said again.\n'.repeat(50_000);
    const record = `GET /api/v1/transcription/${id}`;
    const service = await startSmallService({
      [record]: { body: { job_status: 'DONE' } },
      [`${record}/download_transcription_file`]: { text },
    });
    const file = path.join(await mkdtemp(path.join(shared().scratch, 'out-')), 'long.srt');
    const own = testConfig();
    const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue };
    await withWorker(temporal, own, service.url, async () => {
      const run = await segue(['transcript', 'run', id], ours);
      expect(run).toMatchObject({ code: 0, stdout: '' });
      expect(run.stderr).toContain(`segue get subtitles ${id} --format srt --out FILE`);
      const refused = await segue(['transcript', 'follow', id, '--out', file], ours);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`segue get subtitles ${id}`),
      });
    });
    await service.stop();
  });
});

describe('segue wait', () => {
  test.each([
    ['an asset that gets done', 'asset', [1, 2, 4], [], 0, 'succeeded'],
    [
      'an asset with a status that was named',
      'asset',
      [1, 3],
      ['--fail-on', '2', '--fail-on', '3'],
      1,
      'failed',
    ],
    ['a run that was paused', 'run', ['PAUSED', 'COMPLETED'], [], 0, 'succeeded'],
    ['a video that failed', 'video', ['RENDERING', 'FAILED'], [], 1, 'failed'],
    [
      'a run that goes on',
      'run',
      ['PAUSED'],
      ['--timeout', '50ms', '--organization', WORKSPACE],
      5,
      'running',
    ],
  ] as const)('%s', async (_case, kind, statuses, flags, code, status) => {
    const id = await seedRecord(sandbox.url, kind, [...statuses]);
    const waited = await segue(['wait', kind, id, ...flags, '--json'], settings);
    expect(waited.code).toBe(code);
    expect(JSON.parse(waited.stdout)).toMatchObject({
      ...{ workflowId: `record/${kind}~${id}`, key: `${kind}~${id}`, status, taskId: null },
    });
    if (status === 'running') expect(waited.stderr).toContain('Follow it: the same command again');
  });

  test('a path that the worker does not know ends with 1 and names the setting', async () => {
    const own = testConfig();
    await withWorker(temporal, own, sandbox.url, async () => {
      const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue };
      const waited = await segue(['wait', 'video', randomUUID()], ours);
      expect(waited).toMatchObject({ code: 1, stdout: expect.stringContaining('set SEGUE_VIDEO_PATH') });
    });
  });
});

describe('bad input', () => {
  const id = randomUUID();
  test.each([
    [
      'an id that is none',
      ['transcript', 'run', 'x', '--format', 'txt'],
      /UUID[^]*format: must be srt or vtt/,
    ],
    [
      'a target without a pointer',
      ['transcript', 'run', id, '--write', 'campaign/7'],
      /TYPE\/ID:\/json\/pointer/,
    ],
    ['a user without a workspace', ['transcript', 'run', id, '--notify', 'sam'], /USER@WORKSPACE/],
    ['a kind that is none', ['wait', 'song', 'x'], /song/],
    ['done as a failure', ['wait', 'asset', 'x', '--fail-on', '4'], /4 is the status of what is done/],
    ['a bare number', ['wait', 'asset', 'x', '--timeout', '5'], /a number with a unit/],
    ['no transcript', ['transcript', 'show', 'media/x'], /neither a key nor the id of a transcript/],
    [
      'several things at once',
      ['wait', 'asset', '', '--timeout', '5', '--fail-on', '4'],
      /--timeout: "5"[^]*id: must be an id[^]*4 is the status/,
    ],
    [
      'several things of a transcript',
      ['transcript', 'run', 'x', '--timeout', '5', '--write', 'campaign/7'],
      /--timeout: "5"[^]*TYPE\/ID:\/json\/pointer[^]*UUID/,
    ],
    [
      'several things of a project',
      ['project', 'patch', 'campaign', '', '--timeout', '5'],
      /--timeout: "5"[^]*id: must be an id/,
    ],
  ])('%s ends with 2 before anything starts', async (_case, args, message) => {
    // Nobody is there to be asked.
    const { code, stderr, stdout } = await segue(args, { ...settings, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
