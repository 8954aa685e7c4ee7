import { type Sandbox, SANDBOX_KEY, startSandbox } from '../../../sandbox/src/server';

const PROJECT = '/api/v1/projects/document/17';
const HEADERS = { authorization: `Api-Key ${SANDBOX_KEY}`, 'content-type': 'application/json' };

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

function ask(path: string, options: { method?: string; body?: string | Buffer } = {}): Promise<Response> {
  return fetch(sandbox.url + path, { headers: HEADERS, ...options });
}

async function problemOf(response: Response): Promise<{ status: number; detail: string; errors?: string[] }> {
  return { status: response.status, ...((await response.json()) as { detail: string }) };
}

describe('the sandbox answers odd requests as its document says', () => {
  test.each(['QUERY', 'PUT', 'DELETE', 'OPTIONS'])(
    '%s is refused with the methods that a path takes, whatever body it would have',
    async (method) => {
      const response = await ask(PROJECT, { method });
      expect(response.headers.get('allow')).toBe('GET, PATCH');
      expect(await problemOf(response)).toEqual({ status: 405, detail: 'this path takes GET, PATCH' });
    },
  );

  test.each([
    ['an id of 5,000 characters', `/api/v1/voices/${'v'.repeat(5_000)}`, 404],
    ['an id with a NUL byte', '/api/v1/voices/%00', 404],
    ['an id with a slash in it', '/api/v1/voices/a%2Fb', 404],
    ['an id of another alphabet', `/api/v1/voices/${encodeURIComponent('声𝄞')}`, 404],
    ['an id that is a name of every object', '/api/v1/voices/__proto__', 404],
    ['no id at all', '/api/v1/voices/', 400],
    ['an escape that is none', '/api/v1/voices/%zz', 400],
    ['an escape that is no UTF-8', '/api/v1/voices/%ff', 400],
    ['a page of a huge number', '/api/v1/pm/tasks/task-7/activity?page=99999999999999999999', 400],
    ['a page given twice', '/api/v1/pm/tasks/task-7/activity?page=1&page=2', 400],
    ['a sample that is a name of every object', '/samples/constructor', 404],
  ])('%s is answered with a problem', async (_case, path, status) => {
    const problem = await problemOf(await ask(path));
    expect(problem).toMatchObject({ status, detail: expect.any(String) });
  });

  test.each([
    ['no JSON', '{"title":', 'body: is not JSON'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body: is not JSON'],
    ['nothing', '', 'body: is missing'],
    ['brackets without end', `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'body: is nested more'],
    ['a number beyond all numbers', '{"data":{"n":1e999}}', 'body: holds a number that is too large'],
    ['data that is a list', '{"data":[]}', 'data: must be an object'],
    ['a member named __proto__ that no schema has', '{"__proto__":{}}', 'body: Unrecognized key'],
  ])('a body that is or holds %s is refused, and changes nothing', async (_case, body, error) => {
    const before: unknown = await (await ask(PROJECT)).json();
    const problem = await problemOf(await ask(PROJECT, { method: 'PATCH', body }));
    expect(problem).toMatchObject({ status: 400, errors: [expect.stringContaining(error)] });
    expect(await (await ask(PROJECT)).json()).toEqual(before);
  });

  test.each([
    ['a member named __proto__', '{"__proto__":{"polluted":true},"constructor":1}'],
    ['a lone surrogate and a NUL', String.raw`{"\ud800":"\u0000"}`],
    ['an empty name', '{"":{"":null}}'],
  ])('P3 data with %s is kept as it came', async (_case, data) => {
    const response = await ask(PROJECT, { method: 'PATCH', body: `{"data":${data}}` });
    expect(response.status).toBe(200);
    expect(await (await ask(PROJECT)).text()).toContain(`"data":${data}`);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
