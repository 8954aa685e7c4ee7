/** Projects of the sandbox. */
import { startSandbox } from '../../../sandbox/src/server';
import { ask, useSandboxEach } from '../../support/service/sandbox';
import { CAMPAIGN } from '../../support/service/seeded';

const sandbox = useSandboxEach();

describe('projects', () => {
  test('keep whole data, replace it on PATCH, and leave alone what a PATCH does not name', async () => {
    const before = await ask(sandbox.url, `GET ${CAMPAIGN}`);
    expect(before.json).toMatchObject({ title: 'Spring launch', data: { owner: 'Sam', brief: {} } });
    const patch = await ask(sandbox.url, `PATCH ${CAMPAIGN}`, { body: { data: { only: { this: null } } } });
    expect(patch.status).toBe(200);
    const after = await ask(sandbox.url, `GET ${CAMPAIGN}`);
    expect(after.json).toEqual({ ...before.json, data: { only: { this: null } } });
    await ask(sandbox.url, `PATCH ${CAMPAIGN}`, {
      body: { title: 'T', description: 'D', primary_type: 'P' },
    });
    expect((await ask(sandbox.url, `GET ${CAMPAIGN}`)).json).toEqual({
      ...after.json,
      title: 'T',
      description: 'D',
      primary_type: 'P',
    });
    expect((await ask(sandbox.url, `PATCH ${CAMPAIGN}`, { body: {} })).status).toBe(200);
  });

  test('the ledger names the keys that a PATCH dropped, at any depth, and no others', async () => {
    const data = { brief: { tone: null, more: [] }, added: 1 };
    await ask(sandbox.url, `PATCH ${CAMPAIGN}`, { body: { data } });
    const ledger = await ask(sandbox.url, 'GET /_sandbox/ledger?operation=update-project');
    expect(ledger.json.entries).toMatchObject([{ lostKeys: ['/owner', '/brief/audience'] }]);
    expect(ledger.json.summary).toMatchObject({ patches: 1, lostKeys: 2 });
  });

  test('give an ETag and refuse a PATCH for another version, which changes nothing', async () => {
    const etag = (await ask(sandbox.url, `GET ${CAMPAIGN}`)).headers.get('etag') ?? '';
    const patch = (match: string, data: unknown) =>
      ask(sandbox.url, `PATCH ${CAMPAIGN}`, { body: { data }, headers: { 'If-Match': match } });
    const [first, second] = await Promise.all([patch(etag, { by: 1 }), patch(etag, { by: 2 })]);
    expect([first.status, second.status].sort()).toEqual([200, 412]);
    const winner = first.status === 200 ? first : second;
    const read = await ask(sandbox.url, `GET ${CAMPAIGN}`);
    expect(read.json.data).toEqual(winner.json.data);
    expect(read.headers.get('etag')).toBe(winner.headers.get('etag'));
    expect((await patch('*', {})).status).toBe(200);
    expect((await patch(`"0", ${etag}`, {})).status).toBe(412);
    expect((await ask(sandbox.url, 'GET /_sandbox/ledger')).json.summary).toMatchObject({ patches: 2 });
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
    expect((await ask(sandbox.url, 'GET /projects/document/18')).json).not.toHaveProperty('data');
  });

  test.each([
    ['400', CAMPAIGN, { title: 1, data: [], unknown: true }, 400],
    ['404 of nothing', '/projects/campaign/none', {}, 404],
    ['404 of another type', '/projects/document/c1a4d5e0-1111-4222-8333-444455556666', {}, 404],
    ['404 of another workspace', '/projects/campaign/99', {}, 404],
  ])('answer %s', async (_case, path, body, status) => {
    const answer = await ask(sandbox.url, `PATCH ${path}`, { body });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json.errors).toHaveLength(3);
  });
});
