/** What the sandbox can only be asked for: voices, boards, activity, drafts. */
import { ask, useSandboxEach } from '../../support/service/sandbox';
import { BOARD, VOICE } from '../../support/service/seeded';

const sandbox = useSandboxEach();

describe('voices', () => {
  const voice = (n: number, headers?: Record<string, string>) =>
    ask(sandbox.url, `GET /voices/${VOICE}${n}`, { headers });

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
    expect((await ask(sandbox.url, 'GET /voices/no-uuid')).status).toBe(404);
  });
});

describe('boards', () => {
  test('are found by UUID and by slug', async () => {
    const byId = await ask(sandbox.url, `GET /pm/boards/${BOARD}`);
    expect(byId.json).toEqual({ id: BOARD, slug: 'launch-board', name: 'Launch', creator: 1, modifier: 2 });
    expect((await ask(sandbox.url, 'GET /pm/boards/launch-board')).json).toEqual(byId.json);
    expect((await ask(sandbox.url, 'GET /pm/boards/none')).status).toBe(404);
    const elsewhere = { headers: { Organization: '2' } };
    expect((await ask(sandbox.url, 'GET /pm/boards/launch-board', elsewhere)).status).toBe(404);
    expect((await ask(sandbox.url, 'GET /pm/boards/brand-board', { headers: { Space: '11' } })).status).toBe(
      404,
    );
  });

  test('expand what is asked for, and nothing else', async () => {
    const statuses = await ask(sandbox.url, 'GET /pm/boards/launch-board?expand=statuses');
    expect(statuses.json).toMatchObject({ creator: 1, statuses: [{ name: 'To do' }, {}, {}] });
    const people = await ask(sandbox.url, 'GET /pm/boards/launch-board?expand=creator,modifier');
    expect(people.json).toMatchObject({ creator: { first_name: 'Sam' }, modifier: { first_name: 'Olga' } });
    expect(people.json).not.toHaveProperty('statuses');
    const wrong = await ask(sandbox.url, 'GET /pm/boards/launch-board?expand=statuses,owner,color');
    expect(wrong.status).toBe(400);
    expect(wrong.json.errors).toHaveLength(2);
  });
});

describe('task activity', () => {
  const page = (query = '') => ask(sandbox.url, `GET /pm/tasks/task-7/activity${query}`);

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
    expect((await ask(sandbox.url, 'GET /pm/tasks/none/activity')).status).toBe(404);
  });

  function verbs({ json }: { json: Record<string, unknown> }): string[] {
    return (json.results as { verb: string }[]).map(({ verb }) => verb);
  }
});

describe('drafts', () => {
  const drafts = async (query: string) => {
    const { json } = await ask(sandbox.url, `GET /service/social-media/get-drafts?${query}`);
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

  test('come ten a page by default', async () => {
    const { json } = await ask(sandbox.url, 'GET /service/social-media/get-drafts?account_ids=1');
    expect(json.pagination).toEqual({ page: 1, per_page: 10, total: 2, total_pages: 1 });
  });

  test('tell their times in the timezone asked for', async () => {
    const { json } = await ask(
      sandbox.url,
      'GET /service/social-media/get-drafts?account_ids=2&tz=America%2FNew_York',
    );
    expect(json.drafts).toMatchObject([{ created_at: '2026-03-03T04:00:00-05:00' }]);
  });

  test('refuse every wrong parameter at once', async () => {
    const query = 'page=0&per_page=-1&tz=Mars&order_by=colour&order=up';
    const { status, json } = await ask(sandbox.url, `GET /service/social-media/get-drafts?${query}`);
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(6);
  });
});
