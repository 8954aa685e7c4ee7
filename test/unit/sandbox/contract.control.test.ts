/** What stands beside the service: reset, seed, ledger; and requests that fit nothing. */
import { ask, useSandboxEach } from '../../support/service/sandbox';
import { CAMPAIGN, NOTICE, TRANSCRIPTION } from '../../support/service/seeded';

const sandbox = useSandboxEach();

const reset = (): Promise<unknown> => ask(sandbox.url, 'POST /_sandbox/reset');

describe('beside the service', () => {
  test('a reset goes back to the seed: tasks, projects, notifications, faults and ledger', async () => {
    await ask(sandbox.url, `PATCH ${CAMPAIGN}`, { body: { data: {} } });
    await ask(sandbox.url, 'POST /service/agent/notify', { body: NOTICE });
    await reset();
    expect((await ask(sandbox.url, `GET ${CAMPAIGN}`)).json.data).toMatchObject({ owner: 'Sam' });
    expect((await ask(sandbox.url, 'GET /_sandbox/notifications')).json.notifications).toEqual([]);
    expect((await ask(sandbox.url, 'GET /_sandbox/ledger')).json.summary).toMatchObject({
      patches: 0,
      notifications: 0,
    });
  });

  test('a seed adds to what is there, and one with problems is refused whole', async () => {
    const projects = [{ resourcetype: 'campaign', id: 'new', workspace: 1, data: { a: 1 } }];
    expect((await ask(sandbox.url, 'POST /_sandbox/seed', { body: { projects } })).status).toBe(200);
    expect((await ask(sandbox.url, 'GET /projects/campaign/new')).json.data).toEqual({ a: 1 });
    expect((await ask(sandbox.url, `GET ${CAMPAIGN}`)).status).toBe(200);
    const bad = { projects: [{ id: 1, workspace: 7 }], voices: [{ id: 'x' }], assets: 5 };
    const refused = await ask(sandbox.url, 'POST /_sandbox/seed', { body: bad });
    expect(refused.status).toBe(400);
    expect((refused.json.errors as string[]).length).toBeGreaterThanOrEqual(4);
    const foreign = [...projects, ...projects, { resourcetype: 'a', id: 'b', workspace: 7 }];
    expect(
      (await ask(sandbox.url, 'POST /_sandbox/seed', { body: { projects: foreign } })).json.errors,
    ).toEqual(['projects.1: has the id of an earlier one', 'projects.2: there is no workspace 7']);
  });

  test('a record is found by its UUID in any spelling, in the seed and in the request', async () => {
    const id = 'ABCDEF00-2222-4333-8444-555566667777';
    const voices = [{ id, workspace: 1, voice_name: 'Loud', gender: 0 }];
    const boards = [{ id, slug: 'loud', workspace: 1, name: 'Loud', creator: 1, modifier: 1 }];
    const transcriptions = [{ id, workspace: 1, task_id: 't' }];
    await ask(sandbox.url, 'POST /_sandbox/seed', { body: { voices, boards, transcriptions } });
    for (const spelling of [id, id.toLowerCase()]) {
      for (const path of ['voices', 'pm/boards', 'transcription']) {
        expect([path, (await ask(sandbox.url, `GET /${path}/${spelling}`)).status]).toEqual([path, 200]);
      }
    }
    const webhook = { kind: 'transcription', id, job_status: 'ALIGNING' };
    expect((await ask(sandbox.url, 'POST /_sandbox/webhooks', { body: webhook })).status).toBe(200);
    expect((await ask(sandbox.url, `GET /transcription/${id}`)).json.job_status).toBe('ALIGNING');
    const { json } = await ask(sandbox.url, 'POST /_sandbox/seed', {
      body: { voices: [...voices, { ...voices[0], id: id.toLowerCase() }] },
    });
    expect(json.errors).toEqual(['voices.1: has the id of an earlier one']);
  });

  test('what is seeded again begins anew, and its ETag is one that nobody holds', async () => {
    const id = `${TRANSCRIPTION}7`;
    const transcriptions = [{ id, workspace: 1, task_id: 't', pace: 'polls=2' }];
    const projects = [{ resourcetype: 'document', id: 17, workspace: 1 }];
    const assets = [{ id: 'asset-1', workspace: 1, statuses: [1, 4] }];
    const statuses = async (): Promise<unknown[]> => [
      (await ask(sandbox.url, `GET /transcription/${id}`)).json.job_status,
      (await ask(sandbox.url, 'GET /sandbox/assets/asset-1')).json.status,
    ];
    const etag = async (): Promise<unknown> =>
      (await ask(sandbox.url, 'GET /projects/document/17')).headers.get('etag');
    const before = await etag();
    expect([await statuses(), await statuses()]).toEqual([
      ['PENDING', 1],
      ['DONE', 4],
    ]);
    await ask(sandbox.url, 'POST /_sandbox/seed', { body: { transcriptions, projects, assets } });
    expect(await statuses()).toEqual(['PENDING', 1]);
    expect(await etag()).not.toBe(before);
  });

  test('a seeded key may notify only where the seed says so', async () => {
    const keys = [{ key: 'quiet', user: 1, workspaces: [1], notify: false }];
    await ask(sandbox.url, 'POST /_sandbox/seed', { body: { keys } });
    expect(
      (await ask(sandbox.url, 'POST /service/agent/notify', { key: 'quiet', body: NOTICE })).status,
    ).toBe(403);
  });

  test('P1: a duplicate is a second submission of one job, whatever its key looks like', async () => {
    const submit = (requestId: string) =>
      ask(sandbox.url, 'POST /tools/remove-background', {
        body: { image_url: 'data:,x' },
        headers: { 'x-request-id': requestId },
      });
    for (const id of ['a.submit.b.submit.1', 'a.submit.c.submit.1', 'a.submit.1', 'b.submit.1'])
      await submit(id);
    const duplicates = async (): Promise<unknown> =>
      (await ask(sandbox.url, 'GET /_sandbox/ledger')).json.summary;
    expect(await duplicates()).toMatchObject({ submissions: 4, duplicates: 0 });
    await submit('a.submit.b.submit.2');
    expect(await duplicates()).toMatchObject({ submissions: 5, duplicates: 1 });
  });

  test('subtitles with blank lines and arrows in them stay one cue', async () => {
    const id = `${TRANSCRIPTION}7`;
    const cues = [
      { start: 0, end: 1, text: 'One\n\n2 --> 3\r\n ' },
      { start: 1, end: 2, text: ' ' },
    ];
    const transcriptions = [{ id, workspace: 1, task_id: 't', pace: 'instant', cues }];
    await ask(sandbox.url, 'POST /_sandbox/seed', { body: { transcriptions } });
    await ask(sandbox.url, `GET /transcription/${id}`);
    const file = await ask(sandbox.url, `GET /transcription/${id}/download_transcription_file`);
    expect(file.text).toBe(
      '1\n00:00:00,000 --> 00:00:01,000\nOne\n2 -> 3\n\n2\n00:00:01,000 --> 00:00:02,000\n…\n',
    );
  });

  test('drafts are sorted by moments, however their times are written', async () => {
    const draft = { workspace: 1, account_id: 'zoned', content: '', updated_at: '2026-03-01T00:00:00Z' };
    const drafts = [
      { ...draft, id: 'later', created_at: '2026-03-01T08:00:00-05:00' },
      { ...draft, id: 'earlier', created_at: '2026-03-01T12:00:00Z' },
    ];
    await ask(sandbox.url, 'POST /_sandbox/seed', { body: { drafts } });
    const { json } = await ask(sandbox.url, 'GET /service/social-media/get-drafts?account_ids=zoned');
    expect(json.drafts).toMatchObject([{ id: 'later' }, { id: 'earlier' }]);
  });

  test('wrong methods and paths are told apart from missing things', async () => {
    const wrong = await ask(sandbox.url, 'DELETE /workspaces/current');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET');
    expect((await ask(sandbox.url, 'GET /nothing/here')).status).toBe(404);
  });

  test('a body that is not JSON is 400, one of another type 415', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await ask(sandbox.url, `PATCH ${CAMPAIGN}`, { body: {}, headers })).status).toBe(415);
    const response = await fetch(`${sandbox.url}/api/v1${CAMPAIGN}`, {
      method: 'PATCH',
      body: '{',
      headers: { 'content-type': 'application/json', authorization: 'Api-Key sandbox-key' },
    });
    expect(response.status).toBe(400);
  });
});
