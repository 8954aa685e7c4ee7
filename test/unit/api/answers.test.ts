/** Answers that are no use, and the errors that tell of them. */
import { inspect } from 'node:util';
import { type Api } from '../../../src/api/client';
import { AnswerError, NotConfiguredError, StatusError, TransportError } from '../../../src/api/errors';
import { ASK, SECRET, testApi } from '../../support/service/api';
import { startRawServer } from '../../support/service/rawServer';
import { useScriptedService } from '../../support/service/scriptedService';

const UUID = '0b6f2c9e-6f0e-4c55-9d3f-0d1e6a3f7b11';
const layout = { assetPath: '/x/assets/{id}', runPath: '/x/runs/{id}/status', videoPath: '/x/videos/{id}' };

const service = useScriptedService();

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
    service.reply.body = content;
    const error: unknown = await call(service.api()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(message.source.includes('SEGUE_') ? NotConfiguredError : AnswerError);
    expect((error as Error).message).toMatch(message);
  });

  test.each([false, true])(
    'one that is nested too deep to be walked through; verbatim: %s',
    async (verbatim) => {
      service.reply.body = `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
      const read = service.api().getProject({ resourcetype: 'campaign', id: '7' }, { ...ASK, verbatim });
      const error: unknown = await read.catch((e: unknown) => e);
      expect(error).toBeInstanceOf(AnswerError);
      expect((error as Error).message).toBe('get project: the answer is nested deeper than 500 levels');
    },
  );

  test('a setting says where the list is', async () => {
    service.reply.body = '{"a":[1],"b":{"c":[2]}}';
    const made = service.api({ draftsAt: '/b/c', activityAt: '/nowhere' });
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
    const error: unknown = await call(service.api()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(NotConfiguredError);
    expect((error as Error).message).toContain(setting);
    expect(service.received()).toHaveLength(0);
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
    service.reply.status = '404 Not Found';
    service.reply.body = content;
    const error: unknown = await service
      .api()
      .getTask({ id: 't' }, ASK)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({
      operation: 'get task',
      status: 404,
      requestId: 'r-1',
      message: `get task: status 404: ${words || 'no message'}`,
    });
  });

  test('long words are cut short', async () => {
    service.reply.status = '500 Internal Server Error';
    service.reply.body = 'x'.repeat(100_000);
    const error: unknown = await service
      .api()
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
    service.reply.status = '429 Too Many Requests';
    service.reply.headers = [`retry-after: ${value}`];
    const error = (await service
      .api()
      .getTask({ id: 't' }, ASK)
      .catch((e: unknown) => e)) as StatusError;
    if (least === undefined) expect(error.retryAfterMs).toBeUndefined();
    else {
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(least);
      expect(error.retryAfterMs).toBeLessThanOrEqual(most);
    }
  });

  test('a run that is not found: the message asks whether it is a definition', async () => {
    service.reply.status = '404 Not Found';
    await expect(service.api(layout).getRun({ id: 'd' }, ASK)).rejects.toThrow('ID of a workflow definition');
  });

  test('a redirect is an error, and is not followed', async () => {
    service.reply.status = '302 Found';
    service.reply.headers = ['location: /elsewhere'];
    await expect(service.api().getTask({ id: 't' }, ASK)).rejects.toMatchObject({ status: 302 });
    expect(service.received()).toHaveLength(1);
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
