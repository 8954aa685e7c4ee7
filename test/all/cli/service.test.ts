/** The commands that ask the service themselves: for people, for programs, and with bad input. */
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '@segue/devserver';
import { PROJECT_WRITER_WORKFLOW } from '../../../src/contract';
import { writerStart } from '../../../src/runs/start';
import { eventually } from '../../support/eventually';
import { SECRET } from '../../support/service/api';
import { segue } from '../../support/servers/segueCommand';
import { type Settings } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { type SmallService, startSmallService } from '../../support/service/smallService';
import { startOwnDevServer, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const UUID = '0b6f2c9e-6f0e-4c55-9d3f-0d1e6a3f7b11';
const WORKSPACE = {
  user: { id: 1, first_name: 'Ada', last_name: 'Lovelace', email: 'a@example.com' },
  workspace: {
    id: 42,
    name: 'Media',
    is_active: true,
    settings: { timezone: 'Asia/Tokyo', start_of_week: 'mo' },
  },
  teamspaces: [{ id: 7, name: 'Launch' }],
};
const PAGES = [[{ id: 1, made: '2026-01-01T00:00:00Z' }], [{ id: 2, made: 'x', more: { a: 1 } }], []];

let service: SmallService;
let settings: Settings;
let page = 0;
let notifyStatus = 200;

beforeAll(async () => {
  service = await startSmallService({
    'GET /api/v1/workspaces/current': { body: WORKSPACE },
    [`GET /api/v1/voices/${UUID}`]: {
      body: { id: UUID, voice_name: 'Iris', gender: 1, is_premium: false, tone: 'warm' },
    },
    'GET /api/v1/tasks/t-1': { body: { status: 'SUCCESS', info: { url: 'u' } } },
    [`GET /api/v1/transcription/${UUID}`]: { body: { job_status: 'RUNNING', task_id: 't' } },
    [`GET /api/v1/transcription/${UUID}/download_transcription_file`]: () => ({
      text: page === 0 ? '' : 'WEBVTT\n',
    }),
    'GET /api/v1/pm/boards/launch': { body: { name: 'Launch', made: '2026-01-01T00:00:00Z' } },
    'GET /api/v1/projects/campaign/7': { body: { title: 'Spring', data: { a: 1 } } },
    'GET /api/v1/service/social-media/get-drafts': () => ({
      body: { count: 2, results: PAGES[page++] ?? [] },
    }),
    'GET /api/v1/pm/tasks/t-7/activity': { body: [{ verb: 'created' }] },
    'GET /x/assets/9': { body: { status: 3 } },
    'GET /x/runs/9': { body: { status: 'PAUSED' } },
    'GET /x/videos/9': { body: { job_status: 'DONE' } },
    'POST /api/v1/service/agent/notify': () => ({
      status: notifyStatus,
      body: { status: 'ok', detail: 'words' },
    }),
  });
  settings = {
    SEGUE_API_URL: service.url,
    SEGUE_API_KEY: SECRET,
    SEGUE_ASSET_PATH: '/x/assets/{id}',
    SEGUE_RUN_PATH: '/x/runs/{id}',
    SEGUE_VIDEO_PATH: '/x/videos/{id}',
  };
});

beforeEach(() => {
  service.asked.length = 0;
  page = 0;
  notifyStatus = 200;
});

afterAll(async () => {
  await service.stop();
});

describe('segue get', () => {
  test.each<[string[], string[]]>([
    [['workspace'], ['"name": "Media"', 'Lovelace', 'Asia/Tokyo', '"name": "Launch"']],
    [
      ['voice', UUID],
      ['Iris', 'warm'],
    ],
    [
      ['task', 't-1'],
      ['"status": "SUCCESS"', '"url": "u"'],
    ],
    [['transcription', UUID], ['"job_status": "RUNNING"']],
    [
      ['project', 'campaign', '7'],
      ['Spring', '"a": 1'],
    ],
    [
      ['board', 'launch', '--expand', 'creator, modifier'],
      ['Launch', '2026-01-01T00:00:00Z'],
    ],
    [
      ['activity', 't-7'],
      ['verb', 'created'],
    ],
    [['asset', '9'], ['"status": 3']],
    [['run', '9'], ['"status": "PAUSED"']],
    [['video', '9'], ['"job_status": "DONE"']],
  ])('%j for people', async (args, words) => {
    const { code, stdout, stderr } = await segue(['get', ...args], settings);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of words) expect(stdout).toContain(word);
  });

  test('--json prints the record as it came, with the scope that was asked for', async () => {
    const args = ['get', 'voice', UUID, '--json', '--organization', '5', '--space', '6'];
    const { code, stdout } = await segue(args, settings);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: UUID, tone: 'warm' });
    expect(service.lastHeaders).toMatchObject({
      organization: '5',
      space: '6',
      authorization: `Api-Key ${SECRET}`,
    });
    expect(service.asked).toHaveLength(1);
  });

  test('a list is one page, or all of them, a JSON object a line', async () => {
    const drafts = ['get', 'drafts', '--accounts', '1, 2', '--per-page', '1', '--json'];
    const one = await segue(drafts, settings);
    expect(one.stdout.split('\n').map((line) => JSON.parse(line) as unknown)).toEqual(PAGES[0]);
    expect(service.asked).toEqual([
      'GET /api/v1/service/social-media/get-drafts?account_ids=1%2C2&per_page=1',
    ]);
    page = 0;
    const all = await segue([...drafts, '--all'], settings);
    expect(all.stdout.split('\n').map((line) => JSON.parse(line) as unknown)).toEqual(PAGES.flat());
    page = 0;
    const shown = await segue(['get', 'drafts', '--accounts', '1', '--all'], settings);
    expect(shown.stdout).toContain('2026-01-01T00:00:00Z');
    expect(shown.stdout).toContain('"a": 1');
    expect(shown.stderr).toContain('2 found');
  });

  test('subtitles go to stdout or a file; an empty file says: not DONE yet', async () => {
    const args = ['get', 'subtitles', UUID, '--format', 'vtt'];
    expect(await segue(args, settings)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('not DONE yet'),
    });
    page = 1;
    expect(await segue(args, settings)).toMatchObject({ code: 0, stdout: 'WEBVTT' });
    const out = path.join(await mkdtemp(path.join(shared().scratch, 'subtitles-')), 'a.vtt');
    expect(await segue([...args, '--out', out], settings)).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(out, 'utf8')).toBe('WEBVTT\n');
  });

  test.each<[string, string[], number, RegExp]>([
    ['what is not there', ['task', 'none'], 1, /get task: status 404: not found/],
    ['no UUID', ['voice', '7'], 2, /voice_id: must be a UUID/],
    [
      'an empty account, page 0, a made-up order',
      ['drafts', '--accounts', '1,,2', '--page', '0', '--order', 'up'],
      2,
      /account_ids\.1: .*page: must be 1 or more.*order:/,
    ],
    ['a page that is no number', ['drafts', '--accounts', '1', '--page', 'x'], 2, /page: .*expected number/],
    ['a made-up expansion', ['board', 'b', '--expand', 'all'], 2, /expand\.0/],
    ['no account', ['drafts'], 2, /account_ids: is required/],
  ])('%s', async (_case, args, code, message) => {
    const ended = await segue(['get', ...args, '--json'], settings);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    if (!ended.stderr.includes('error:'))
      expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'failed' });
    if (code === 2) expect(service.asked).toEqual([]);
  });

  test('a path that is not published names its setting; a service that is away ends with 4', async () => {
    const bare = { SEGUE_API_URL: service.url, SEGUE_API_KEY: SECRET };
    const missing = await segue(['get', 'run', '9'], bare);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('SEGUE_RUN_PATH') });
    const away = { ...bare, SEGUE_API_URL: `http://127.0.0.1:${await freePort()}` };
    expect(await segue(['get', 'workspace'], away)).toMatchObject({ code: 4 });
  });
});

describe('segue notify send', () => {
  const good = [
    'notify',
    'send',
    '--user',
    'u',
    '--workspace',
    'w',
    '--category',
    'agentNudge',
    '--title',
    'Your banner',
  ];

  test('sends one, and tells its outcome', async () => {
    const args = [...good, '--message', 'It is there', '--extra', '{"event_type":"e"}', '--json'];
    expect(await segue(args, settings)).toMatchObject({ code: 0, stdout: '{"outcome":"sent"}' });
    expect(service.asked).toEqual(['POST /api/v1/service/agent/notify']);
  });

  test.each([
    [403, 1, 'refused'],
    [500, 3, 'unknown'],
  ])('status %d ends with %d: it is %s, and not sent again', async (status, code, outcome) => {
    notifyStatus = status;
    const ended = await segue([...good, '--message', 'm', '--json'], settings);
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome });
    expect(service.asked).toHaveLength(1);
  });

  test.each([
    [['--message', 'your  BANNER'], /must not repeat the title/],
    [
      ['--message', 'a\nb\nc', '--extra', '[]', '--user', '', '--category', 'agentParty'],
      /userId: .*message: .*category: .*_extra: /,
    ],
    [['--extra', 'no json'], /message: is required.*_extra: /],
  ])('%j is refused before anything is sent', async (args, message) => {
    const { code, stderr } = await segue([...good, ...args], settings);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(service.asked).toEqual([]);
  });
});

describe('segue doctor', () => {
  // It looks at the project writers of a whole namespace.
  const temporal = useTemporal(startOwnDevServer);

  test('everything there: a line each, and 0', async () => {
    const config = testConfig();
    await withWorker(temporal, config, service.url, async () => {
      const healthy = { ...settings, TEMPORAL_ADDRESS: temporal.address, SEGUE_TASK_QUEUE: config.taskQueue };
      const { code, stdout } = await segue(['doctor'], healthy);
      expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
      for (const check of [
        'settings',
        'temporal',
        'namespace',
        'search attributes',
        'workers',
        'project writers',
        'service',
        'clock',
      ]) {
        expect(stdout).toMatch(new RegExp(`^ok +${check}`, 'm'));
      }
      expect(stdout).not.toContain(SECRET);
    });
  });

  test('something missing: what to do about each, and 4', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const nothing = await segue(['doctor', '--json'], { TEMPORAL_ADDRESS: address, SEGUE_POLL_MIN: '1' });
    expect(nothing.code).toBe(4);
    const { complete, findings } = JSON.parse(nothing.stdout) as {
      complete: boolean;
      findings: { check: string; result: string; detail: string }[];
    };
    expect(complete).toBe(false);
    expect(findings.map(({ check, result }) => [check, result])).toEqual([
      ['settings', 'missing'],
      ['temporal', 'missing'],
      ...['namespace', 'search attributes', 'workers', 'project writers', 'service', 'clock'].map((check) => [
        check,
        'unknown',
      ]),
    ]);
    expect(findings[0]?.detail).toMatch(/SEGUE_POLL_MIN.*SEGUE_API_URL.*SEGUE_API_KEY/);
    const lonely = {
      ...settings,
      SEGUE_API_KEY: 'k',
      TEMPORAL_ADDRESS: temporal.address,
      SEGUE_TASK_QUEUE: testConfig().taskQueue,
    };
    const { code, stdout } = await segue(['doctor'], lonely);
    expect(code).toBe(4);
    expect(stdout).toMatch(/^missing +workers +no worker polls .*segue worker/m);
    const away = { ...lonely, SEGUE_API_URL: `http://127.0.0.1:${await freePort()}` };
    expect((await segue(['doctor'], away)).stdout).toMatch(/^missing +service .*is the service up\?/m);
  });

  test('P2: a project writer on a task queue that no worker polls is named', async () => {
    const { workflowId, ...start } = writerStart({
      ...{ taskQueue: 'left', organization: '1', shard: 7, authGrace: '1h' },
    });
    await temporal.client.workflow.start(PROJECT_WRITER_WORKFLOW, { workflowId, ...start });
    const here = {
      ...settings,
      TEMPORAL_ADDRESS: temporal.address,
      SEGUE_TASK_QUEUE: testConfig().taskQueue,
    };
    const seen = await eventually('the writer in the list', async () => {
      const { stdout } = await segue(['doctor'], here);
      return stdout.includes(workflowId) && stdout;
    });
    expect(seen).toMatch(/^missing +project writers +no worker polls left, .* — start a worker there/m);
    await temporal.client.workflow.getHandle(workflowId).terminate();
  });

  test('setup is harmless when all is there', async () => {
    const { code, stdout } = await segue(['setup'], { TEMPORAL_ADDRESS: temporal.address });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing to do' });
  });
});

test('segue schema prints what other languages check a request against', async () => {
  const { code, stdout } = await segue(['schema', 'image-outpainting']);
  expect(code).toBe(0);
  const schema = JSON.parse(stdout) as {
    required: string[];
    properties: Record<string, unknown>;
    additionalProperties: boolean;
  };
  expect(schema.required).toEqual(['image_url', 'mask_url', 'prompt']);
  expect(Object.keys(schema.properties)).toHaveLength(6);
  expect(schema.additionalProperties).toBe(false);
  expect(await segue(['schema', 'constructor'])).toMatchObject({ code: 2 });
  const list = (await segue(['schema'])).stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '');
  expect(list).toEqual(
    expect.arrayContaining(['mediaRequest', 'transcript', 'record', 'campaign.decide', 'batch.result']),
  );
  for (const name of list)
    expect(JSON.parse((await segue(['schema', name])).stdout)).toMatchObject({ $schema: expect.anything() });
});
