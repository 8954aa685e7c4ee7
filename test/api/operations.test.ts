/** Every operation over real sockets: what is sent, what is read, what is refused before anything is sent. */
import { inspect } from 'node:util';
import { type Api, type CallOptions } from '../../src/api/client';
import {
  AnswerError,
  InvalidRequestError,
  NotConfiguredError,
  StatusError,
  TransportError,
} from '../../src/api/errors';
import { type ServiceLayout } from '../../src/api/operation';
import { genderInWords } from '../../src/api/operations/voice';
import { walkPages } from '../../src/api/pages';
import { PUBLISHED_LAYOUT } from '../../src/config';
import { ASK, SECRET, testApi } from '../support/api';
import { answer, type RawServer, startRawServer } from '../support/rawServer';

const UUID = '0b6f2c9e-6f0e-4c55-9d3f-0d1e6a3f7b11';

let server: RawServer;
let body: string;
let status: string;
let headers: string[];
const apis: Api[] = [];

beforeAll(async () => {
  server = await startRawServer((socket) =>
    socket.end(answer(status, body, ['connection: close', ...headers])),
  );
});

beforeEach(() => {
  server.received.length = 0;
  status = '200 OK';
  headers = [];
  body = '{}';
});

afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.close()));
});

afterAll(async () => {
  await server.stop();
});

function api(layout: Partial<ServiceLayout> = {}, rest: Record<string, unknown> = {}): Api {
  const made = testApi(server.url, { layout: { ...PUBLISHED_LAYOUT, ...layout }, ...rest });
  apis.push(made);
  return made;
}

/** Request line, headers and body of the only request that came. */
function sent(): { line: string; head: string; json: unknown } {
  expect(server.received).toHaveLength(1);
  const [head = '', content = ''] = (server.received[0] ?? '').split('\r\n\r\n');
  return {
    line: head.split('\r\n')[0] ?? '',
    head: head.toLowerCase(),
    json: content === '' ? undefined : JSON.parse(content),
  };
}

const layout = { assetPath: '/x/assets/{id}', runPath: '/x/runs/{id}/status', videoPath: '/x/videos/{id}' };

type Case = [string, (api: Api, options: CallOptions) => Promise<unknown>, string, unknown, unknown];

describe('what is sent and read', () => {
  test.each<Case>([
    [
      'task',
      (a, o) => a.getTask({ id: 'a/b?c' }, o),
      'GET /api/v1/tasks/a%2Fb%3Fc',
      { status: 'NEW', info: [1], x: 1 },
      { status: 'NEW', info: [1], x: 1 },
    ],
    [
      'task without info',
      (a, o) => a.getTask({ id: 't' }, o),
      'GET /api/v1/tasks/t',
      { status: 'SUCCESS' },
      { status: 'SUCCESS' },
    ],
    [
      'transcription',
      (a, o) => a.getTranscription({ id: UUID }, o),
      `GET /api/v1/transcription/${UUID}`,
      { job_status: 'DONE', task_id: 't' },
      { job_status: 'DONE', task_id: 't' },
    ],
    ['workspace', (a, o) => a.getWorkspace({}, o), 'GET /api/v1/workspaces/current', {}, {}],
    [
      'workspace with nulls',
      (a, o) => a.getWorkspace({}, o),
      'GET /api/v1/workspaces/current',
      { workspace: null, teamspaces: null },
      { workspace: null, teamspaces: null },
    ],
    [
      'project',
      (a, o) => a.getProject({ resourcetype: 'campaign', id: '7' }, o),
      'GET /api/v1/projects/campaign/7',
      { data: { a: 1 }, z: 1 },
      { document: { data: { a: 1 }, z: 1 }, data: { a: 1 }, etag: null },
    ],
    [
      'project without data',
      (a, o) => a.getProject({ resourcetype: 'campaign', id: '7' }, o),
      'GET /api/v1/projects/campaign/7',
      { z: 1 },
      { document: { z: 1 }, data: null, etag: null },
    ],
    [
      'voice',
      (a, o) => a.getVoice({ voice_id: UUID }, o),
      `GET /api/v1/voices/${UUID}`,
      { id: UUID, gender: 3 },
      { id: UUID, gender: 3 },
    ],
    [
      'board',
      (a, o) => a.getBoard({ board_id: 'launch board' }, o),
      'GET /api/v1/pm/boards/launch%20board',
      { a: 1 },
      { a: 1 },
    ],
    [
      'board, expanded',
      (a, o) => a.getBoard({ board_id: 'b', expand: ['creator', 'modifier'] }, o),
      'GET /api/v1/pm/boards/b?expand=creator%2Cmodifier',
      {},
      {},
    ],
    [
      'drafts',
      (a, o) => a.getDrafts({ account_ids: ['1', ' 2 '] }, o),
      'GET /api/v1/service/social-media/get-drafts?account_ids=1%2C2',
      [1],
      { items: [1] },
    ],
    [
      'drafts with all parameters',
      (a, o) =>
        a.getDrafts(
          {
            account_ids: ['1'],
            page: 2,
            per_page: 5,
            search: 'a b',
            tz: 'Europe/Berlin',
            order_by: 'f',
            order: 'desc',
          },
          o,
        ),
      'GET /api/v1/service/social-media/get-drafts?account_ids=1&page=2&per_page=5&search=a+b&tz=Europe%2FBerlin&order_by=f&order=desc',
      { count: 1, results: [2] },
      { items: [2] },
    ],
    [
      'activity',
      (a, o) => a.getTaskActivity({ task_id: 't-7', page: 1, page_size: 3 }, o),
      'GET /api/v1/pm/tasks/t-7/activity?page=1&page_size=3',
      { entries: [] },
      { items: [] },
    ],
    ['asset', (a, o) => a.getAsset({ id: '9' }, o), 'GET /x/assets/9', { status: 4 }, { status: 4 }],
    [
      'run',
      (a, o) => a.getRun({ id: '9' }, o),
      'GET /x/runs/9/status',
      { status: 'PAUSED' },
      { status: 'PAUSED' },
    ],
    [
      'video',
      (a, o) => a.getVideo({ id: '9' }, o),
      'GET /x/videos/9',
      { job_status: 'MADE_UP' },
      { job_status: 'MADE_UP' },
    ],
  ])('%s', async (_case, call, line, response, expected) => {
    body = JSON.stringify(response);
    expect(await call(api(layout), ASK)).toEqual(expected);
    expect(sent().line).toBe(`${line} HTTP/1.1`);
  });

  test('a project update sends what it is told, an empty object too, and any answer will do', async () => {
    body = '"whatever"';
    const project = { resourcetype: 'campaign', id: '7' };
    const changes = { title: 't', description: 'd', primary_type: 'p', data: { a: [null] } };
    await api().updateProject({ ...project, changes }, ASK);
    expect(sent()).toMatchObject({ line: 'PATCH /api/v1/projects/campaign/7 HTTP/1.1', json: changes });
    server.received.length = 0;
    await api().updateProject({ ...project, changes: {} }, ASK);
    expect(sent().json).toEqual({});
  });

  test('an update that is answered with nothing has succeeded', async () => {
    status = '204 No Content';
    body = '';
    await expect(api().updateProject({ resourcetype: 'c', id: '7', changes: {} }, ASK)).resolves.toBeNull();
  });

  test('any UUID will do, whatever its version', async () => {
    body = JSON.stringify({ id: 'x' });
    const voice_id = '11111111-1111-1111-1111-111111111111';
    expect(await api().getVoice({ voice_id }, ASK)).toEqual({ id: 'x' });
  });

  test('the whole answer can be the data', async () => {
    body = '{"a":1}';
    expect(await api({ projectDataAt: '' }).getProject({ resourcetype: 'c', id: '7' }, ASK)).toMatchObject({
      data: { a: 1 },
    });
  });

  test('a project is read where the settings say, and brings its ETag', async () => {
    body = '{"project":{"fields":{"a":1}}}';
    headers = ['etag: "v7"'];
    const made = api({ projectPath: '/p/{id}/of/{resourcetype}', projectDataAt: '/project/fields' });
    expect(await made.getProject({ resourcetype: 'c', id: '7' }, ASK)).toMatchObject({
      data: { a: 1 },
      etag: '"v7"',
    });
    expect(sent().line).toBe('GET /p/7/of/c HTTP/1.1');
  });

  test.each([
    ['subtitles', undefined, `/api/v1/transcription/${UUID}/download_transcription_file`],
    [
      'subtitles as VTT',
      'vtt' as const,
      `/api/v1/transcription/${UUID}/download_transcription_file?requested_format=vtt`,
    ],
  ])('%s are text', async (_case, requested_format, target) => {
    body = 'WEBVTT\n\n{not json';
    expect(await api().getSubtitles({ id: UUID, requested_format }, ASK)).toEqual({
      ready: true,
      text: body,
    });
    expect(sent().line).toBe(`GET ${target} HTTP/1.1`);
    expect(sent().head).toContain('accept: text/*, */*');
  });

  test('empty subtitles mean: not DONE yet', async () => {
    body = '';
    expect(await api().getSubtitles({ id: UUID }, ASK)).toEqual({ ready: false });
  });

  test('a notification carries all its fields', async () => {
    body = '{"status":"ok"}';
    const notification = {
      userId: 'u',
      workspaceId: 'w',
      title: 'Your banner is ready',
      message: 'Two pictures\nwait for you',
      category: 'agentNudge' as const,
      threadId: 't',
      body: 'Dear reader, …',
      ctaLabel: 'Look',
      link: 'https://example.com',
      _extra: { event_type: 'e', agent: 'segue', task_id: 't', more: [1, { a: null }] },
    };
    expect(await api().notify(notification, ASK)).toEqual({ outcome: 'sent' });
    expect(sent()).toMatchObject({ line: 'POST /api/v1/service/agent/notify HTTP/1.1', json: notification });
  });

  test('scope of the call goes over the configured one; user agent and request id go along', async () => {
    const made = api({}, { organization: '1', space: '2' });
    await made.getWorkspace({}, { ...ASK, scope: { space: '9' } });
    const { head } = sent();
    for (const line of [
      'organization: 1',
      'space: 9',
      'user-agent: segue/test',
      'x-request-id: r-1',
      `authorization: api-key ${SECRET}`,
    ]) {
      expect(head).toContain(line);
    }
  });
});

describe('what is refused before anything is sent, all problems at once', () => {
  const long = 'x'.repeat(9 << 20);
  test.each<[string, (api: Api) => Promise<unknown>, string[]]>([
    ['a voice that is no UUID', (a) => a.getVoice({ voice_id: '7' }, ASK), ['voice_id']],
    ['a transcription that is no UUID', (a) => a.getTranscription({ id: 'x' }, ASK), ['id']],
    [
      'subtitles of a made-up format',
      (a) => a.getSubtitles({ id: 'x', requested_format: 'ass' as never }, ASK),
      ['id', 'requested_format'],
    ],
    ['an empty task id', (a) => a.getTask({ id: ' ' }, ASK), ['id']],
    ['half a character', (a) => a.getTask({ id: '\ud800' }, ASK), ['id']],
    ['an id that climbs', (a) => a.getProject({ resourcetype: '..', id: '' }, ASK), ['resourcetype', 'id']],
    ['no account', (a) => a.getDrafts({ account_ids: [] }, ASK), ['account_ids']],
    [
      'an empty account, page 0, a made-up order',
      (a) => a.getDrafts({ account_ids: ['1', ''], page: 0, per_page: 1.5, order: 'up' as never }, ASK),
      ['account_ids.1', 'page', 'per_page', 'order'],
    ],
    [
      'a made-up expansion',
      (a) => a.getBoard({ board_id: '', expand: ['all' as never] }, ASK),
      ['board_id', 'expand.0'],
    ],
    [
      'an unknown field',
      (a) => a.updateProject({ resourcetype: 'c', id: '7', changes: { tite: 'x' } as never }, ASK),
      ['changes'],
    ],
    [
      'data that is a list',
      (a) => a.updateProject({ resourcetype: 'c', id: '7', changes: { data: [] as never } }, ASK),
      ['changes.data'],
    ],
    [
      'too much',
      (a) => a.updateProject({ resourcetype: 'c', id: '7', changes: { data: { long } } }, ASK),
      ['request'],
    ],
  ])('%s', async (_case, call, fields) => {
    const error: unknown = await call(api()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).problems.map((problem) => problem.split(':')[0])).toEqual(fields);
    expect(server.received).toHaveLength(0);
  });

  const good = {
    userId: 'u',
    workspaceId: 'w',
    title: 'Your banner',
    message: 'It is there',
    category: 'agentNudge' as const,
  };
  test.each<[string, Record<string, unknown>, string[]]>([
    ['nothing', {}, ['userId', 'workspaceId', 'title', 'message', 'category']],
    ['three lines', { ...good, message: 'a\nb\r\nc' }, ['message']],
    ['a title in the message', { ...good, message: 'look: YOUR   banner!' }, ['message']],
    ['a title in the body, blanks aside', { ...good, body: 'Dear you,\nyour\nbanner' }, ['body']],
    [
      'a title repeated, and more',
      { ...good, message: 'your banner', category: 'x', link: '' },
      ['category', 'link', 'message'],
    ],
    ['an unknown field', { ...good, urgent: true }, ['request']],
    ['extra that is a list', { ...good, _extra: [] }, ['_extra']],
  ])('a notification with %s', async (_case, notification, fields) => {
    const outcome = await api().notify(notification as never, ASK);
    expect(outcome).toMatchObject({ outcome: 'refused' });
    expect(outcome).not.toHaveProperty('status');
    const reason = 'reason' in outcome ? outcome.reason.replace('not sent, the request is wrong: ', '') : '';
    expect(reason.split('; ').map((problem) => problem.split(':')[0])).toEqual(fields);
    expect(server.received).toHaveLength(0);
  });
});

describe('answers that cannot be used', () => {
  test.each<[string, string, (api: Api) => Promise<unknown>, RegExp]>([
    [
      'a status that is a number',
      '{"status":1}',
      (a) => a.getTask({ id: 't' }, ASK),
      /get task: .*status: .*expected string/,
    ],
    [
      'no job_status',
      '{"status":"DONE"}',
      (a) => a.getTranscription({ id: UUID }, ASK),
      /get transcription: .*job_status: is required/,
    ],
    [
      'is_active in words',
      '{"workspace":{"is_active":"yes"}}',
      (a) => a.getWorkspace({}, ASK),
      /get workspace: .*workspace\.is_active: .*expected boolean/,
    ],
    [
      'data that is a list',
      '{"data":[]}',
      (a) => a.getProject({ resourcetype: 'c', id: '7' }, ASK),
      /get project: .*data: .*expected record/,
    ],
    ['no JSON', '<html>', (a) => a.getTask({ id: 't' }, ASK), /get task: the answer is not JSON/],
    [
      'a page without a list',
      '{"a":1}',
      (a) => a.getDrafts({ account_ids: ['1'] }, ASK),
      /list drafts: .*no field is a list.*SEGUE_DRAFTS_AT/,
    ],
    [
      'a page with two lists',
      '{"a":[],"b":[]}',
      (a) => a.getTaskActivity({ task_id: 't' }, ASK),
      /activity: .*a, b.*SEGUE_ACTIVITY_AT/,
    ],
  ])('%s: the error names operation, field and expectation', async (_case, content, call, message) => {
    body = content;
    const error: unknown = await call(api()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(message.source.includes('SEGUE_') ? NotConfiguredError : AnswerError);
    expect((error as Error).message).toMatch(message);
  });

  test('a setting says where the list is', async () => {
    body = '{"a":[1],"b":{"c":[2]}}';
    const made = api({ draftsAt: '/b/c', activityAt: '/nowhere' });
    expect(await made.getDrafts({ account_ids: ['1'] }, ASK)).toEqual({ items: [2] });
    await expect(made.getTaskActivity({ task_id: 't' }, ASK)).rejects.toThrow(
      'no list at SEGUE_ACTIVITY_AT=/nowhere',
    );
  });

  test.each<[string, (api: Api) => Promise<unknown>]>([
    ['SEGUE_ASSET_PATH', (a) => a.getAsset({ id: '1' }, ASK)],
    ['SEGUE_RUN_PATH', (a) => a.getRun({ id: '1' }, ASK)],
    ['SEGUE_VIDEO_PATH', (a) => a.getVideo({ id: '1' }, ASK)],
  ])('a path that is not published needs %s', async (setting, call) => {
    const error: unknown = await call(api()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(NotConfiguredError);
    expect((error as Error).message).toContain(setting);
    expect(server.received).toHaveLength(0);
  });
});

describe('errors of the service', () => {
  test.each([
    ['{"detail":"no such voice"}', 'no such voice'],
    ['{"error":"bad","errors":[{"field":"x"}]}', 'bad; [{"field":"x"}]'],
    ['{"strange":true}', '{"strange":true}'],
    ['"just words"', 'just words'],
    ['plain text\n over lines', 'plain text over lines'],
    ['<html><style>p{}</style><h1>Bad</h1> <p>gateway</p></html>', 'Bad gateway'],
    ['', ''],
  ])('%s is told in its own words', async (content, words) => {
    status = '404 Not Found';
    body = content;
    const error: unknown = await api()
      .getTask({ id: 't' }, ASK)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ operation: 'get task', status: 404, requestId: 'r-1', words });
  });

  test('long words are cut short', async () => {
    status = '500 Internal Server Error';
    body = 'x'.repeat(100_000);
    const error: unknown = await api()
      .getTask({ id: 't' }, ASK)
      .catch((e: unknown) => e);
    expect((error as Error).message.length).toBeLessThan(600);
  });

  test.each([
    ['7', 7_000, 7_000],
    [new Date(Date.now() + 60_000).toUTCString(), 30_000, 60_000],
    ['soon', undefined, undefined],
    ['0', undefined, undefined],
    ['-1', undefined, undefined],
    ['1.5', undefined, undefined],
    [new Date(Date.now() - 60_000).toUTCString(), undefined, undefined],
  ])('Retry-After: %s', async (value, least, most) => {
    status = '429 Too Many Requests';
    headers = [`retry-after: ${value}`];
    const error = (await api()
      .getTask({ id: 't' }, ASK)
      .catch((e: unknown) => e)) as StatusError;
    if (least === undefined) expect(error.retryAfterMs).toBeUndefined();
    else {
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(least);
      expect(error.retryAfterMs).toBeLessThanOrEqual(most);
    }
  });

  test('a run that is not found: the message asks whether it is a definition', async () => {
    status = '404 Not Found';
    await expect(api(layout).getRun({ id: 'd' }, ASK)).rejects.toThrow('ID of a workflow definition');
  });

  test('a redirect is an error, and is not followed', async () => {
    status = '302 Found';
    headers = ['location: /elsewhere'];
    await expect(api().getTask({ id: 't' }, ASK)).rejects.toMatchObject({ status: 302 });
    expect(server.received).toHaveLength(1);
  });

  test('P7: no error shows the credential, whatever is looked at', async () => {
    const silent = await startRawServer((socket) => socket.resetAndDestroy());
    const made = testApi(silent.url);
    const error: unknown = await made.getWorkspace({}, ASK).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TransportError);
    const shown = [
      inspect(error, { depth: null, showHidden: true }),
      JSON.stringify(error),
      String(error),
      (error as Error).stack,
    ];
    expect(shown.join()).not.toContain(SECRET);
    expect(inspect(made, { depth: null, showHidden: true })).not.toContain(SECRET);
    await made.close();
    await silent.stop();
  });
});

describe('pages', () => {
  async function walk(pages: unknown[][], first?: number): Promise<{ items: unknown[]; asked: number[] }> {
    const asked: number[] = [];
    const items: unknown[] = [];
    const getPage = (page: number) => {
      asked.push(page);
      return Promise.resolve({ items: pages[Math.min(page, pages.length) - 1] ?? [] });
    };
    for await (const page of walkPages(getPage, first)) items.push(...page);
    return { items, asked };
  }

  test('are walked until an empty one, not until a short one', async () => {
    expect(await walk([[1, 2], [3], [4, 5], []])).toEqual({ items: [1, 2, 3, 4, 5], asked: [1, 2, 3, 4] });
  });

  test('are walked until one that was there before: some services repeat their last page', async () => {
    expect(await walk([[1, 2], [3]])).toEqual({ items: [1, 2, 3], asked: [1, 2, 3] });
  });

  test('can be walked from any page', async () => {
    expect(await walk([[1], [2], []], 2)).toEqual({ items: [2], asked: [2, 3] });
  });
});

test('gender is shown in words', () => {
  expect([0, 1, 3, 2, null].map(genderInWords)).toEqual([
    'male',
    'female',
    'neutral',
    'unknown (2)',
    'not told',
  ]);
});
