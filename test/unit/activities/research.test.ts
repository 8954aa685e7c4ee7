/** What a campaign reads of drafts, tasks and boards, and how little it keeps of it, over real sockets. */
import { type ResearchOrder, type ResearchSummary } from '../../../src/contract';
import { type Circumstances, useActivities } from '../../support/builders/activities';
import { SECRET, testApi } from '../../support/service/api';
import { seed } from '../../support/service/records';
import { startSmallService } from '../../support/service/smallService';

const { sandbox, run } = useActivities();

function research(order: ResearchOrder, how: Circumstances = {}): Promise<ResearchSummary> {
  return run((general) => general.research, order, how);
}

describe('research', () => {
  test('counts, and keeps an excerpt', async () => {
    const summary = await research({
      drafts: { accounts: ['1', '2'], search: 'spring' },
      activity: ['task-7', 'task-7'],
      boards: ['launch-board'],
    });
    expect(summary).toEqual({
      at: expect.any(String),
      drafts: { count: 2, excerpt: [expect.stringContaining('"id":"d-3"'), expect.any(String)], more: false },
      activity: {
        'task-7': {
          count: 3,
          excerpt: expect.any(Array),
          more: false,
          verbs: { created: 1, status_changed: 1, commented: 1 },
        },
      },
      boards: { 'launch-board': { excerpt: expect.stringContaining('"name":"Doing"') } },
      remarks: [],
    });
    expect(await research({})).toMatchObject({ drafts: null, activity: {}, boards: {}, remarks: [] });
  });

  test('what the service does not know is a remark', async () => {
    const summary = await research({ activity: ['no-task', 'no-task', 'task-7'], boards: ['no-board'] });
    expect(Object.keys(summary.activity)).toEqual(['task-7']);
    expect(summary).toMatchObject({
      boards: {},
      remarks: [expect.stringMatching(/^task no-task .*404/), expect.stringMatching(/^board no-board .*404/)],
    });
  });

  test('reads all pages, and keeps little of them', async () => {
    const drafts = Array.from({ length: 95 }, (_, n) => ({
      id: `many-${n}`,
      ...{ workspace: 1, account_id: 'many', content: `😀${'x'.repeat(500)}` },
      ...{ created_at: '2026-03-01T09:00:00Z', updated_at: '2026-03-01T09:00:00Z' },
    }));
    await seed(sandbox.url, { drafts });
    const summary = await research({ drafts: { accounts: ['many'] } });
    expect(summary.drafts).toMatchObject({ count: 95, more: false });
    expect(summary.drafts?.excerpt.map(({ length }) => length)).toEqual(
      Array.from({ length: 10 }, () => 300),
    );
  });

  test('a name that no object should have is counted like any other', async () => {
    const activity = Array.from({ length: 70 }, (_, n) => ({
      ...{ verb: n % 2 ? 'commented' : '__proto__', actor: 1 },
      timestamp: new Date(Date.UTC(2026, 2, 1, 0, n)).toISOString(),
    }));
    await seed(sandbox.url, { boardTasks: [{ id: 'long-task', workspace: 1, activity }] });
    const summary = await research({ activity: ['long-task'] });
    expect(summary.activity['long-task']).toMatchObject({ count: 70 });
    expect(Object.entries(summary.activity['long-task']?.verbs ?? {}).sort()).toEqual([
      ['__proto__', 35],
      ['commented', 35],
    ]);
  });

  test('a list without an end is read for 500 pages, and said to have more', async () => {
    let page = 0;
    const service = await startSmallService({
      'GET /api/v1/pm/tasks/endless/activity': () => ({ body: [{ verb: `v${page}`, page: page++ }] }),
    });
    const small = testApi(service.url);
    const { activity } = await research({ activity: ['endless'] }, { api: small });
    expect(activity.endless).toMatchObject({ count: 500, more: true, verbs: { v0: 1, '…': 450 } });
    await small.close();
    await service.stop();
  });

  test('one page that comes for every number is read once', async () => {
    const service = await startSmallService({
      'GET /api/v1/pm/tasks/same/activity': { body: { results: [{ verb: 'created' }] } },
    });
    const small = testApi(service.url);
    const { activity } = await research({ activity: ['same'] }, { api: small });
    expect(activity.same).toMatchObject({ count: 1 });
    await small.close();
    await service.stop();
  });

  test('P7: a credential that the service repeats is kept nowhere', async () => {
    const service = await startSmallService({
      'GET /api/v1/service/social-media/get-drafts': { body: [{ text: `Api-Key ${SECRET}` }] },
      'GET /api/v1/pm/tasks/t/activity': { body: [{ verb: SECRET }] },
      'GET /api/v1/pm/boards/b': { body: { name: SECRET } },
    });
    const small = testApi(service.url);
    const order = { drafts: { accounts: ['1'] }, activity: ['t'], boards: ['b'] };
    const told = await research(order, { api: small });
    expect(JSON.stringify(told)).toContain('[credential]');
    expect(JSON.stringify(told)).not.toContain(SECRET);
    await small.close();
    await service.stop();
  });

  test('a page whose list cannot be told names the setting', async () => {
    const service = await startSmallService({
      'GET /api/v1/service/social-media/get-drafts': { body: { a: [], b: [] } },
    });
    const small = testApi(service.url);
    await expect(research({ drafts: { accounts: ['1'] } }, { api: small })).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringContaining('SEGUE_DRAFTS_AT'),
    });
    await small.close();
    await service.stop();
  });

  test.each([
    ['plain', 'x'],
    ['of three bytes each', '語'],
  ])('much research is cut to what a project takes, in bytes: words %s', async (_what, sign) => {
    const boards = Array.from({ length: 100 }, (_, n) => `b${n}`);
    const tasks = Array.from({ length: 100 }, (_, n) => `t${n}`);
    const verbs = Array.from({ length: 50 }, (_, n) => ({ verb: `${n}${sign.repeat(90)}` }));
    const service = await startSmallService({
      ...Object.fromEntries(
        boards.map((id) => [`GET /api/v1/pm/boards/${id}`, { body: { id, words: sign.repeat(5_000) } }]),
      ),
      ...Object.fromEntries(tasks.map((id) => [`GET /api/v1/pm/tasks/${id}/activity`, { body: verbs }])),
    });
    const small = testApi(service.url);
    const summary = await research({ boards, activity: [...tasks, ...boards] }, { api: small });
    expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThan(200_000);
    expect(Object.keys(summary.boards)).toHaveLength(100);
    expect(summary.activity.t99).toMatchObject({ count: 50 });
    expect(summary.remarks).toHaveLength(101);
    expect(summary.remarks.at(-1)).toBe('there was too much for an excerpt of everything');
    await small.close();
    await service.stop();
  });
});
