/** P7: what the service repeats of the credential stays out of answers and errors, as both end up in histories. */
import { inspect } from 'node:util';
import { type Api } from '../../../src/api/client';
import { Credential } from '../../../src/api/credential';
import { TransportError } from '../../../src/api/errors';
import { type RequestOf } from '../../../src/api/operation';
import { type Operations, operations } from '../../../src/api/operations';
import { ASK, SECRET, testApi } from '../../support/service/api';
import { useScriptedService } from '../../support/service/scriptedService';

const service = useScriptedService();

const UUID = '0b6f2c9e-6f0e-4c55-9d3f-0d1e6a3f7b11';
const PROJECT = { resourcetype: 'campaign', id: '7' };
const REQUESTS: { [Name in keyof Operations]: RequestOf<Operations[Name]> } = {
  getTask: { id: 't' },
  getTranscription: { id: UUID },
  getSubtitles: { id: UUID },
  getAsset: { id: 'a' },
  getRun: { id: 'r' },
  getVideo: { id: 'v' },
  getWorkspace: {},
  getProject: PROJECT,
  updateProject: { ...PROJECT, changes: {} },
  getDrafts: { account_ids: ['1'] },
  getTaskActivity: { task_id: 't' },
  getBoard: { board_id: 'b' },
  getVoice: { voice_id: UUID },
};
const layout = { assetPath: '/assets/{id}', runPath: '/runs/{id}', videoPath: '/videos/{id}' };

describe('P7: an answer that repeats the credential is given without it', () => {
  test.each(Object.keys(operations) as (keyof Operations)[])('%s', async (name) => {
    const said = `you sent Api-Key ${SECRET}`;
    // What one operation alone requires is given by its name: a second list would make those of drafts and activity unclear.
    const status = name === 'getAsset' ? 4 : said;
    const members = { id: said, job_status: said, data: { [said]: { deep: [said] } }, [said]: said };
    service.reply.body = JSON.stringify({ status, list: [members], ...members });
    service.reply.headers = [`etag: "${SECRET}"`];
    const call = service.api(layout)[name] as (request: unknown, options: typeof ASK) => Promise<unknown>;
    const given = JSON.stringify(await call(REQUESTS[name], ASK));
    expect(given).toContain('you sent Api-Key [credential]');
    expect(given).not.toContain(SECRET);
  });
});

test.each([
  ['of six characters is taken out', 's3cret', 'you sent [credential]'],
  ['of five is left, as other words may hold it', 's3cre', 'you sent s3cre'],
])('P7: a credential %s', (_case, secret, given) => {
  expect(Credential.apiKey(secret).redact(`you sent ${secret}`)).toBe(given);
});

describe('P7: no error shows the credential', () => {
  const read = (api: Api): Promise<unknown> => api.getDrafts({ account_ids: ['1'] }, ASK);

  function shown(error: unknown): string {
    return [inspect(error, { depth: null, showHidden: true }), JSON.stringify(error)].join('\n');
  }

  test('of a transport whose message repeats it', async () => {
    // A label of more than 63 characters is refused by the resolver itself, which repeats the name.
    const api = testApi(`http://${SECRET}${'x'.repeat(64)}.invalid`);
    const error: unknown = await read(api).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TransportError);
    expect((error as Error).message).toContain('[credential]');
    expect(((error as Error).cause as Error).message).toContain('[credential]');
    expect(shown(error)).not.toContain(SECRET);
    await api.close();
  });

  test('of an answer whose members have it in their names', async () => {
    service.reply.body = JSON.stringify({ [SECRET]: [], [`${SECRET}2`]: [] });
    const error: unknown = await read(service.api()).catch((e: unknown) => e);
    expect((error as Error).message).toContain('[credential]');
    expect(shown(error)).not.toContain(SECRET);
  });
});
