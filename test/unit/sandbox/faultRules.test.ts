/** Rules: which requests a fault befalls, and how rules come and go. */
import { type RuleRequest } from '../../../sandbox/src/faults/rules';
import { useFaults } from '../../support/service/faults';
import { ask } from '../../support/service/sandbox';

const { sandbox, fault, rules } = useFaults();

describe('which requests a rule befalls', () => {
  const get = async (requestId = ''): Promise<number> => {
    const headers: Record<string, string> = requestId === '' ? {} : { 'x-request-id': requestId };
    return (await ask(sandbox.url, 'GET /workspaces/current', { headers })).status;
  };
  const statuses = async (times: number): Promise<number[]> => {
    const seen: number[] = [];
    for (let n = 0; n < times; n++) seen.push(await get());
    return seen;
  };
  const refuse = (match: RuleRequest['match'], operation = 'get-workspace'): Promise<void> =>
    fault({ operation, match, fault: 'status' });

  test('the nth', async () => {
    await refuse({ nth: 2 });
    expect(await statuses(4)).toEqual([200, 503, 200, 200]);
  });

  test('every nth', async () => {
    await refuse({ every: 2 });
    expect(await statuses(4)).toEqual([200, 503, 200, 503]);
  });

  test('a share, the same ones for the same seed', async () => {
    await refuse({ share: 0.3, seed: 42 });
    const first = await statuses(40);
    const hit = first.filter((status) => status === 503).length;
    expect(hit).toBeGreaterThan(4);
    expect(hit).toBeLessThan(24);
    await ask(sandbox.url, 'POST /_sandbox/reset');
    await refuse({ share: 0.3, seed: 42 });
    expect(await statuses(40)).toEqual(first);
    await ask(sandbox.url, 'POST /_sandbox/reset');
    await refuse({ share: 0.3, seed: 43 });
    expect(await statuses(40)).not.toEqual(first);
  });

  test('one request id', async () => {
    await refuse({ requestId: 'b' });
    expect([await get('a'), await get('b'), await get('c')]).toEqual([200, 503, 200]);
  });

  test('one path', async () => {
    await refuse({ path: '/api/v1/workspaces/1' }, '*');
    await refuse({ path: '/api/v1/workspaces/current' }, '*');
    expect(await statuses(2)).toEqual([503, 503]);
    expect((await rules()).map(({ hits }) => hits)).toEqual([0, 2]);
  });

  test('those of its operation only, and of all for *', async () => {
    await refuse({ every: 1 }, 'get-voice');
    expect(await get()).toBe(200);
    await refuse({ every: 1 }, '*');
    expect(await get()).toBe(503);
  });

  test('the first of several rules acts, and each counts for itself', async () => {
    await refuse({ nth: 1 });
    await fault({ operation: 'get-workspace', match: { nth: 2 }, fault: 'status', status: 500 });
    expect(await statuses(3)).toEqual([503, 500, 200]);
    expect(await rules()).toMatchObject([
      { id: 'f1', seen: 3, hits: 1 },
      { id: 'f2', seen: 3, hits: 1 },
    ]);
  });

  test('rules are taken away one by one or all at once', async () => {
    await refuse({ every: 1 });
    await refuse({ every: 1 });
    await ask(sandbox.url, 'DELETE /_sandbox/faults/f1');
    expect(await rules()).toMatchObject([{ id: 'f2' }]);
    expect((await ask(sandbox.url, 'DELETE /_sandbox/faults/f1')).status).toBe(404);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await rules()).toEqual([]);
    expect(await get()).toBe(200);
  });

  test('a rule with problems is refused with all of them', async () => {
    const body = { operation: 'fly', match: { nth: 0 }, fault: 'explode', when: 'never', status: 99, x: 1 };
    const { status, json } = await ask(sandbox.url, 'POST /_sandbox/faults', { body });
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(6);
    expect(await rules()).toEqual([]);
  });
});
