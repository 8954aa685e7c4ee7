/** Every operation of the API's document, and every error that it names. */
import { SANDBOX_KEY_NO_NOTIFY } from '../../src/sandbox/keys';
import { operations } from '../../src/sandbox/operations';
import { type Sandbox, startSandbox } from '../../src/sandbox/server';
import { ask } from '../support/sandbox';

const VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e0';
const BOARD = 'c0a80101-0000-4000-8000-000000000001';
const CAMPAIGN = '/projects/campaign/c1a4d5e0-1111-4222-8333-444455556666';
const TRANSCRIPTION = '5f0c8d7e-2222-4333-8444-55556666777';
const NOTICE = {
  userId: 'u-1',
  workspaceId: '1',
  title: 'Done',
  message: 'The banner is there.',
  category: 'agentTaskCompleted',
};

let sandbox: Sandbox;
let url: string;

beforeEach(async () => {
  sandbox = await startSandbox();
  ({ url } = sandbox);
});
afterEach(() => sandbox.stop());

const reset = (): Promise<unknown> => ask(url, 'POST /_sandbox/reset');

describe('who may ask', () => {
  test('every operation answers 401 without a credential, with a wrong one and with another scheme', async () => {
    for (const { method, url: path } of operations) {
      const line = `${method} ${path.replace('/api/v1', '').replace(/\{\w+\}/g, 'x')}`;
      const body = method === 'GET' ? undefined : {};
      for (const authorization of [undefined, 'Api-Key wrong', 'Basic sandbox-key']) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const { status, json } = await ask(url, line, { key: null, headers, body });
        expect([line, status]).toEqual([line, 401]);
        expect(json.detail).toBe('missing or invalid credential');
      }
    }
    const { json } = await ask(url, 'GET /_sandbox/ledger');
    expect(json.entries).toHaveLength(operations.length * 3);
    expect(json.summary).toMatchObject({ submissions: 0, patches: 0, notifications: 0 });
  });

  test('takes an API key and a bearer token', async () => {
    for (const authorization of ['Api-Key sandbox-key', 'Bearer sandbox-key']) {
      const { status } = await ask(url, 'GET /workspaces/current', { key: null, headers: { authorization } });
      expect(status).toBe(200);
    }
  });

  test('a key without the permission cannot notify, and can do everything else', async () => {
    const key = SANDBOX_KEY_NO_NOTIFY;
    expect((await ask(url, 'POST /service/agent/notify', { key, body: NOTICE })).status).toBe(403);
    expect((await ask(url, 'GET /workspaces/current', { key })).status).toBe(200);
    expect((await ask(url, 'GET /_sandbox/notifications')).json.notifications).toEqual([]);
  });
});

describe('workspace context', () => {
  test('is that of the credential, with active spaces only', async () => {
    const { json } = await ask(url, 'GET /workspaces/current');
    expect(json).toMatchObject({
      user: { id: 1, first_name: 'Sam' },
      workspace: {
        id: 1,
        name: 'Sandbox',
        is_active: true,
        settings: { timezone: 'Europe/Berlin', start_of_week: 'mo' },
      },
      teamspaces: [{ id: 11 }, { id: 12 }],
    });
    expect((await ask(url, 'GET /workspaces/current', { key: 'other-key' })).json).toMatchObject({
      user: { id: 2 },
      workspace: { id: 2 },
    });
  });

  test('is that of the Organization header, among those that the key can reach', async () => {
    const inOrganization = (Organization: string, key?: string) =>
      ask(url, 'GET /workspaces/current', { headers: { Organization }, key });
    expect((await inOrganization('2')).json).toMatchObject({ workspace: { id: 2 } });
    expect((await inOrganization('3')).json).toMatchObject({ workspace: { is_active: false } });
    expect((await inOrganization('99')).status).toBe(404);
    expect((await inOrganization('1', 'other-key')).status).toBe(404);
  });
});

describe('projects', () => {
  test('keep whole data, replace it on PATCH, and leave alone what a PATCH does not name', async () => {
    const before = await ask(url, `GET ${CAMPAIGN}`);
    expect(before.json).toMatchObject({ title: 'Spring launch', data: { owner: 'Sam', brief: {} } });
    const patch = await ask(url, `PATCH ${CAMPAIGN}`, { body: { data: { only: { this: null } } } });
    expect(patch.status).toBe(200);
    const after = await ask(url, `GET ${CAMPAIGN}`);
    expect(after.json).toEqual({ ...before.json, data: { only: { this: null } } });
    await ask(url, `PATCH ${CAMPAIGN}`, { body: { title: 'T', description: 'D', primary_type: 'P' } });
    expect((await ask(url, `GET ${CAMPAIGN}`)).json).toEqual({
      ...after.json,
      title: 'T',
      description: 'D',
      primary_type: 'P',
    });
    expect((await ask(url, `PATCH ${CAMPAIGN}`, { body: {} })).status).toBe(200);
  });

  test('the ledger names the keys that a PATCH dropped, at any depth, and no others', async () => {
    const data = { brief: { tone: null, more: [] }, added: 1 };
    await ask(url, `PATCH ${CAMPAIGN}`, { body: { data } });
    const ledger = await ask(url, 'GET /_sandbox/ledger?operation=update-project');
    expect(ledger.json.entries).toMatchObject([{ lostKeys: ['/owner', '/brief/audience'] }]);
    expect(ledger.json.summary).toMatchObject({ patches: 1, lostKeys: 2 });
  });

  test('give an ETag and refuse a PATCH for another version, which changes nothing', async () => {
    const etag = (await ask(url, `GET ${CAMPAIGN}`)).headers.get('etag') ?? '';
    const patch = (match: string, data: unknown) =>
      ask(url, `PATCH ${CAMPAIGN}`, { body: { data }, headers: { 'If-Match': match } });
    const [first, second] = await Promise.all([patch(etag, { by: 1 }), patch(etag, { by: 2 })]);
    expect([first.status, second.status].sort()).toEqual([200, 412]);
    const winner = first.status === 200 ? first : second;
    const read = await ask(url, `GET ${CAMPAIGN}`);
    expect(read.json.data).toEqual(winner.json.data);
    expect(read.headers.get('etag')).toBe(winner.headers.get('etag'));
    expect((await patch('*', {})).status).toBe(200);
    expect((await patch(`"0", ${etag}`, {})).status).toBe(412);
    expect((await ask(url, 'GET /_sandbox/ledger')).json.summary).toMatchObject({ patches: 2 });
  });

  test('have neither where that is switched off', async () => {
    const plain = await startSandbox({ etags: false });
    try {
      const { headers } = await ask(plain.url, `GET ${CAMPAIGN}`);
      expect(headers.get('etag')).toBeNull();
      const patch = { body: { data: {} }, headers: { 'If-Match': '"0"' } };
      expect((await ask(plain.url, `PATCH ${CAMPAIGN}`, patch)).status).toBe(200);
    } finally {
      await plain.stop();
    }
  });

  test('are read without data where they have none', async () => {
    expect((await ask(url, 'GET /projects/document/18')).json).not.toHaveProperty('data');
  });

  test.each([
    ['400', CAMPAIGN, { title: 1, data: [], unknown: true }, 400],
    ['404 of nothing', '/projects/campaign/none', {}, 404],
    ['404 of another type', '/projects/document/c1a4d5e0-1111-4222-8333-444455556666', {}, 404],
    ['404 of another workspace', '/projects/campaign/99', {}, 404],
  ])('answer %s', async (_case, path, body, status) => {
    const answer = await ask(url, `PATCH ${path}`, { body });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json.errors).toHaveLength(3);
  });
});

describe('voices', () => {
  const voice = (n: number, headers?: Record<string, string>) =>
    ask(url, `GET /voices/${VOICE}${n}`, { headers });

  test('of this workspace and those published to all are told', async () => {
    expect((await voice(1)).json).toEqual({
      id: `${VOICE}1`,
      voice_name: 'Mara',
      gender: 1,
      is_premium: true,
      description: 'Calm, for explainers.',
      supports_instructions: true,
    });
    expect((await voice(2)).status).toBe(200);
    expect((await voice(2, { Organization: '2' })).status).toBe(200);
  });

  test('of another workspace, of another space, and that are not there are 404', async () => {
    expect((await voice(3)).status).toBe(404);
    expect((await voice(3, { Organization: '2' })).status).toBe(200);
    expect((await voice(4, { Space: '12' })).status).toBe(200);
    expect((await voice(4, { Space: '11' })).status).toBe(404);
    expect((await voice(1, { Space: '13' })).status).toBe(404);
    expect((await voice(9)).status).toBe(404);
    expect((await ask(url, 'GET /voices/no-uuid')).status).toBe(404);
  });
});

describe('boards', () => {
  test('are found by UUID and by slug', async () => {
    const byId = await ask(url, `GET /pm/boards/${BOARD}`);
    expect(byId.json).toEqual({ id: BOARD, slug: 'launch-board', name: 'Launch', creator: 1, modifier: 2 });
    expect((await ask(url, 'GET /pm/boards/launch-board')).json).toEqual(byId.json);
    expect((await ask(url, 'GET /pm/boards/none')).status).toBe(404);
    const elsewhere = { headers: { Organization: '2' } };
    expect((await ask(url, 'GET /pm/boards/launch-board', elsewhere)).status).toBe(404);
    expect((await ask(url, 'GET /pm/boards/brand-board', { headers: { Space: '11' } })).status).toBe(404);
  });

  test('expand what is asked for, and nothing else', async () => {
    const statuses = await ask(url, 'GET /pm/boards/launch-board?expand=statuses');
    expect(statuses.json).toMatchObject({ creator: 1, statuses: [{ name: 'To do' }, {}, {}] });
    const people = await ask(url, 'GET /pm/boards/launch-board?expand=creator,modifier');
    expect(people.json).toMatchObject({ creator: { first_name: 'Sam' }, modifier: { first_name: 'Olga' } });
    expect(people.json).not.toHaveProperty('statuses');
    const wrong = await ask(url, 'GET /pm/boards/launch-board?expand=statuses,owner,color');
    expect(wrong.status).toBe(400);
    expect(wrong.json.errors).toHaveLength(2);
  });
});

describe('task activity', () => {
  const page = (query = '') => ask(url, `GET /pm/tasks/task-7/activity${query}`);

  test('is told page by page, the newest first', async () => {
    const whole = await page();
    expect(whole.json).toMatchObject({ page: 1, total: 3 });
    expect(verbs(whole)).toEqual(['commented', 'status_changed', 'created']);
    expect(verbs(await page('?page=1&page_size=2'))).toEqual(['commented', 'status_changed']);
    expect(verbs(await page('?page=2&page_size=2'))).toEqual(['created']);
    expect(verbs(await page('?page=3&page_size=2'))).toEqual([]);
    expect(whole.json).toMatchObject({
      results: [{ actor: { id: 1, first_name: 'Sam' }, diff: { comment: {} } }, {}, {}],
    });
  });

  test('refuses a page that is none, and does not know other tasks', async () => {
    const wrong = await page('?page=0&page_size=x');
    expect(wrong.status).toBe(400);
    expect(wrong.json.errors).toHaveLength(2);
    expect((await ask(url, 'GET /pm/tasks/none/activity')).status).toBe(404);
  });

  function verbs({ json }: { json: Record<string, unknown> }): string[] {
    return (json.results as { verb: string }[]).map(({ verb }) => verb);
  }
});

describe('drafts', () => {
  const drafts = async (query: string) => {
    const { json } = await ask(url, `GET /service/social-media/get-drafts?${query}`);
    return (json.drafts as { id: string; created_at: string }[]).map(({ id }) => id);
  };

  test('are those of the accounts, searched, sorted and told page by page', async () => {
    expect(await drafts('account_ids=1')).toEqual(['d-2', 'd-1']);
    expect(await drafts('account_ids=1,2')).toEqual(['d-3', 'd-2', 'd-1']);
    expect(await drafts('account_ids=1,2&order=asc')).toEqual(['d-1', 'd-2', 'd-3']);
    expect(await drafts('account_ids=1,2&order_by=updated_at')).toEqual(['d-1', 'd-3', 'd-2']);
    expect(await drafts('account_ids=1,2&search=SPRING')).toEqual(['d-3', 'd-1']);
    expect(await drafts('account_ids=1,2&per_page=2&page=2')).toEqual(['d-1']);
    expect(await drafts('account_ids=9')).toEqual([]);
  });

  test('come ten a page unless told otherwise', async () => {
    const { json } = await ask(url, 'GET /service/social-media/get-drafts?account_ids=1');
    expect(json.pagination).toEqual({ page: 1, per_page: 10, total: 2, total_pages: 1 });
  });

  test('tell their times in the timezone asked for', async () => {
    const { json } = await ask(
      url,
      'GET /service/social-media/get-drafts?account_ids=2&tz=America%2FNew_York',
    );
    expect(json.drafts).toMatchObject([{ created_at: '2026-03-03T04:00:00-05:00' }]);
  });

  test('refuse every wrong parameter at once', async () => {
    const query = 'page=0&per_page=-1&tz=Mars&order_by=colour&order=up';
    const { status, json } = await ask(url, `GET /service/social-media/get-drafts?${query}`);
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(6);
  });
});

describe('transcriptions', () => {
  const transcription = (n: number) => ask(url, `GET /transcription/${TRANSCRIPTION}${n}`);
  const subtitles = (n: number, query = '') =>
    ask(url, `GET /transcription/${TRANSCRIPTION}${n}/download_transcription_file${query}`);

  test('P5: the task reports success while the job still runs, and the file is empty until it is DONE', async () => {
    const first = await transcription(7);
    expect(first.json).toMatchObject({ job_status: 'PENDING', task_id: 'transcription-task-1' });
    expect((await ask(url, 'GET /tasks/transcription-task-1')).json).toMatchObject({ status: 'SUCCESS' });
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
    const told = await ask(url, 'POST /_sandbox/webhooks', {
      body: { kind: 'transcription', id, job_status: 'DONE' },
    });
    expect(told.status).toBe(200);
    expect((await transcription(9)).json.job_status).toBe('DONE');
    expect((await subtitles(9)).text).not.toBe('');
    expect((await ask(url, 'GET /transcription/none')).status).toBe(404);
  });
});

describe('notifications', () => {
  const send = (more: Record<string, unknown>, requestId?: string) =>
    ask(url, 'POST /service/agent/notify', {
      body: { ...NOTICE, ...more },
      headers: requestId === undefined ? {} : { 'x-request-id': requestId },
    });
  const kept = async () => (await ask(url, 'GET /_sandbox/notifications')).json.notifications;

  test.each([
    ['agentTaskCompleted', ['in-app', 'websocket', 'email']],
    ['agentNeedsInput', ['in-app', 'websocket', 'email']],
    ['agentError', ['in-app', 'websocket', 'team-chat #agent-alerts']],
    ['agentProgress', ['websocket']],
    ['agentNudge', ['in-app', 'websocket', 'email']],
  ])('%s goes to its channels and is kept', async (category, channels) => {
    expect((await send({ category, _extra: { event_type: 'x', more: [1] } })).json).toEqual({
      status: 'sent',
    });
    expect(await kept()).toMatchObject([{ channels, request: { category, _extra: { more: [1] } } }]);
  });

  test('fall back to the message, the thread and a label of their own', async () => {
    await send({ threadId: 't/9' });
    await send({ body: '# Hello', link: '/here', ctaLabel: 'Look' });
    expect(await kept()).toMatchObject([
      { delivered: { body: NOTICE.message, link: '/threads/t%2F9', ctaLabel: 'Continue the conversation' } },
      { delivered: { body: '# Hello', link: '/here', ctaLabel: 'Look' } },
    ]);
  });

  test('that repeat their title are remarked on', async () => {
    await send({ title: 'The banner' });
    expect(await kept()).toMatchObject([{ remarks: ['the title is repeated in the text'] }]);
  });

  test('every wrong field is named, and nothing is sent', async () => {
    const wrong = { userId: 1, title: '', category: 'agentShout', colour: 'red' };
    const { status, json } = await send(wrong);
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(4);
    expect(await kept()).toEqual([]);
  });

  test('P4: the ledger counts those that were sent twice', async () => {
    const summary = async (): Promise<unknown> => (await ask(url, 'GET /_sandbox/ledger')).json.summary;
    await send({}, 'a.notify.done');
    await send({}, 'b.notify.done');
    await send({});
    expect(await summary()).toMatchObject({ notifications: 3, duplicateNotifications: 0 });
    await send({ message: 'In other words.' }, 'a.notify.done');
    await send({});
    expect(await summary()).toMatchObject({ notifications: 5, duplicateNotifications: 2 });
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
      expect((await ask(url, `GET /sandbox/${record}`)).json[field]).toBe(status);
    }
    expect((await ask(url, `GET /sandbox/${record}x`)).status).toBe(404);
  });
});

describe('beside the service', () => {
  test('a reset goes back to the seed: tasks, projects, notifications, faults and ledger', async () => {
    await ask(url, `PATCH ${CAMPAIGN}`, { body: { data: {} } });
    await ask(url, 'POST /service/agent/notify', { body: NOTICE });
    await reset();
    expect((await ask(url, `GET ${CAMPAIGN}`)).json.data).toMatchObject({ owner: 'Sam' });
    expect((await ask(url, 'GET /_sandbox/notifications')).json.notifications).toEqual([]);
    expect((await ask(url, 'GET /_sandbox/ledger')).json.summary).toMatchObject({
      patches: 0,
      notifications: 0,
    });
  });

  test('a seed adds to what is there, and one with problems is refused whole', async () => {
    const projects = [{ resourcetype: 'campaign', id: 'new', workspace: 1, data: { a: 1 } }];
    expect((await ask(url, 'POST /_sandbox/seed', { body: { projects } })).status).toBe(200);
    expect((await ask(url, 'GET /projects/campaign/new')).json.data).toEqual({ a: 1 });
    expect((await ask(url, `GET ${CAMPAIGN}`)).status).toBe(200);
    const bad = { projects: [{ id: 1, workspace: 7 }], voices: [{ id: 'x' }], assets: 5 };
    const refused = await ask(url, 'POST /_sandbox/seed', { body: bad });
    expect(refused.status).toBe(400);
    expect((refused.json.errors as string[]).length).toBeGreaterThanOrEqual(4);
    const foreign = [...projects, ...projects, { resourcetype: 'a', id: 'b', workspace: 7 }];
    expect((await ask(url, 'POST /_sandbox/seed', { body: { projects: foreign } })).json.errors).toEqual([
      'projects.1: has the id of an earlier one',
      'projects.2: there is no workspace 7',
    ]);
  });

  test('a record is found by its UUID in any spelling, in the seed and in the request', async () => {
    const id = 'ABCDEF00-2222-4333-8444-555566667777';
    const voices = [{ id, workspace: 1, voice_name: 'Loud', gender: 0 }];
    const boards = [{ id, slug: 'loud', workspace: 1, name: 'Loud', creator: 1, modifier: 1 }];
    const transcriptions = [{ id, workspace: 1, task_id: 't' }];
    await ask(url, 'POST /_sandbox/seed', { body: { voices, boards, transcriptions } });
    for (const spelling of [id, id.toLowerCase()]) {
      for (const path of ['voices', 'pm/boards', 'transcription']) {
        expect([path, (await ask(url, `GET /${path}/${spelling}`)).status]).toEqual([path, 200]);
      }
    }
    const webhook = { kind: 'transcription', id, job_status: 'ALIGNING' };
    expect((await ask(url, 'POST /_sandbox/webhooks', { body: webhook })).status).toBe(200);
    expect((await ask(url, `GET /transcription/${id}`)).json.job_status).toBe('ALIGNING');
    const { json } = await ask(url, 'POST /_sandbox/seed', {
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
      (await ask(url, `GET /transcription/${id}`)).json.job_status,
      (await ask(url, 'GET /sandbox/assets/asset-1')).json.status,
    ];
    const etag = async (): Promise<unknown> =>
      (await ask(url, 'GET /projects/document/17')).headers.get('etag');
    const before = await etag();
    expect([await statuses(), await statuses()]).toEqual([
      ['PENDING', 1],
      ['DONE', 4],
    ]);
    await ask(url, 'POST /_sandbox/seed', { body: { transcriptions, projects, assets } });
    expect(await statuses()).toEqual(['PENDING', 1]);
    expect(await etag()).not.toBe(before);
  });

  test('a seeded key may notify only where the seed says so', async () => {
    const keys = [{ key: 'quiet', user: 1, workspaces: [1], notify: false }];
    await ask(url, 'POST /_sandbox/seed', { body: { keys } });
    expect((await ask(url, 'POST /service/agent/notify', { key: 'quiet', body: NOTICE })).status).toBe(403);
  });

  test('P1: a duplicate is a second submission of one job, whatever its key looks like', async () => {
    const submit = (requestId: string) =>
      ask(url, 'POST /tools/remove-background', {
        body: { image_url: 'data:,x' },
        headers: { 'x-request-id': requestId },
      });
    for (const id of ['a.submit.b.submit.1', 'a.submit.c.submit.1', 'a.submit.1', 'b.submit.1'])
      await submit(id);
    const duplicates = async (): Promise<unknown> => (await ask(url, 'GET /_sandbox/ledger')).json.summary;
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
    await ask(url, 'POST /_sandbox/seed', { body: { transcriptions } });
    await ask(url, `GET /transcription/${id}`);
    const file = await ask(url, `GET /transcription/${id}/download_transcription_file`);
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
    await ask(url, 'POST /_sandbox/seed', { body: { drafts } });
    const { json } = await ask(url, 'GET /service/social-media/get-drafts?account_ids=zoned');
    expect(json.drafts).toMatchObject([{ id: 'later' }, { id: 'earlier' }]);
  });

  test('wrong methods and paths are told apart from missing things', async () => {
    const wrong = await ask(url, 'DELETE /workspaces/current');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET');
    expect((await ask(url, 'GET /nothing/here')).status).toBe(404);
  });

  test('a body that is not JSON is 400, one of another type 415', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await ask(url, `PATCH ${CAMPAIGN}`, { body: {}, headers })).status).toBe(415);
    const response = await fetch(`${url}/api/v1${CAMPAIGN}`, {
      method: 'PATCH',
      body: '{',
      headers: { 'content-type': 'application/json', authorization: 'Api-Key sandbox-key' },
    });
    expect(response.status).toBe(400);
  });
});
