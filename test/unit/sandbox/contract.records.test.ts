/** Transcriptions of the sandbox, and records without a published path. */
import { ask, useSandboxEach } from '../../support/service/sandbox';
import { TRANSCRIPTION } from '../../support/service/seeded';

const sandbox = useSandboxEach();

describe('transcriptions', () => {
  const transcription = (n: number) => ask(sandbox.url, `GET /transcription/${TRANSCRIPTION}${n}`);
  const subtitles = (n: number, query = '') =>
    ask(sandbox.url, `GET /transcription/${TRANSCRIPTION}${n}/download_transcription_file${query}`);

  test('P5: the task reports success while the job still runs, and the file is empty until it is DONE', async () => {
    const first = await transcription(7);
    expect(first.json).toMatchObject({ job_status: 'PENDING', task_id: 'transcription-task-1' });
    expect((await ask(sandbox.url, 'GET /tasks/transcription-task-1')).json).toMatchObject({
      status: 'SUCCESS',
    });
    expect(await subtitles(7)).toMatchObject({ status: 200, text: '' });
    expect((await transcription(7)).json.job_status).toBe('DONE');
    expect((await subtitles(7)).text).not.toBe('');
  });

  test('subtitles are SRT unless VTT is asked for, both as players read them', async () => {
    await transcription(7);
    await transcription(7);
    expect((await subtitles(7)).text).toBe(
      '1\n00:00:00,500 --> 00:00:02,750\nWelcome to the spring launch.\n\n' +
        '2\n00:00:03,000 --> 00:00:06,200\nTwo lines,\none of them with <brackets> & an ampersand.\n',
    );
    const vtt = await subtitles(7, '?requested_format=vtt');
    expect(vtt.text).toBe(
      'WEBVTT\n\n00:00:00.500 --> 00:00:02.750\nWelcome to the spring launch.\n\n' +
        '00:00:03.000 --> 00:00:06.200\nTwo lines,\none of them with &lt;brackets&gt; &amp; an ampersand.\n',
    );
    expect(vtt.headers.get('content-type')).toContain('text/plain');
    expect((await subtitles(7, '?requested_format=doc')).status).toBe(400);
  });

  test('can fail, and can wait for the webhook alone', async () => {
    await transcription(8);
    expect((await transcription(8)).json.job_status).toBe('FAILED');
    expect((await subtitles(8)).text).toBe('');
    for (let read = 0; read < 5; read++) expect((await transcription(9)).json.job_status).not.toBe('DONE');
    const id = `${TRANSCRIPTION}9`;
    const told = await ask(sandbox.url, 'POST /_sandbox/webhooks', {
      body: { kind: 'transcription', id, job_status: 'DONE' },
    });
    expect(told.status).toBe(200);
    expect((await transcription(9)).json.job_status).toBe('DONE');
    expect((await subtitles(9)).text).not.toBe('');
    expect((await ask(sandbox.url, 'GET /transcription/none')).status).toBe(404);
  });
});

describe('records without a published path', () => {
  test.each([
    ['assets/asset-1', 'status', [1, 4, 4]],
    ['assets/asset-2', 'status', [1, 3, 3]],
    ['runs/run-1', 'status', ['RUNNING', 'PAUSED', 'COMPLETED', 'COMPLETED']],
    ['videos/video-1', 'job_status', ['QUEUED', 'RENDERING', 'DONE', 'DONE']],
  ])('%s goes through its statuses', async (record, field, statuses) => {
    for (const status of statuses) {
      expect((await ask(sandbox.url, `GET /sandbox/${record}`)).json[field]).toBe(status);
    }
    expect((await ask(sandbox.url, `GET /sandbox/${record}x`)).status).toBe(404);
  });
});
