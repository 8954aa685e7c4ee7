/** Every operation over real sockets: what is sent, and what is read. */
import { type Api, type CallOptions } from '../../../src/api/client';
import { ASK, SECRET } from '../../support/service/api';
import { useScriptedService } from '../../support/service/scriptedService';

const UUID = '0b6f2c9e-6f0e-4c55-9d3f-0d1e6a3f7b11';
const layout = { assetPath: '/x/assets/{id}', runPath: '/x/runs/{id}/status', videoPath: '/x/videos/{id}' };

type Case = [string, (api: Api, options: CallOptions) => Promise<unknown>, string, unknown, unknown];

const service = useScriptedService();

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
      { document: { data: { a: 1 }, z: 1 }, data: { a: 1 }, etag: null, inexact: null },
    ],
    [
      'project without data',
      (a, o) => a.getProject({ resourcetype: 'campaign', id: '7' }, o),
      'GET /api/v1/projects/campaign/7',
      { z: 1 },
      { document: { z: 1 }, data: null, etag: null, inexact: null },
    ],
    [
      'project whose data is a list',
      (a, o) => a.getProject({ resourcetype: 'campaign', id: '7' }, o),
      'GET /api/v1/projects/campaign/7',
      { data: [1] },
      { document: { data: [1] }, data: null, etag: null, inexact: null },
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
    service.reply.body = JSON.stringify(response);
    expect(await call(service.api(layout), ASK)).toEqual(expected);
    expect(service.sent().line).toBe(`${line} HTTP/1.1`);
  });

  test('a project update sends what it is told, an empty object too, and any answer will do', async () => {
    service.reply.body = '"whatever"';
    const project = { resourcetype: 'campaign', id: '7' };
    const changes = { title: 't', description: 'd', primary_type: 'p', data: { a: [null] } };
    await service.api().updateProject({ ...project, changes }, ASK);
    expect(service.sent()).toMatchObject({
      line: 'PATCH /api/v1/projects/campaign/7 HTTP/1.1',
      json: changes,
    });
    service.received().length = 0;
    await service.api().updateProject({ ...project, changes: {} }, ASK);
    expect(service.sent().json).toEqual({});
  });

  test('a project update rests on the read whose ETag it carries, and keeps a member of any name', async () => {
    const data = JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>;
    service.reply.body = JSON.stringify({ data });
    const { data: read } = await service.api().getProject({ resourcetype: 'c', id: '7' }, ASK);
    expect(JSON.stringify(read)).toBe('{"__proto__":{"a":1}}');
    service.received().length = 0;
    const changes = { data: read ?? {} };
    await service.api().updateProject({ resourcetype: 'c', id: '7', changes, ifMatch: '"v7"' }, ASK);
    expect(service.sent().head).toContain('\r\nif-match: "v7"\r\n');
    expect(JSON.stringify(service.sent().json)).toBe('{"data":{"__proto__":{"a":1}}}');
  });

  test.each([
    ['{"data":{"id":9007199254740993}}', '9007199254740993'],
    ['{"data":{"ids":[1,-12345678901234567890]}}', '-12345678901234567890'],
    ['{"data":{"much":1e400}}', '1e400'],
    ['{"data":{"id":9007199254740992,"x":1.5e3,"y":0.1234567890123456}}', null],
    ['{"data":{"id":"9007199254740993","t\\"9007199254740993":"\\\\"}}', null],
  ])('a project %s tells of a number that cannot be sent back: %s', async (body, inexact) => {
    service.reply.body = body;
    const read = await service.api().getProject({ resourcetype: 'c', id: '7' }, ASK);
    expect(read.inexact).toBe(inexact);
  });

  test('an update that is answered with nothing has succeeded', async () => {
    service.reply.status = '204 No Content';
    service.reply.body = '';
    await expect(
      service.api().updateProject({ resourcetype: 'c', id: '7', changes: {} }, ASK),
    ).resolves.toBeNull();
  });

  test('any UUID will do, whatever its version', async () => {
    service.reply.body = JSON.stringify({ id: 'x' });
    const voice_id = '11111111-1111-1111-1111-111111111111';
    expect(await service.api().getVoice({ voice_id }, ASK)).toEqual({ id: 'x' });
  });

  test('the whole answer can be the data', async () => {
    service.reply.body = '{"a":1}';
    expect(
      await service.api({ projectDataAt: '' }).getProject({ resourcetype: 'c', id: '7' }, ASK),
    ).toMatchObject({
      data: { a: 1 },
    });
  });

  test('a project is read where the settings say, and brings its ETag', async () => {
    service.reply.body = '{"project":{"fields":{"a":1}}}';
    service.reply.headers = ['etag: "v7"'];
    const made = service.api({ projectPath: '/p/{id}/of/{resourcetype}', projectDataAt: '/project/fields' });
    expect(await made.getProject({ resourcetype: 'c', id: '7' }, ASK)).toMatchObject({
      data: { a: 1 },
      etag: '"v7"',
    });
    expect(service.sent().line).toBe('GET /p/7/of/c HTTP/1.1');
  });

  test.each([
    ['subtitles', undefined, `/api/v1/transcription/${UUID}/download_transcription_file`],
    [
      'subtitles as VTT',
      'vtt' as const,
      `/api/v1/transcription/${UUID}/download_transcription_file?requested_format=vtt`,
    ],
  ])('%s are text', async (_case, requested_format, target) => {
    service.reply.body = 'WEBVTT\n\n{not json';
    expect(await service.api().getSubtitles({ id: UUID, requested_format }, ASK)).toEqual({
      ready: true,
      text: service.reply.body,
    });
    expect(service.sent().line).toBe(`GET ${target} HTTP/1.1`);
    expect(service.sent().head).toContain('accept: text/*, */*');
  });

  test('empty subtitles mean: not DONE yet', async () => {
    service.reply.body = '';
    expect(await service.api().getSubtitles({ id: UUID }, ASK)).toEqual({ ready: false });
  });

  test('a notification carries all its fields', async () => {
    service.reply.body = '{"status":"ok"}';
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
    expect(await service.api().notify(notification, ASK)).toEqual({ outcome: 'sent' });
    expect(service.sent()).toMatchObject({
      line: 'POST /api/v1/service/agent/notify HTTP/1.1',
      json: notification,
    });
  });

  test('scope of the call goes over the configured one; user agent and request id go along', async () => {
    const made = service.api({}, { organization: '1', space: '2' });
    await made.getWorkspace({}, { ...ASK, scope: { space: '9' } });
    const { head } = service.sent();
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
