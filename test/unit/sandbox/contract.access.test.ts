/** Who may ask the sandbox, and for which workspace. */
import { SANDBOX_KEY_NO_NOTIFY } from '../../../sandbox/src/keys';
import { operations } from '../../../sandbox/src/operations';
import { ask, useSandboxEach } from '../../support/service/sandbox';
import { NOTICE } from '../../support/service/seeded';

const sandbox = useSandboxEach();

describe('who may ask', () => {
  test('every operation answers 401 without a credential, with a wrong one and with another scheme', async () => {
    for (const { method, url: path } of operations) {
      const line = `${method} ${path.replace('/api/v1', '').replace(/\{\w+\}/g, 'x')}`;
      const body = method === 'GET' ? undefined : {};
      for (const authorization of [undefined, 'Api-Key wrong', 'Basic sandbox-key']) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const { status, json } = await ask(sandbox.url, line, { key: null, headers, body });
        expect([line, status]).toEqual([line, 401]);
        expect(json.detail).toBe('missing or invalid credential');
      }
    }
    const { json } = await ask(sandbox.url, 'GET /_sandbox/ledger');
    expect(json.entries).toHaveLength(operations.length * 3);
    expect(json.summary).toMatchObject({ submissions: 0, patches: 0, notifications: 0 });
  });

  test('takes an API key and a bearer token', async () => {
    for (const authorization of ['Api-Key sandbox-key', 'Bearer sandbox-key']) {
      const { status } = await ask(sandbox.url, 'GET /workspaces/current', {
        key: null,
        headers: { authorization },
      });
      expect(status).toBe(200);
    }
  });

  test('a key without the permission cannot notify, and can do everything else', async () => {
    const key = SANDBOX_KEY_NO_NOTIFY;
    expect((await ask(sandbox.url, 'POST /service/agent/notify', { key, body: NOTICE })).status).toBe(403);
    expect((await ask(sandbox.url, 'GET /workspaces/current', { key })).status).toBe(200);
    expect((await ask(sandbox.url, 'GET /_sandbox/notifications')).json.notifications).toEqual([]);
  });
});

describe('workspace context', () => {
  test('is that of the credential, with active spaces only', async () => {
    const { json } = await ask(sandbox.url, 'GET /workspaces/current');
    expect(json).toMatchObject({
      user: { id: 1, first_name: 'Sam' },
      workspace: {
        id: Number(sandbox.workspace),
        name: 'Sandbox',
        is_active: true,
        settings: { timezone: 'Europe/Berlin', start_of_week: 'mo' },
      },
      teamspaces: [{ id: 11 }, { id: 12 }],
    });
    expect((await ask(sandbox.url, 'GET /workspaces/current', { key: 'other-key' })).json).toMatchObject({
      user: { id: 2 },
      workspace: { id: 2 },
    });
  });

  test('keeps its own id when the sandbox is reset', async () => {
    await ask(sandbox.url, 'POST /_sandbox/reset');
    const { json } = await ask(sandbox.url, 'GET /workspaces/current');
    expect(json).toMatchObject({ workspace: { id: Number(sandbox.workspace) } });
  });

  test('is that of the Organization header, among those that the key can reach', async () => {
    const inOrganization = (Organization: string, key?: string) =>
      ask(sandbox.url, 'GET /workspaces/current', { headers: { Organization }, key });
    expect((await inOrganization('2')).json).toMatchObject({ workspace: { id: 2 } });
    expect((await inOrganization('3')).json).toMatchObject({ workspace: { is_active: false } });
    expect((await inOrganization('99')).status).toBe(404);
    expect((await inOrganization('1', 'other-key')).status).toBe(404);
  });
});
